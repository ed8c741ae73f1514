/** Returns an equal string of its own. V8 keeps the whole text in memory for a part of it, for as long as the part is kept. */
export function copyString(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
