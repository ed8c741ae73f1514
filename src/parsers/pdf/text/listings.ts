import { removeMarks } from "../page/link-marks.js";
import type { PageText } from "../page/page-model.js";
import type { Segment } from "../page/segments.js";
import { maxOf, median, minOf } from "../page/statistics.js";
import type { Line } from "./lines.js";
import { BULLET_PATTERN } from "./list-marker.js";
import { firstWordWidth, typicalLeading } from "./paragraphs.js";

/** Lines of a program, command or file. */
export interface Listing {
  readonly from: number;
  readonly to: number;
}

/** In a document with a larger share of monospaced characters, these are the running text. */
const MAX_MONOSPACED_SHARE = 2 / 3;
/** A gap of this multiple of the usual distance between lines separates paragraphs. */
const MIN_GAP_RATIO = 1.3;
/** Two empty lines within a listing are at most this multiple of the font size high. */
const MAX_INNER_GAP_RATIO = 4;
/** Characters of a line before the last text, so that a page as wide as a file may claim adds no megabytes of spaces. */
const MAX_COLUMN = 1000;
/** Chinese, Japanese and Korean letters have one width in other fonts too. */
const EAST_ASIAN_PATTERN = /[\u3001-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/g;

/** Whether monospaced fonts stand out in a document, so that they tell its listings. */
export function hasListings(pages: readonly PageText[]): boolean {
  let all = 0;
  let monospaced = 0;
  for (const { main } of pages)
    for (const { text, isMonospaced } of main.segments) {
      all += text.length;
      if (isMonospaced === true) monospaced += text.length;
    }
  return monospaced > 0 && monospaced <= all * MAX_MONOSPACED_SHARE;
}

/**
 * Finds the listings among the lines of a region: lines in monospaced fonts that are set apart from the text before and
 * after, unlike a name in such a font that fills a line of a paragraph.
 *
 * @param isTitle Whether a line is a title, which may have such a font too.
 */
export function findListings(lines: readonly Line[], isTitle: (line: Line) => boolean): Listing[] {
  const areCode = lines.map((line) => isMonospaced(line) && !isTitle(line));
  if (!areCode.includes(true)) return [];
  const prose = lines.filter((line, i) => !areCode[i] && line.table === undefined);
  const right = maxOf((prose.length === 0 ? lines : prose).map((line) => line.right));
  const leading = typicalLeading(lines);
  const isFar = (upper: Line, lower: Line): boolean =>
    lower.baseline - upper.baseline > Math.max(upper.size, lower.size) * leading * MIN_GAP_RATIO;
  const isApart = (neighbour: Line | undefined, upper: Line, lower: Line): boolean => {
    if (neighbour === undefined || isTitle(neighbour) || isFar(upper, lower)) return true;
    // The next row of a table, or the rest of a name that is wrapped.
    if (neighbour.cells.length > 1 || isMonospacedAt(neighbour, neighbour === upper ? -1 : 0)) return false;
    // A paragraph goes on in the next line only where its next word has no room.
    return upper.right + upper.size * 0.25 + firstWordWidth(lower) < right;
  };
  const listings: Listing[] = [];
  for (let from = 0; from < lines.length; from++) {
    if (!areCode[from]) continue;
    let to = from + 1;
    while (to < lines.length && areCode[to] && isInnerGap(lines[to - 1]!, lines[to]!)) to++;
    const own = lines.slice(from, to);
    const next = lines[to];
    // A term stands above the indented text that explains it.
    const isIndented = next !== undefined && next.left > minOf(own.map(({ left }) => left)) + next.size / 2;
    const isTerm = isIndented && !areCode[to] && (own.length === 1 || !isFar(own.at(-1)!, next));
    const previous = lines[from - 1];
    const isBegun = isApart(previous, previous!, own[0]!);
    if (!isTerm && !isGrid(own) && isBegun && isApart(next, own.at(-1)!, next!)) listings.push({ from, to });
    from = to - 1;
  }
  return listings;
}

/** Whether lines are the rows of a table: all have the same number of cells, more than a line with a comment has. */
function isGrid(lines: readonly Line[]): boolean {
  const count = lines[0]!.cells.length;
  return lines.length > 1 && count > 2 && lines.every(({ cells }) => cells.length === count);
}

/** Returns the lines that are in none of the listings. */
export function withoutListings(lines: readonly Line[], listings: readonly Listing[]): Line[] {
  const code = new Set(listings.flatMap(({ from, to }) => lines.slice(from, to)));
  return lines.filter((line) => !code.has(line));
}

function isMonospaced({ cells, text: shown }: Line): boolean {
  if (!cells.every((cell) => cell.isMonospaced === true) || BULLET_PATTERN.test(shown)) return false;
  const text = cells.map((cell) => cell.text).join("");
  return /[^\s.·_]/.test(text) && (text.match(EAST_ASIAN_PATTERN)?.length ?? 0) <= text.length / 2;
}

/** Whether the first or last word of a line is in a monospaced font. */
function isMonospacedAt({ cells }: Line, index: 0 | -1): boolean {
  const cell = cells.at(index)!;
  return (cell.runs?.at(index) ?? cell).isMonospaced === true;
}

function isInnerGap(upper: Line, lower: Line): boolean {
  const gap = lower.baseline - upper.baseline;
  return gap > 0 && gap < Math.max(upper.size, lower.size) * MAX_INNER_GAP_RATIO;
}

type Text = Pick<Segment, "text" | "left" | "right">;

/** Returns the text of a listing, each line with the spaces that its places on the page stand for. */
export function textOfListing(lines: readonly Line[]): string {
  const rows = lines.map((line) => line.cells.flatMap((cell): readonly Text[] => cell.runs ?? [cell]));
  const widths = rows.flat().map(({ text, left, right }) => (right - left) / removeMarks(text).length);
  const width = Math.max(0.1, median(widths));
  const start = minOf(rows.flat().map(({ left }) => left));
  const pitch = median(lines.slice(1).map((line, i) => line.baseline - lines[i]!.baseline));
  const written: string[] = [];
  for (const [i, runs] of rows.entries()) {
    if (i > 0 && lines[i]!.baseline - lines[i - 1]!.baseline > pitch * 1.6) written.push("");
    let text = "";
    let end = Infinity;
    for (const { text: own, left, right } of [...runs].sort((a, b) => a.left - b.left)) {
      const column = Math.min(MAX_COLUMN, Math.round((left - start) / width));
      // In a smaller font than most lines have, a column is less than its text needs.
      const isApart = left - end > width * 0.3;
      text = text.padEnd(isApart ? Math.max(column, text.length + 1) : column) + removeMarks(own);
      end = right;
    }
    written.push(text.trimEnd());
  }
  const indent = minOf(written.filter((line) => line !== "").map((line) => line.search(/\S/)));
  return written.map((line) => line.slice(indent)).join("\n");
}
