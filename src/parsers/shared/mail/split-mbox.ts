const SEPARATOR = Buffer.from("\nFrom ");

/** Splits a mailbox file into messages: each begins with a line `From <sender> <date>` below an empty line. */
export function splitMbox(bytes: Uint8Array): Uint8Array[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const starts = [0];
  for (let at = buffer.indexOf(SEPARATOR); at !== -1; at = buffer.indexOf(SEPARATOR, at + 1)) {
    const isAfterEmptyLine = buffer[at - 1] === 10 || (buffer[at - 1] === 13 && buffer[at - 2] === 10);
    const line = buffer.toString("latin1", at + 1, Math.min(at + 200, buffer.length)).split("\n", 1)[0]!;
    if (isAfterEmptyLine && /\d{2}:\d{2}.*\d{4}\s*$/.test(line)) starts.push(at + 1);
  }
  return starts
    .map((start, i) => buffer.subarray(start, starts[i + 1] ?? buffer.length))
    .filter((part) => part.length > 5);
}
