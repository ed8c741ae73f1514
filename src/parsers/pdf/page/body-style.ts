import type { PageText } from "./page-model.js";
import { cellTexts } from "./table-cells.js";

/** Sizes with at least this share of the characters of the most frequent size are sizes of text. */
const MIN_TEXT_SHARE = 0.3;
/** Sizes of text have more lines than this, since titles have few. */
const MAX_TITLE_LINES = 3;

export interface BodyStyle {
  /** The font size with the most characters. */
  readonly size: number;
  /** The largest size of running text: notes may have more characters than the text above them. */
  readonly largestSize: number;
  /** The font with the most characters. */
  readonly font: string;
}

/** Returns the sizes and the font of the running text. */
export function bodyStyle(pages: readonly PageText[]): BodyStyle {
  const sizes = new Map<number, { characters: number; lines: number }>();
  const fonts = new Map<string, number>();
  for (const { main } of pages) {
    for (const { size, font, text, table } of main.segments) {
      const length = table === undefined ? text.length : cellTexts(table.rows).join("").length;
      const rounded = Math.round(size * 2) / 2;
      const { characters, lines } = sizes.get(rounded) ?? { characters: 0, lines: 0 };
      sizes.set(rounded, { characters: characters + length, lines: lines + (length > 30 ? 1 : 0) });
      fonts.set(font, (fonts.get(font) ?? 0) + length);
    }
  }
  const [first] = [...sizes].sort((a, b) => b[1].characters - a[1].characters);
  const [size, { characters: most }] = first ?? [10, { characters: 0 }];
  const textSizes = [...sizes].filter(
    ([, { characters, lines }]) => characters >= most * MIN_TEXT_SHARE && lines > MAX_TITLE_LINES,
  );
  const [font = ""] = [...fonts].sort((a, b) => b[1] - a[1])[0] ?? [];
  return { size, largestSize: textSizes.reduce((largest, [size]) => Math.max(largest, size), size), font };
}
