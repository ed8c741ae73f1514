import type { Cell, Row } from "./read-sheet.js";

/** A rectangular part of a sheet: its rows, and the columns that are not empty. */
export interface Region {
  readonly rows: readonly Row[];
  readonly columns: readonly number[];
}

/**
 * Finds the tables of a sheet. A blank row ends a table, unless the rows above it are only the header of the rows
 * below. A blank column ends a table, unless it only adds space within the table.
 */
export function findRegions(rows: readonly Row[]): Region[] {
  return joinHeaders(splitIntoBands(rows)).flatMap(splitAtGaps);
}

/** Splits rows into bands: a blank row or a shift to other columns begins a new band. */
function splitIntoBands(rows: readonly Row[]): Row[][] {
  const bands: Row[][] = [];
  let left = 0;
  let right = 0;
  for (const row of rows) {
    const band = bands.at(-1);
    const first = row.cells[0]!.column;
    const last = row.cells.at(-1)!.column;
    if (band === undefined || row.number > band.at(-1)!.number + 1 || first > right || last < left) {
      bands.push([row]);
      left = first;
      right = last;
    } else {
      band.push(row);
      left = Math.min(left, first);
      right = Math.max(right, last);
    }
  }
  return bands;
}

const MAX_HEADER_ROWS = 3;

/**
 * Joins bands that are headers to the bands below. In reports, a blank row often separates a header (rows of text) from
 * rows with numbers in the same columns.
 */
function joinHeaders(bands: readonly Row[][]): Row[][] {
  const joined: Row[][] = [];
  for (const band of bands) {
    const above = joined.at(-1);
    if (above !== undefined && isHeaderOf(above, band)) above.push(...band);
    else joined.push([...band]);
  }
  return joined;
}

function isHeaderOf(above: readonly Row[], below: readonly Row[]): boolean {
  if (below[0]!.number !== above.at(-1)!.number + 2 || above.length > MAX_HEADER_ROWS) return false;
  if (!above.every((row) => row.cells.every((cell) => cell.isText))) return false;
  const labelledColumns = new Set(columnsOf(above));
  const [first] = below;
  return (
    above.at(-1)!.cells.length > 1 &&
    first!.cells.some((cell) => !cell.isText) &&
    first!.cells.every((cell) => cell.isText || labelledColumns.has(cell.column))
  );
}

/**
 * The maximum number of gaps between columns at which to look for separate tables. Each gap costs a pass over all rows,
 * and sheets rarely have more than three tables side by side.
 */
const MAX_GAPS = 32;

function splitAtGaps(rows: readonly Row[]): Region[] {
  const columns = columnsOf(rows);
  const gapCount = columns.filter((column, i) => i > 0 && column > columns[i - 1]! + 1).length;
  if (gapCount > MAX_GAPS) return [{ rows, columns }];
  for (let i = 1; i < columns.length; i++) {
    const gapWidth = columns[i]! - columns[i - 1]! - 1;
    if (gapWidth === 0) continue;
    const left = selectCells(rows, (cell) => cell.column < columns[i]!);
    const right = selectCells(rows, (cell) => cell.column >= columns[i]!);
    if (isSeparateTable(left, right, gapWidth))
      return [{ rows: left, columns: columns.slice(0, i) }, ...findRegions(right)];
  }
  return [{ rows, columns }];
}

/**
 * Returns whether the cells right of a gap are a separate table rather than further columns of the table on the left.
 */
function isSeparateTable(left: readonly Row[], right: readonly Row[], gapWidth: number): boolean {
  const top = Math.max(left[0]!.number, right[0]!.number);
  const bottom = Math.min(left.at(-1)!.number, right.at(-1)!.number);
  if (bottom - top + 1 < Math.min(left.length, right.length) / 2) return true;
  const width = columnsOf(right).length;
  const [header, ...body] = right;
  if (width < 2 || body.length === 0 || header!.cells.length < width || !header!.cells.every((cell) => cell.isText))
    return false;
  const first = header!.cells[0]!.column;
  const labelledCount = body.filter((row) => row.cells[0]!.column === first && isLabel(row.cells[0]!)).length;
  return gapWidth > 1 || labelledCount > body.length / 2;
}

/** Returns whether a cell contains a label: text with a letter. A dash for an empty value is not a label. */
function isLabel(cell: Cell): boolean {
  return cell.isText && /\p{L}/u.test(cell.text);
}

function selectCells(rows: readonly Row[], isWithin: (cell: Cell) => boolean): Row[] {
  return rows
    .map((row) => ({ number: row.number, cells: row.cells.filter(isWithin) }))
    .filter((row) => row.cells.length > 0);
}

function columnsOf(rows: readonly Row[]): number[] {
  const columns = new Set<number>();
  for (const { cells } of rows) for (const { column } of cells) columns.add(column);
  return [...columns].sort((a, b) => a - b);
}
