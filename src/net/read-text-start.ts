/** Enough for the reason in an error response. */
const MAX_BYTES = 65_536;

/** Reads the start of a response as text. Never reads the rest. */
export async function readTextStart(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= MAX_BYTES) break;
  }
  return Buffer.concat(pieces).toString("utf8", 0, MAX_BYTES);
}
