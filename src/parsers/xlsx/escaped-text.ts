/** Decodes escapes in spreadsheet text: `_x000D_` stands for U+000D, which XML parsers would normalise. */
export function unescapeText(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([\dA-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
