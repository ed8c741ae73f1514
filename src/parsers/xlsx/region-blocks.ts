import type { CellValue, RowCells, TableSpan } from "../../interfaces/block.js";
import { type BlockList, tableName } from "../shared/blocks/block-list.js";
import { findSpans } from "../shared/tables/find-spans.js";
import { joinHeaderRows } from "../shared/tables/join-header-rows.js";
import { formatCellReference } from "./cell-reference.js";
import type { Cell, Row } from "./read-sheet.js";
import type { Region } from "./regions.js";

const MAX_HEADER_ROWS = 3;
const MAX_CAPTIONS = 5;
/** The minimum ratio of all cells to filled cells in a sparse table. */
const MIN_SPARSE_RATIO = 20;
/** Tables with at most this many cells, including empty cells, do not count as sparse. */
const MIN_SPARSE_CELLS = 50_000;
/** The average length from which on the texts in one column are paragraphs rather than a list of values. */
const MIN_PROSE_CHARS = 80;

export interface RegionOptions {
  readonly page: number;
  readonly sheetName: string;
  /** The rows printed at the top of each page; `null` if there are none. */
  readonly printTitles: { readonly top: number; readonly bottom: number } | null;
}

/** Adds a region of a sheet: a table with its titles as captions, or paragraphs if the region has only text. */
export function addRegion(list: BlockList, region: Region, { page, sheetName, printTitles }: RegionOptions): void {
  if (isTextRegion(region)) {
    for (const row of region.rows) list.add("paragraph", row.cells[0]!.text, { page });
    return;
  }
  const captionRows = titleRows(region);
  const captions = captionRows.map((row) => row.cells[0]!.text);
  for (const caption of captions) list.add("caption", caption, { page });
  const rows = region.rows.slice(captionRows.length);
  const width = region.columns.length;
  if (width * rows.length > MIN_SPARSE_CELLS && isSparse(rows, width)) {
    const cells = listCells(rows);
    list.table(
      ["Cell", "Value"],
      cells.map(({ reference, text }) => [reference, text]),
      {
        page,
        table: { name: sheetName, ...tableName(captions) },
        rowCells: rowCellsOf(sheetName, region, { header: [], body: cells.map(({ row }) => row) }),
      },
    );
    return;
  }
  const columnIndexes = new Map(region.columns.map((column, i) => [column, i]));
  const grid = rows.map((row) => gridRow(row, columnIndexes));
  const beginsWithPrintTitles =
    printTitles !== null && rows[0]!.number >= printTitles.top && rows[0]!.number <= printTitles.bottom;
  const headerRowCount = countHeaderRows(rows, beginsWithPrintTitles ? printTitles.bottom : 0);
  list.table(joinHeaderRows(grid.slice(0, headerRowCount), width), grid.slice(headerRowCount), {
    page,
    table: {
      name: sheetName,
      ...tableName(captions),
      headerRows: grid.slice(0, headerRowCount),
      spans: spansOf(rows, columnIndexes, headerRowCount),
      values: rows.slice(headerRowCount).map((row) => valuesOf(row, columnIndexes)),
    },
    rowCells: rowCellsOf(sheetName, region, {
      header: rows.slice(0, headerRowCount),
      body: rows.slice(headerRowCount),
    }),
  });
}

/** Returns the merged cells of a table. Without a header, the table begins with a row of empty labels. */
function spansOf(
  rows: readonly Row[],
  columnIndexes: ReadonlyMap<number, number>,
  headerRowCount: number,
): readonly TableSpan[] {
  if (!rows.some(({ cells }) => cells.some((cell) => cell.repeats !== undefined))) return [];
  const grid = rows.map(({ cells }) => {
    const row = new Array<Cell | undefined>(columnIndexes.size);
    for (const cell of cells) row[columnIndexes.get(cell.column)!] = cell.repeats ?? cell;
    return row;
  });
  return findSpans(headerRowCount === 0 ? [[], ...grid] : grid);
}

const NO_VALUES: readonly CellValue[] = [];

function valuesOf({ cells }: Row, columnIndexes: ReadonlyMap<number, number>): readonly CellValue[] {
  const last = cells.findLast(({ value }) => value !== null);
  if (last === undefined) return NO_VALUES;
  const values = new Array<CellValue>(columnIndexes.get(last.column)! + 1).fill(null);
  for (const { column, value } of cells) if (value !== null) values[columnIndexes.get(column)!] = value;
  return values;
}

