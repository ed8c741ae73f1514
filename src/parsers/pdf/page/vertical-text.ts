import type { TextContent, TextItem } from "pdfjs-dist/types/src/display/api.js";

/** A character, or a few digits or letters side by side, in a line that runs downwards. In points of the page. */
interface Glyph {
  readonly item: TextItem;
  readonly size: number;
  readonly middle: number;
  readonly top: number;
  readonly bottom: number;
  readonly length: number;
  readonly isVerticalFont: boolean;
  /** Whether it shows that its line runs downwards. Digits and letters don't: columns of a table have them as well. */
  readonly isEvidence: boolean;
}

/** What is written upright in a vertical line: one character of its script, or up to four digits or letters. */
const CHARACTER_PATTERN = /^[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe10-\ufe4f\uff00-\uff9f]$/u;
const COMBINED_PATTERN = /^[\p{Script=Latin}\p{Nd}!?%.,]{1,4}$/u;
/** The width of characters that are side by side in one, as a multiple of the font size. */
const MAX_WIDTH_RATIO = 1.4;
/** A wider gap between two characters, as a multiple of the font size, ends a line. */
const MAX_GAP_RATIO = 2.2;
/** The top of a character above its baseline, as a multiple of the font size. */
const ASCENT_RATIO = 0.88;

/**
 * Finds characters that are written one below the other without a vertical font, as browsers print vertical text, and
 * digits that are upright in a vertical line. Returns none unless characters of its script that are vertical are most of
 * the page's text: a table may have columns of single characters or numbers.
 */
export function stackedItems({ items, styles }: TextContent): ReadonlySet<TextItem> {
  const glyphs: Glyph[] = [];
  const stacks: Glyph[][] = [];
  let characterCount = 0;
  for (const item of items) {
    if (!("str" in item) || item.str.trim() === "") continue;
    characterCount += item.str.length;
    const glyph = glyphOf(item, styles[item.fontName]?.vertical === true);
    if (glyph === null) continue;
    const last = glyphs.at(-1);
    glyphs.push(glyph);
    if (last !== undefined && isBelow(glyph, last)) stacks.at(-1)!.push(glyph);
    else stacks.push([glyph]);
  }
  const lines = stacks.filter((stack) => stack.length > 1 && stack.some(({ isEvidence }) => isEvidence));
  const stacked = new Set(
    lines.flatMap((line) => line.filter((glyph) => !glyph.isVerticalFont).map(({ item }) => item)),
  );
  const verticalCount = glyphs
    .filter(({ item, isVerticalFont, isEvidence }) => isVerticalFont || (isEvidence && stacked.has(item)))
    .reduce((sum, { length }) => sum + length, 0);
  if (stacked.size === 0 || verticalCount < characterCount / 2) return new Set();
  // The last character of a paragraph may be alone in its line.
  for (const [i, glyph] of glyphs.entries()) {
    const { item, isVerticalFont } = glyph;
    if (isVerticalFont || !CHARACTER_PATTERN.test(item.str.trim())) continue;
    if (![glyphs[i - 1], glyphs[i + 1]].some((other) => other !== undefined && isBeside(other, glyph)))
      stacked.add(item);
  }
  return stacked;
}

/** Whether two glyphs are in a line that runs to the right. */
function isBeside(a: Glyph, b: Glyph): boolean {
  const distance = Math.abs(a.middle - b.middle);
  return Math.abs(a.top - b.top) < b.size * 0.2 && distance < b.size * MAX_GAP_RATIO && !a.isVerticalFont;
}

function glyphOf(item: TextItem, isVerticalFont: boolean): Glyph | null {
  const [a = 0, b = 0, , d = 0, x = 0, y = 0] = item.transform as readonly number[];
  const isUpright = Math.abs(b) < Math.abs(a) * 0.1 && d > 0;
  if (!isUpright) return null;
  const text = item.str.trim();
  const common = { item, size: d, length: text.length, isVerticalFont };
  if (isVerticalFont) return { ...common, isEvidence: true, middle: x, top: y, bottom: y - item.height };
  const isCombined = COMBINED_PATTERN.test(text);
  const isGlyph = isCombined || CHARACTER_PATTERN.test(text);
  if (!isGlyph || item.width > d * MAX_WIDTH_RATIO) return null;
  const top = y + d * ASCENT_RATIO;
  return { ...common, isEvidence: !isCombined, middle: x + item.width / 2, top, bottom: top - d };
}

/** Whether a glyph follows another in a line that runs downwards. Distances are along the page's upward axis. */
function isBelow(glyph: Glyph, above: Glyph): boolean {
  const size = Math.max(glyph.size, above.size);
  const gap = above.bottom - glyph.top;
  return (
    Math.min(glyph.size, above.size) > size * 0.85 &&
    Math.abs(glyph.middle - above.middle) < size * 0.3 &&
    gap > -size * 0.4 &&
    gap < size * MAX_GAP_RATIO
  );
}
