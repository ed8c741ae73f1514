/** What is read of an answer that is no answer: its reason stands at its beginning. */
const MOST_BYTES = 65_536;

/** The beginning of an answer as text; the rest is never read, however much of it there is. */
export async function textStart(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= MOST_BYTES) break;
  }
  return Buffer.concat(pieces).toString("utf8", 0, MOST_BYTES);
}
