import { getOrCreate } from "../../util/get-or-create.js";
import type { CellRange } from "./cell-reference.js";
import type { Cell, Row, Sheet } from "./read-sheet.js";

/**
 * The maximum number of repeated cells. Merged ranges can cover billions of cells, and more repetition doesn't make a
 * table more readable.
 */
const MAX_REPEATED_CELLS = 200_000;

/**
 * Repeats the value of each merged range in all its cells within the used range.
 *
 * @returns Whether ranges were skipped because of the limit: they have their value only in the first cell.
 */
export function repeatMergedCells(sheet: Sheet): boolean {
  if (sheet.merges.length === 0 || sheet.rows.length === 0) return false;
  const rows = new Map(sheet.rows.map((row) => [row.number, row]));
  const bounds = usedRange(sheet.rows);
  let remainingCount = MAX_REPEATED_CELLS;
  let hasSkippedMerges = false;
  for (const merge of sheet.merges) {
    const source = rows.get(merge.top)?.cells.find((cell) => cell.column === merge.left);
    if (source === undefined) continue;
    const bottom = Math.min(merge.bottom, bounds.bottom);
    const right = Math.min(merge.right, bounds.right);
    const repeatedCount = (bottom - merge.top + 1) * (right - merge.left + 1) - 1;
    if (repeatedCount > remainingCount) {
      hasSkippedMerges = true;
      continue;
    }
    remainingCount -= repeatedCount;
    for (let number = merge.top; number <= bottom; number++)
      repeatInRow(
        getOrCreate(rows, number, () => ({ number, cells: [] })),
        source,
        merge.left,
        right,
      );
  }
  sheet.rows = [...rows.values()].filter((row) => row.cells.length > 0).sort((a, b) => a.number - b.number);
  for (const row of sheet.rows) row.cells.sort((a, b) => a.column - b.column);
  return hasSkippedMerges;
}

function repeatInRow(row: Row, source: Cell, left: number, right: number): void {
  const taken = new Set(row.cells.map((cell) => cell.column));
  for (let column = left; column <= right; column++) {
    if (!taken.has(column)) row.cells.push({ ...source, column, repeats: source });
  }
}

/** Returns the smallest range that contains all filled cells. */
function usedRange(rows: readonly Row[]): CellRange {
  let left = Number.POSITIVE_INFINITY;
  let right = 0;
  for (const { cells } of rows) {
    for (const { column } of cells) {
      left = Math.min(left, column);
      right = Math.max(right, column);
    }
  }
  return { top: rows[0]!.number, left, bottom: rows.at(-1)!.number, right };
}
