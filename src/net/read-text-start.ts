/** Maximum bytes to read; enough for the reason in an error response. */
const MAX_BYTES = 65_536;

/** Reads the start of a response as text. Doesn't read the rest. */
export async function readTextStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_BYTES) break;
  }
  return Buffer.concat(chunks).toString("utf8", 0, MAX_BYTES);
}
