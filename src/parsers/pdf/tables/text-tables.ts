import type { Line } from "../text/lines.js";
import { classifyRegion, MAX_NOTE_GAP, type Region, withNamesAbove } from "./classify-region.js";
import { hasLeader } from "./table-evidence.js";

/** Lines with gaps, apart from text that is read across, with the indexes of the first line and after the last. */
export type TextRegion = Exclude<Region, { readonly kind: "text" }> & { readonly from: number; readonly to: number };

/** The number of a section, with a gap between it and the title. */
const SECTION_NUMBER_PATTERN = /^(?:\d{1,2}|[A-Z](?=\.\d))(?:\.\d{1,2}){0,4}\.?$/;
/** The lines above a title are farther away than this multiple of its font size. */
const MIN_TITLE_PITCH = 1.7;

/**
 * Finds tables, contents and texts side by side among the lines of a region.
 *
 * @param isHeadingFont Tells which lines may be titles.
 */
export function findRegions(lines: readonly Line[], isHeadingFont: (line: Line) => boolean): TextRegion[] {
  const regions: TextRegion[] = [];
  const isTitle = (i: number): boolean =>
    (isNumberedTitle(lines[i]!, lines[i - 1]) || isLargeTitle(lines[i]!, lines[i - 1])) && isHeadingFont(lines[i]!);
  for (let from = 0; from < lines.length; ) {
    const to = isTitle(from) ? from : runEnd(lines, from, isTitle);
    const region = to === from ? classifyLine(lines[from]!) : classifyRegion(lines.slice(from, to));
    if (to === from && region.kind === "entries") regions.push({ ...region, from, to: ++from });
    else if (region.kind === "text" || (region.kind !== "entries" && isJustified(lines, from, to))) {
      for (const [i, { text }] of lines.slice(from, to).entries())
        if (hasLeader(text)) regions.push({ kind: "entries", from: from + i, to: from + i + 1 });
      from = Math.max(from + 1, to);
    } else {
      const above =
        region.kind === "table"
          ? withNamesAbove(lines.slice(regions.at(-1)?.to ?? 0, to), to - from, region.columns)
          : null;
      regions.push(above === null ? { ...region, from, to } : { ...above.table, from: from - above.added, to });
      from = to;
    }
  }
  return regions;
}

/** A line without gaps may be a title with its page number, between which is text, a row of dots. */
function classifyLine({ text }: Line): Region {
  return hasLeader(text) ? { kind: "entries" } : { kind: "text" };
}

/** Whether a run of lines has its gaps from justification: a line beside it fills the same width without a gap. */
function isJustified(lines: readonly Line[], from: number, to: number): boolean {
  const isNeighbour = (line: Line | undefined, other: Line): boolean =>
    line !== undefined &&
    line.cells.length === 1 &&
    Math.abs(line.baseline - other.baseline) < other.size * 2 &&
    Math.abs(line.left - other.left) < other.size * 0.2 &&
    Math.abs(line.right - other.right) < other.size * 0.2;
  return isNeighbour(lines[from - 1], lines[from]!) || isNeighbour(lines[to], lines[to - 1]!);
}

/** Whether a line is a number and a title, apart from the line above it. */
function isNumberedTitle(line: Line, above: Line | undefined): boolean {
  const [number, title] = line.cells;
  if (line.cells.length !== 2 || !SECTION_NUMBER_PATTERN.test(number!.text) || !/\p{L}{2}/u.test(title!.text))
    return false;
  return number!.font === title!.font && isApart(line, above);
}

/** Whether a line without gaps is larger than the line above it, and apart from it. */
function isLargeTitle(line: Line, above: Line | undefined): boolean {
  return line.cells.length === 1 && above !== undefined && line.size > above.size * 1.1 && isApart(line, above);
}

function isApart({ baseline, size }: Line, above: Line | undefined): boolean {
  return above === undefined || baseline - above.baseline > size * MIN_TITLE_PITCH;
}

/** The next line of a wrapped cell is at most this multiple of the font size below. */
const MAX_WRAPPED_PITCH = 1.5;
/** Further lines of a cell, in rows of so many columns as a page may have. */
const MAX_WRAPPED_LINES = 40;

/**
 * Returns the end of a run of lines with several cells, among which, and after which, may be lines with the rest of a
 * wrapped cell.
 */
function runEnd(lines: readonly Line[], from: number, isTitle: (index: number) => boolean): number {
  if (lines[from]!.cells.length < 2) return from;
  let end = from + 1;
  let singleCellLines = 0;
  let wrappedLines = 0;
  let row = lines[from]!;
  for (let i = from + 1; i < lines.length; i++) {
    const gap = lines[i]!.baseline - lines[i - 1]!.baseline;
    if (gap > Math.max(lines[i]!.size, lines[i - 1]!.size) * 3.2) break;
    if (isFirstNote(lines[i]!, lines[from]!) || isTitle(i)) break;
    if (lines[i]!.cells.length >= 2) {
      singleCellLines = 0;
      wrappedLines = 0;
      end = i + 1;
      row = lines[i]!;
    } else if (end === i && ++wrappedLines <= MAX_WRAPPED_LINES && isRestOfCell(lines[i]!, lines[i - 1]!, row))
      end = i + 1;
    else if (++singleCellLines > 2 || spansCells(lines[i]!, lines[from]!)) break;
  }
  return end;
}

/** Whether a line, close to the one above it, begins below a further cell of a row, and is not wider than the row. */
function isRestOfCell(line: Line, above: Line, row: Line): boolean {
  const cell = row.cells.findIndex(({ left }) => Math.abs(line.left - left) < line.size * 0.2);
  return (
    cell > 0 &&
    (row.cells[cell + 1] === undefined || line.right < row.cells[cell + 1]!.left) &&
    Math.abs(line.size - row.cells[cell]!.size) < line.size * 0.05 &&
    line.baseline - above.baseline < line.size * MAX_WRAPPED_PITCH
  );
}

/** Whether a line is a footnote below a table: a number and, close to it, a text, both smaller than the table's. */
function isFirstNote({ cells, size }: Line, tableLine: Line): boolean {
  const [left, right] = cells;
  if (cells.length !== 2 || right!.left - left!.right > size * MAX_NOTE_GAP) return false;
  return size < tableLine.size * 0.93 && cells.some(({ text }) => /^\d{1,3}$/.test(text));
}

/** Whether a line with one cell extends below the second cell of another line, so that it isn't a wrapped cell. */
function spansCells(line: Line, other: Line): boolean {
  return line.left <= other.cells[0]!.right && line.right > other.cells[1]!.left + line.size * 2;
}
