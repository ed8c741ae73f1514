import type { BlockList } from "../shared/blocks/block-list.js";
import { joinHeaderRows } from "../shared/tables/join-header-rows.js";
import { formatCellReference } from "./cell-reference.js";
import type { Row } from "./read-sheet.js";
import type { Region } from "./regions.js";

const MAX_HEADER_ROWS = 3;
const MAX_CAPTIONS = 5;
/** A table with this many times more cells than values is sparse. */
const MIN_SPARSE_RATIO = 20;
const MIN_SPARSE_CELLS = 50_000;
/** Longer texts in one column are paragraphs rather than a list of values. */
const LONG_TEXT_CHARS = 80;

export interface RegionOptions {
  readonly page: number;
  /** Rows printed at the top of each page. */
  readonly printTitles: { readonly top: number; readonly bottom: number } | null;
}

/** Adds a region of a sheet: a table, with its titles as captions, or paragraphs if it only has text. */
export function regionBlocks(list: BlockList, region: Region, { page, printTitles }: RegionOptions): void {
  if (isTextRegion(region)) {
    for (const row of region.rows) list.add("paragraph", row.cells[0]!.text, { page });
    return;
  }
  const captions = titleRows(region);
  for (const row of captions) list.add("caption", row.cells[0]!.text, { page });
  const rows = region.rows.slice(captions.length);
  const width = region.columns.length;
  if (width * rows.length > MIN_SPARSE_CELLS && isSparse(rows, width)) {
    list.table(["Cell", "Value"], cellList(rows), { page });
    return;
  }
  const columnIndexes = new Map(region.columns.map((column, i) => [column, i]));
  const grid = rows.map((row) => gridRow(row, columnIndexes));
  const isPrinted = printTitles !== null && rows[0]!.number >= printTitles.top && rows[0]!.number <= printTitles.bottom;
  const count = headerRows(rows, isPrinted ? printTitles.bottom : 0);
  list.table(joinHeaderRows(grid.slice(0, count), width), grid.slice(count), { page });
}

/** Whether a region is not a table: one label per row, or one column with few rows or long texts. */
function isTextRegion({ rows, columns }: Region): boolean {
  if (columns.length === 1) return isProse(rows);
  return rows.every(isLabel);
}

/** Rows at the top with a single text: titles of the table. */
function titleRows({ rows, columns }: Region): Row[] {
  if (columns.length === 1) return [];
  const titles: Row[] = [];
  for (const row of rows.slice(0, MAX_CAPTIONS)) {
    // A single text over the second or a later column is that column's label.
    const isColumnLabel = row.cells.length === 1 && row.cells[0]!.column !== columns[0];
    if (!isLabel(row) || isColumnLabel) break;
    titles.push(row);
  }
  return titles;
}

/** Whether a row has only one text, even if it spans many columns. */
function isLabel({ cells }: Row): boolean {
  const [first, ...others] = cells;
  return first!.isText && first!.repeats !== true && others.every((cell) => cell.repeats && cell.text === first!.text);
}

function isProse(rows: readonly Row[]): boolean {
  const length = rows.reduce((sum, row) => sum + row.cells[0]!.text.length, 0);
  return rows.length < 3 || length / rows.length > LONG_TEXT_CHARS;
}

function isSparse(rows: readonly Row[], width: number): boolean {
  const filled = rows.reduce((sum, row) => sum + row.cells.length, 0);
  return width * rows.length > filled * MIN_SPARSE_RATIO;
}

/** The filled cells of a sparse table as a list, each with its reference. */
function cellList(rows: readonly Row[]): string[][] {
  return rows.flatMap((row) =>
    row.cells
      .filter((cell) => cell.repeats !== true)
      .map((cell) => [formatCellReference({ row: row.number, column: cell.column }), cell.text]),
  );
}

function gridRow(row: Row, columnIndexes: ReadonlyMap<number, number>): string[] {
  const cells = new Array<string>(columnIndexes.size).fill("");
  // A label across the whole table is not repeated in each column.
  const displayed = row.cells.length > 2 && isLabel(row) ? row.cells.slice(0, 1) : row.cells;
  for (const cell of displayed) cells[columnIndexes.get(cell.column)!] = cell.text;
  return cells;
}

/**
 * The number of header rows: those printed on each page; else the first, if it only has text; more if the upper ones
 * group the columns of the lower ones. None if the table begins with values.
 */
function headerRows(rows: readonly Row[], lastPrintedRow: number): number {
  if (lastPrintedRow > 0) return Math.min(MAX_HEADER_ROWS, rows.filter((row) => row.number <= lastPrintedRow).length);
  if (!isAllText(rows[0]!)) return 0;
  const last = Math.min(MAX_HEADER_ROWS, rows.length - 1);
  let certain = 1;
  while (certain < last && isAllText(rows[certain]!) && spansColumns(rows[certain - 1]!)) certain++;
  let likely = certain;
  while (likely < last && isAllText(rows[likely]!) && cellCount(rows[likely - 1]!) < cellCount(rows[likely]!)) likely++;
  // In a table of text only, a first row with gaps may be a separate header.
  return likely < rows.length && isAllText(rows[likely]!) ? certain : likely;
}

/** Whether a label of a row is merged over several columns. */
function spansColumns({ cells }: Row): boolean {
  return cells.some((cell, i) => cell.repeats === true && i > 0 && cells[i - 1]!.text === cell.text);
}

function cellCount({ cells }: Row): number {
  return cells.filter((cell) => cell.repeats !== true).length;
}

function isAllText(row: Row): boolean {
  return row.cells.every((cell) => cell.isText);
}
