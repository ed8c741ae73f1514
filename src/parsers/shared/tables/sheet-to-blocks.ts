import type { CellValue } from "../../../interfaces/block.js";
import type { BlockList } from "../blocks/block-list.js";
import { findSpans } from "./find-spans.js";

/** A cell with text. A merged cell is the same object in each row and column that it spans. */
export interface SheetCell {
  readonly text: string;
  /** The value if the cell is displayed in another form; otherwise `null`. */
  readonly value: CellValue;
}

type Cells = readonly (SheetCell | undefined)[];

/** A row of a sheet. */
export interface SheetRow {
  /** From 1. */
  readonly number: number;
  readonly cells: Cells;
}

/**
 * Adds a sheet: its name as a heading, then its cells. Blank rows separate tables with different columns; blank rows
 * between rows of the same columns are dropped. Rows with one cell above a table become its captions.
 *
 * @param rows The rows of the sheet; a blank row has no cells with text.
 */
export function sheetToBlocks(list: BlockList, name: string, rows: readonly SheetRow[], page: number): void {
  if (!rows.some(hasText)) return;
  if (name.trim() !== "") list.heading(1, name, { page });
  const place = { page, name };
  let table: SheetRow[] = [];
  let tableSpan: readonly [number, number] | null = null;
  const flush = (): void => {
    if (table.length > 0 && tableSpan !== null) addRegion(list, table, tableSpan, place);
    table = [];
    tableSpan = null;
  };
  for (const region of regionsOf(rows)) {
    const span = columnSpanOf(region);
    const [left, right] = span;
    const isSameTable = tableSpan !== null && left === tableSpan[0] && right === tableSpan[1] && right > left;
    if (!isSameTable) flush();
    for (const row of region) table.push(row);
    tableSpan = span;
  }
  flush();
}

/** Yields the runs of rows between blank rows. */
function* regionsOf(rows: readonly SheetRow[]): Generator<readonly SheetRow[]> {
  let region: SheetRow[] = [];
  for (const row of rows) {
    if (hasText(row)) region.push(row);
    else if (region.length > 0) {
      yield region;
      region = [];
    }
  }
  if (region.length > 0) yield region;
}

/** The maximum number of rows with one text each that are paragraphs. More rows are a table of one column. */
const MAX_TEXT_ROWS = 3;

function addRegion(
  list: BlockList,
  rows: readonly SheetRow[],
  [left, right]: readonly [number, number],
  { page, name }: { readonly page: number; readonly name: string },
) {
  let tableStart = 0;
  // A title merged across the table's columns has the same text in each column.
  while (tableStart < rows.length && textsOf(rows[tableStart]!.cells.filter(isFilled)).size === 1) tableStart++;
  if (tableStart === rows.length && rows.length > MAX_TEXT_ROWS) tableStart = 0;
  const titleKind = tableStart === rows.length ? "paragraph" : "caption";
  for (const { cells } of rows.slice(0, tableStart)) list.add(titleKind, cells.find(isFilled)?.text ?? "", { page });
  const grid = rows.slice(tableStart).map(({ cells }) => cells.slice(left, cells.findLastIndex(isFilled) + 1));
  const [header, ...body] = grid.map((row) => Array.from(row, (cell) => cell?.text ?? ""));
  if (header === undefined) return;
  const values = grid.slice(1).map(valuesOf);
  const [headerRow, ...bodyRows] = rows.slice(tableStart).map(({ number }) => number);
  list.table(header, body, {
    page,
    table: { ...(name.trim() === "" ? {} : { name }), spans: findSpans(grid), values },
    rowCells: { sheet: name, columns: [left + 1, right + 1], headerRows: [headerRow!, headerRow!], rows: bodyRows },
  });
}

function textsOf(cells: readonly SheetCell[]): ReadonlySet<string> {
  return new Set(cells.map(({ text }) => text));
}

function valuesOf(row: Cells): readonly CellValue[] {
  const end = row.findLastIndex((cell) => cell !== undefined && cell.value !== null) + 1;
  return Array.from(row.slice(0, end), (cell) => cell?.value ?? null);
}

/** Returns the indexes of the first and the last column with text. */
function columnSpanOf(rows: readonly SheetRow[]): readonly [number, number] {
  let left = Number.POSITIVE_INFINITY;
  let right = 0;
  for (const { cells } of rows) {
    left = Math.min(left, cells.findIndex(isFilled));
    right = Math.max(right, cells.findLastIndex(isFilled));
  }
  return [left, right];
}

function hasText({ cells }: SheetRow): boolean {
  return cells.some(isFilled);
}

function isFilled(cell: SheetCell | undefined): cell is SheetCell {
  return cell !== undefined && cell.text !== "";
}
