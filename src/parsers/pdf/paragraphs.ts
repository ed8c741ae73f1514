import { joinLines } from "./join-lines.js";
import type { Line } from "./lines.js";
import { LIST_MARKER } from "./list-marker.js";
import { maxOf, median } from "./statistics.js";
import { isTitleCase } from "./title-case.js";

/** The lines of a paragraph, list item or heading. */
export interface Paragraph {
  readonly text: string;
  readonly lines: readonly Line[];
}

/** Groups the lines of a region into paragraphs by spacing, size, indents, list markers and short last lines. */
export function paragraphsOf(lines: readonly Line[], isHeadingFont: (line: Line) => boolean): Paragraph[] {
  const leading = typicalLeading(lines);
  const right = maxOf(lines.map((line) => line.right));
  const paragraphs: Line[][] = [];
  for (const line of lines) {
    const open = paragraphs.at(-1);
    if (open === undefined || isBreak(open, line, leading, right, isHeadingFont)) paragraphs.push([line]);
    else open.push(line);
  }
  return paragraphs.map((lines) => ({ text: joinLines(lines.map((line) => line.text)), lines }));
}

/** The usual distance of two baselines, in font sizes. */
function typicalLeading(lines: readonly Line[]): number {
  const ratios: number[] = [];
  for (let i = 1; i < lines.length; i++) {
    const ratio = (lines[i]!.baseline - lines[i - 1]!.baseline) / lines[i]!.size;
    if (ratio > 0.8 && ratio < 2.5) ratios.push(ratio);
  }
  return ratios.length < 2 ? 1.3 : Math.min(1.9, median(ratios));
}

function isBreak(
  open: readonly Line[],
  line: Line,
  leading: number,
  right: number,
  isHeadingFont: (line: Line) => boolean,
): boolean {
  const above = open.at(-1)!;
  if (above.heading !== undefined || line.heading !== undefined)
    return above.heading?.element !== line.heading?.element;
  const size = Math.max(above.size, line.size);
  if (Math.abs(above.size - line.size) > size * 0.12) return true;
  const gap = (line.baseline - above.baseline) / size;
  if (gap > leading * 1.3 || gap < -0.5) return true;
  if (isHeadingFont(above) !== isHeadingFont(line)) return true;
  if (open.length === 1 && isSetOff(above, line, right)) return true;
  if (LIST_MARKER.test(line.text) && (line.text.length > 3 || line.cells.length > 1)) return true;
  const first = open[0]!;
  const isItem = LIST_MARKER.test(first.text);
  if (isItem && line.left < first.left - size) return true;
  // A first-line indent starts a paragraph, except below a list marker and in centred text.
  const indent = line.left - above.left;
  const isCentred = Math.abs(line.left + line.right - above.left - above.right) < size;
  if (!isItem && !isCentred && indent > size * 0.8 && open.length > 1 && indent < size * 4) return true;
  const endsShort = above.right < right - (right - above.left) * 0.2;
  return endsShort && /[.!?:;"”)]$/.test(above.text) && /^[\p{Lu}\d"“(]/u.test(line.text) && !isItem;
}

/** Whether a line in another font than the next one is a title above it. */
function isSetOff(above: Line, line: Line, right: number): boolean {
  const isOneFont = above.cells.every((cell) => cell.font === above.font);
  return (
    isOneFont &&
    above.font !== line.font &&
    above.right < right - (right - above.left) * 0.3 &&
    isTitleCase(above.text) &&
    /^[\p{Lu}\d"“(]/u.test(line.text)
  );
}
