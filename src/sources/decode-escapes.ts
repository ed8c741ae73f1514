/** Replaces percent-escapes by the UTF-8 that they stand for; what is no UTF-8 becomes U+FFFD. Never fails. */
export function decodeEscapes(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => Buffer.from(escapes.replaceAll("%", ""), "hex").toString());
}
