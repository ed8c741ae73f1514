import { groupBy } from "../../../util/group-by.js";
import type { RowExtent, Segment } from "../page/segments.js";
import { median } from "../page/statistics.js";
import { joinLines } from "../text/join-lines.js";
import type { Line } from "../text/lines.js";
import { type Column, columnAt, splitAtColumns } from "./table-columns.js";
import type { FormattedCell } from "./table-header.js";

/** The lines of a row's cells: for each column, the cell's segments from top to bottom. */
type CellLines = Segment[][];

/** The lines of a table from top to bottom, and the segments of each in each column. */
export interface TableLines {
  readonly lines: readonly Line[];
  readonly columns: readonly Column[];
  readonly segments: readonly (readonly (readonly Segment[])[])[];
}

export interface TableRows {
  readonly rows: FormattedCell[][];
  readonly extents: readonly RowExtent[];
}

/** Lines whose baselines are closer than this multiple of the font size overlap, so that they are of one row. */
const OVERLAP_RATIO = 0.95;
/** A row whose wrapped cells are centred has up to this many lines that overlap, if there are no rules. */
const MAX_OVERLAPPING_LINES = 4;

/**
 * Groups the lines of a table to rows. Lines that overlap are one row; horizontal rules and edges of filled areas
 * separate rows, and where most lines are separated by them, nothing else does. Otherwise a line continues the row
 * above if it has text in few columns and only below other text.
 *
 * @param edges The vertical positions of horizontal rules and edges within the table.
 */
export function rowsOf(table: TableLines, edges: readonly number[]): TableRows {
  const { lines } = table;
  const texts = textsOf(table);
  const gaps = lines.slice(1).map((line, i) => line.baseline - lines[i]!.baseline);
  const separated = gaps.map((_, i) => hasEdgeBetween(lines[i]!, lines[i + 1]!, edges));
  const bandCount = separated.filter((isSeparated) => isSeparated).length + 1;
  const isRuled = bandCount >= 3 && isWrapped(texts, separated);
  const typicalGap = median(gaps);
  const rows: CellLines[] = [];
  const extents: { readonly top: number; bottom: number }[] = [];
  const overlapping = overlappingLines(lines, edges.length > 0);
  // Above the first band of a striped table, no edge separates the names of the columns from the first row.
  const isBelowHeader = (i: number): boolean =>
    texts[i - 1]!.every((cell) => cell !== "") &&
    lines[i]!.cells.every(({ font }) => lines[i - 1]!.cells.every((cell) => cell.font !== font));
  for (const i of lines.keys()) {
    const cells = texts[i]!;
    const segments = table.segments[i]!;
    const last = rows.at(-1);
    const gap = gaps[i - 1]!;
    const overlaps = overlapping[i]!;
    const joins =
      last !== undefined &&
      !separated[i - 1] &&
      ((isRuled && !isBelowHeader(i)) || overlaps || continuesRow(cells, last, gap, typicalGap));
    const { top, bottom } = lines[i]!;
    if (joins) {
      for (const [column, own] of segments.entries()) last[column]!.push(...own);
      extents.at(-1)!.bottom = Math.max(extents.at(-1)!.bottom, bottom);
    } else {
      rows.push(segments.map((own) => [...own]));
      extents.push({ top, bottom });
    }
  }
  return { rows: rows.map((row) => row.map(cellOf)), extents };
}

/**
 * Tells for each line whether it overlaps the lines above it and is of their row. In a long sequence of overlapping
 * lines, two columns have lines at different heights, and each row has the lines that overlap its first.
 */
function overlappingLines(lines: readonly Line[], areFramed: boolean): boolean[] {
  const overlap = (upper: Line, lower: Line): boolean =>
    lower.baseline - upper.baseline < Math.min(lower.size, upper.size) * OVERLAP_RATIO;
  const result: boolean[] = [];
  for (let from = 0; from < lines.length; ) {
    let to = from + 1;
    while (to < lines.length && overlap(lines[to - 1]!, lines[to]!)) to++;
    const isOneRow = areFramed || to - from <= MAX_OVERLAPPING_LINES;
    let first = lines[from]!;
    for (const line of lines.slice(from, to)) {
      const isOfRow = line !== lines[from] && (isOneRow || overlap(first, line));
      if (!isOfRow) first = line;
      result.push(isOfRow);
    }
    from = to;
  }
  return result;
}

/** Returns the cell of segments on one or more lines. */
export function cellOf(segments: readonly Segment[]): FormattedCell {
  if (segments.length === 0) return { text: "", font: null };
  const { font } = segments[0]!;
  if (segments.length === 1) return { text: segments[0]!.text, font };
  const lines = [...groupBy(segments, ({ row }) => row).values()];
  const text = joinLines(lines.map((line) => line.map((segment) => segment.text).join(" ")));
  return { text, font };
}

/** Splits lines at the columns of their table. */
export function tableLines(lines: readonly Line[], columns: readonly Column[]): TableLines {
  return { lines, columns, segments: lines.map((line) => segmentsByColumn(line, columns)) };
}

/** Returns some of the lines of a table. */
export function sliceLines(table: TableLines, from: number, to?: number): TableLines {
  return { ...table, lines: table.lines.slice(from, to), segments: table.segments.slice(from, to) };
}

function segmentsByColumn(line: Line, columns: readonly Column[]): Segment[][] {
  const cells = columns.map((): Segment[] => []);
  for (const cell of splitAtColumns(line.cells, columns)) cells[columnAt(cell, columns)]!.push(cell);
  return cells;
}

function textOf(cells: readonly Segment[]): string {
  return cells.length === 1 ? cells[0]!.text : cells.map(({ text }) => text).join(" ");
}

/** Returns the text of each line in each column. */
export function textsOf({ segments }: TableLines): string[][] {
  return segments.map((line) => line.map(textOf));
}

function hasEdgeBetween(upper: Line, lower: Line, edges: readonly number[]): boolean {
  return edges.some((at) => at > upper.baseline - upper.size * 0.1 && at < lower.baseline - lower.size * 0.5);
}

/** Whether the bands between edges are rows: hardly any of them has two lines with text in all columns. */
function isWrapped(texts: readonly (readonly string[])[], separated: readonly boolean[]): boolean {
  let full = 0;
  let bands = 0;
  let fullInBand = 0;
  for (const [i, cells] of texts.entries()) {
    if (i === 0 || separated[i - 1]) {
      bands++;
      fullInBand = 0;
    }
    if (cells.every((cell) => cell !== "") && ++fullInBand === 2) full++;
  }
  return full <= bands * 0.25;
}

/** Whether a line with text in only some columns continues the row above it. */
function continuesRow(cells: readonly string[], row: CellLines, gap: number, typicalGap: number): boolean {
  const filled = cells.filter((cell) => cell !== "").length;
  if (filled === cells.length) return false;
  if (!cells.every((cell, i) => cell === "" || row[i]!.length > 0)) return false;
  if (cells[0] === "" && filled <= cells.length / 2 && gap <= typicalGap * 1.1) return true;
  return filled === 1 && gap < typicalGap * 0.9;
}
