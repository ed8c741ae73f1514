/** Puts text on one line: replaces runs of whitespace with one space, and trims the ends. */
export function collapseWhitespace(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
