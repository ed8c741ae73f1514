/**
 * Encodes a text for a column of type `text`, which can't contain U+0000. Keeps the order of code points: U+0000 becomes
 * U+0001 U+0001, and U+0001 becomes U+0001 U+0002.
 */
export function encodeText(text: string): string {
  if (!text.includes("\0") && !text.includes("\u0001")) return text.toWellFormed();
  return text.toWellFormed().replaceAll("\u0001", "\u0001\u0002").replaceAll("\0", "\u0001\u0001");
}

/** Returns the text that was encoded. */
export function decodeText(text: string): string {
  if (!text.includes("\u0001")) return text;
  return text.replaceAll("\u0001\u0001", "\0").replaceAll("\u0001\u0002", "\u0001");
}
