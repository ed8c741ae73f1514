import type { PageText } from "./page-model.js";

/** Returns the font size and the font with the most characters. */
export function bodyStyle(pages: readonly PageText[]): { size: number; font: string } {
  const sizes = new Map<number, number>();
  const fonts = new Map<string, number>();
  for (const { main } of pages) {
    for (const { size, font, text } of main.segments) {
      const rounded = Math.round(size * 2) / 2;
      sizes.set(rounded, (sizes.get(rounded) ?? 0) + text.length);
      fonts.set(font, (fonts.get(font) ?? 0) + text.length);
    }
  }
  const modeOf = <K>(counts: ReadonlyMap<K, number>): K | undefined => [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
  return { size: modeOf(sizes) ?? 10, font: modeOf(fonts) ?? "" };
}
