import type { BlockList } from "../blocks/block-list.js";

type Row = readonly string[];

/**
 * Adds a sheet: its name as a heading, then its cells. Blank rows separate tables with different columns; blank rows
 * between rows of the same columns are dropped. Rows with one cell above a table become paragraphs.
 *
 * @param rows The rows of the sheet; a blank row has no cells with text.
 */
export function sheetToBlocks(list: BlockList, name: string, rows: readonly Row[], page: number): void {
  if (!rows.some(hasText)) return;
  if (name.trim() !== "") list.heading(1, name, { page });
  let table: Row[] = [];
  let span: readonly [number, number] | null = null;
  const flush = (): void => {
    if (table.length > 0 && span !== null) addRegion(list, table, span[0], page);
    table = [];
    span = null;
  };
  for (const region of regionsOf(rows)) {
    const columns = columnSpanOf(region);
    const [left, right] = columns;
    const isSameTable = span !== null && left === span[0] && right === span[1] && right > left;
    if (!isSameTable) flush();
    for (const row of region) table.push(row);
    span = columns;
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

/** A single column of up to this many rows is text; a longer column is data. */
const MAX_TEXT_ROWS = 3;

function addRegion(list: BlockList, rows: readonly Row[], left: number, page: number) {
  let first = 0;
  // A title merged across the table's columns has the same text in each column.
  while (first < rows.length && new Set(rows[first]!.filter(isFilled)).size === 1) first++;
  if (first === rows.length && rows.length > MAX_TEXT_ROWS) first = 0;
  for (const row of rows.slice(0, first)) list.add("paragraph", row.find(isFilled) ?? "", { page });
  const [header, ...body] = rows.slice(first).map((row) => row.slice(left, row.findLastIndex(isFilled) + 1));
  if (header !== undefined) list.table(header, body, { page });
}

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

function isFilled(cell: string): boolean {
  return cell !== "";
}
