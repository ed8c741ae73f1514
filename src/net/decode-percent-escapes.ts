/** Decodes percent-escapes as UTF-8. Invalid UTF-8 becomes U+FFFD. */
export function decodePercentEscapes(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => Buffer.from(escapes.replaceAll("%", ""), "hex").toString());
}
