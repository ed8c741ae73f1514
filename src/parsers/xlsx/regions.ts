import type { Cell, Row } from "./read-sheet.js";

/** A group of rows, and its non-empty columns. */
export interface Region {
  readonly rows: readonly Row[];
  readonly columns: readonly number[];
}

/**
 * Finds the tables of a sheet. Blank rows separate them, unless the rows above are only the header of the rows below;
 * so do blank columns between separate tables, but not those that only add space within one.
 */
export function findRegions(rows: readonly Row[]): Region[] {
  return joinHeaders(bands(rows)).flatMap(adjacentRegions);
}

/** Runs of rows without a blank row or a shift to other columns between them. */
function bands(rows: readonly Row[]): Row[][] {
  const found: Row[][] = [];
  let left = 0;
  let right = 0;
  for (const row of rows) {
    const band = found.at(-1);
    const first = row.cells[0]!.column;
    const last = row.cells.at(-1)!.column;
    if (band === undefined || row.number > band.at(-1)!.number + 1 || first > right || last < left) {
      found.push([row]);
      left = first;
      right = last;
    } else {
      band.push(row);
      left = Math.min(left, first);
      right = Math.max(right, last);
    }
  }
  return found;
}

const MAX_HEADER_ROWS = 3;

/**
 * A blank row often separates the header of a report: rows of text only, above rows with numbers in the same columns.
 */
function joinHeaders(found: readonly Row[][]): Row[][] {
  const joined: Row[][] = [];
  for (const band of found) {
    const above = joined.at(-1);
    if (above !== undefined && isHeaderOf(above, band)) above.push(...band);
    else joined.push([...band]);
  }
  return joined;
}

function isHeaderOf(above: readonly Row[], below: readonly Row[]): boolean {
  if (below[0]!.number !== above.at(-1)!.number + 2 || above.length > MAX_HEADER_ROWS) return false;
  if (!above.every((row) => row.cells.every((cell) => cell.isText))) return false;
  const labels = new Set(columnsOf(above));
  const [first] = below;
  return (
    above.at(-1)!.cells.length > 1 &&
    first!.cells.some((cell) => !cell.isText) &&
    first!.cells.every((cell) => cell.isText || labels.has(cell.column))
  );
}

/** Sheets have two or three tables side by side; each gap costs a pass over all rows. */
const MAX_GAPS = 32;

function adjacentRegions(rows: readonly Row[]): Region[] {
  const columns = columnsOf(rows);
  const gaps = columns.filter((column, i) => i > 0 && column > columns[i - 1]! + 1).length;
  if (gaps > MAX_GAPS) return [{ rows, columns }];
  for (let i = 1; i < columns.length; i++) {
    const gap = columns[i]! - columns[i - 1]! - 1;
    if (gap === 0) continue;
    const left = selectCells(rows, (cell) => cell.column < columns[i]!);
    const right = selectCells(rows, (cell) => cell.column >= columns[i]!);
    if (isSeparateTable(left, right, gap)) return [{ rows: left, columns: columns.slice(0, i) }, ...findRegions(right)];
  }
  return [{ rows, columns }];
}

/** Whether the cells right of a gap are a separate table rather than further columns of the one on the left. */
function isSeparateTable(left: readonly Row[], right: readonly Row[], gap: number): boolean {
  const top = Math.max(left[0]!.number, right[0]!.number);
  const bottom = Math.min(left.at(-1)!.number, right.at(-1)!.number);
  if (bottom - top + 1 < Math.min(left.length, right.length) / 2) return true;
  const width = columnsOf(right).length;
  const [header, ...body] = right;
  if (width < 2 || body.length === 0 || header!.cells.length < width || !header!.cells.every((cell) => cell.isText))
    return false;
  const first = header!.cells[0]!.column;
  const labelled = body.filter((row) => row.cells[0]!.column === first && isLabel(row.cells[0]!)).length;
  return gap > 1 || labelled > body.length / 2;
}

/** A dash for an empty value is text, but not a label. */
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
