/** Text on one line: runs of whitespace become one space, those at the ends are removed. */
export function collapseWhitespace(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