/** Returns whether a region contains only text: one label per row, or one column with few rows or long texts. */
function isTextRegion({ rows, columns }: Region): boolean {
  if (columns.length === 1) return isProse(rows);
  return rows.every(isLabelRow);
}

/** Returns the titles of a table: the rows at the top with a single text. */
function titleRows({ rows, columns }: Region): Row[] {
  if (columns.length === 1) return [];
  const titles: Row[] = [];
  for (const row of rows.slice(0, MAX_CAPTIONS)) {
    // A single text over the second or a later column is that column's label.
    const isColumnLabel = row.cells.length === 1 && row.cells[0]!.column !== columns[0];
    if (!isLabelRow(row) || isColumnLabel) break;
    titles.push(row);
  }
  return titles;
}

/** Returns whether a row has only one text, even if it spans many columns. */
function isLabelRow({ cells }: Row): boolean {
  const [first, ...others] = cells;
  return (
    first!.isText &&
    first!.repeats === undefined &&
    others.every((cell) => cell.repeats !== undefined && cell.text === first!.text)
  );
}

function isProse(rows: readonly Row[]): boolean {
  const length = rows.reduce((sum, row) => sum + row.cells[0]!.text.length, 0);
  return rows.length < 3 || length / rows.length > MIN_PROSE_CHARS;
}

function isSparse(rows: readonly Row[], width: number): boolean {
  const filled = rows.reduce((sum, row) => sum + row.cells.length, 0);
  return width * rows.length > filled * MIN_SPARSE_RATIO;
}

/** Lists the filled cells of a sparse table, each with its reference. */
function listCells(rows: readonly Row[]): { reference: string; text: string; row: Row }[] {
  return rows.flatMap((row) =>
    row.cells
      .filter((cell) => cell.repeats === undefined)
      .map(({ column, text }) => ({ reference: formatCellReference({ row: row.number, column }), text, row })),
  );
}

/** Returns where the rows of a table stand in the sheet. */
function rowCellsOf(
  sheet: string,
  { columns }: Region,
  { header, body }: { readonly header: readonly Row[]; readonly body: readonly Row[] },
): RowCells {
  return {
    sheet,
    columns: [columns[0]!, columns.at(-1)!],
    ...(header.length === 0 ? {} : { headerRows: [header[0]!.number, header.at(-1)!.number] }),
    rows: body.map(({ number }) => number),
  };
}

function gridRow(row: Row, columnIndexes: ReadonlyMap<number, number>): string[] {
  const cells = new Array<string>(columnIndexes.size).fill("");
  // A label that spans three or more columns is added only once.
  const displayed = row.cells.length > 2 && isLabelRow(row) ? row.cells.slice(0, 1) : row.cells;
  for (const cell of displayed) cells[columnIndexes.get(cell.column)!] = cell.text;
  return cells;
}

/**
 * Counts the header rows. If rows are printed on each page, these are the header. Otherwise the first row is a header
 * if it has only text, and so is each further row of text below a row that has fewer or merged labels.
 */
function countHeaderRows(rows: readonly Row[], lastPrintedRow: number): number {
  if (lastPrintedRow > 0) return Math.min(MAX_HEADER_ROWS, rows.filter((row) => row.number <= lastPrintedRow).length);
  if (!isAllText(rows[0]!)) return 0;
  const maxCount = Math.min(MAX_HEADER_ROWS, rows.length - 1);
  let certainCount = 1;
  while (certainCount < maxCount && isAllText(rows[certainCount]!) && spansColumns(rows[certainCount - 1]!))
    certainCount++;
  let likelyCount = certainCount;
  while (
    likelyCount < maxCount &&
    isAllText(rows[likelyCount]!) &&
    cellCount(rows[likelyCount - 1]!) < cellCount(rows[likelyCount]!)
  )
    likelyCount++;
  // If the body begins with text too, only merged labels prove that a further row belongs to the header.
  return likelyCount < rows.length && isAllText(rows[likelyCount]!) ? certainCount : likelyCount;
}

/** Returns whether a label of a row is merged over several columns. */
function spansColumns({ cells }: Row): boolean {
  return cells.some((cell, i) => cell.repeats !== undefined && i > 0 && cells[i - 1]!.text === cell.text);
}

function cellCount({ cells }: Row): number {
  return cells.filter((cell) => cell.repeats === undefined).length;
}

function isAllText(row: Row): boolean {
  return row.cells.every((cell) => cell.isText);
}
