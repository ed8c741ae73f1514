import { MAX_SHEET_COLUMN, MAX_SHEET_ROW } from "../../domain/cell-limits.js";
import { toLetters } from "../../util/to-letters.js";

/** The position of a cell. Rows and columns count from 1. */
export interface CellPosition {
  readonly row: number;
  readonly column: number;
}

/** A rectangle of cells, including the row `bottom` and the column `right`. */
export interface CellRange {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Parses a cell reference such as `BC12`. Returns `null` if it is invalid or outside the limits. */
export function parseCellReference(reference: string): CellPosition | null {
  const match = /^\$?([A-Za-z]{1,3})\$?(\d{1,7})$/.exec(reference);
  if (match === null) return null;
  let column = 0;
  for (const letter of match[1]!.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  const row = Number(match[2]);
  return row >= 1 && row <= MAX_SHEET_ROW && column <= MAX_SHEET_COLUMN ? { row, column } : null;
}

/** Parses a reference such as `A1:C3` or `A1`. Returns `null` if it is invalid or outside the limits. */
export function parseCellRange(reference: string): CellRange | null {
  const [from = "", to = from] = reference.split(":");
  const start = parseCellReference(from);
  const end = parseCellReference(to);
  if (start === null || end === null) return null;
  return {
    top: Math.min(start.row, end.row),
    left: Math.min(start.column, end.column),
    bottom: Math.max(start.row, end.row),
    right: Math.max(start.column, end.column),
  };
}

/** Formats a cell position as a reference such as `BC12`. */
export function formatCellReference({ row, column }: CellPosition): string {
  return `${toLetters(column).toUpperCase()}${row}`;
}
