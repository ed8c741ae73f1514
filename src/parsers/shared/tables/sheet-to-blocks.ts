import type { CellValue } from "../../../interfaces/block.js";
import type { BlockList } from "../blocks/block-list.js";
import { findSpans } from "./find-spans.js";

/** A cell with text. A merged cell is the same object in each row and column that it spans. */
export interface SheetCell {
  readonly text: string;
  /** The value if the cell is displayed in another form; otherwise `null`. */
  readonly value: CellValue;
}

type Row = readonly (SheetCell | undefined)[];

/**
 * Adds a sheet: its name as a heading, then its cells. Blank rows separate tables with different columns; blank rows
 * between rows of the same columns are dropped. Rows with one cell above a table become its captions.
 *
 * @param rows The rows of the sheet; a blank row has no cells with text.
 */
export function sheetToBlocks(list: BlockList, name: string, rows: readonly Row[], page: number): void {
  if (!rows.some(hasText)) return;
  if (name.trim() !== "") list.heading(1, name, { page });
  const place = { page, name };
  let table: Row[] = [];
  let tableSpan: readonly [number, number] | null = null;
  const flush = (): void => {
    if (table.length > 0 && tableSpan !== null) addRegion(list, table, tableSpan[0], place);
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
function* regionsOf(rows: readonly Row[]): Generator<readonly Row[]> {
  let region: Row[] = [];
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
  rows: readonly Row[],
  left: number,
  { page, name }: { readonly page: number; readonly name: string },
) {
  let tableStart = 0;
  // A title merged across the table's columns has the same text in each column.
  while (tableStart < rows.length && textsOf(rows[tableStart]!.filter(isFilled)).size === 1) tableStart++;
  if (tableStart === rows.length && rows.length > MAX_TEXT_ROWS) tableStart = 0;
  const titleKind = tableStart === rows.length ? "paragraph" : "caption";
  for (const row of rows.slice(0, tableStart)) list.add(titleKind, row.find(isFilled)?.text ?? "", { page });
  const grid = rows.slice(tableStart).map((row) => row.slice(left, row.findLastIndex(isFilled) + 1));
  const [header, ...body] = grid.map((row) => Array.from(row, (cell) => cell?.text ?? ""));
  if (header === undefined) return;
  const values = grid.slice(1).map(valuesOf);
  list.table(header, body, {
    page,
    table: { ...(name.trim() === "" ? {} : { name }), spans: findSpans(grid), values },
  });
}

function textsOf(cells: readonly SheetCell[]): ReadonlySet<string> {
  return new Set(cells.map(({ text }) => text));
}

function valuesOf(row: Row): readonly CellValue[] {
  const end = row.findLastIndex((cell) => cell !== undefined && cell.value !== null) + 1;
  return Array.from(row.slice(0, end), (cell) => cell?.value ?? null);
}

/** Returns the indexes of the first and the last column with text. */
function columnSpanOf(rows: readonly Row[]): readonly [number, number] {
  let left = Number.POSITIVE_INFINITY;
  let right = 0;
  for (const row of rows) {
    left = Math.min(left, row.findIndex(isFilled));
    right = Math.max(right, row.findLastIndex(isFilled));
  }
  return [left, right];
}

function hasText(row: Row): boolean {
  return row.some(isFilled);
}

function isFilled(cell: SheetCell | undefined): cell is SheetCell {
  return cell !== undefined && cell.text !== "";
}
