import type { TableSpan } from "../../../interfaces/block.js";

/**
 * Finds the merged cells of a grid, in which a merged cell is the same object in each row and column that it spans.
 *
 * @param grid The header rows and the rows of a table.
 */
export function findSpans(grid: readonly (readonly (object | undefined)[])[]): TableSpan[] {
  const spans: TableSpan[] = [];
  for (const [row, cells] of grid.entries()) {
    for (const [column, cell] of cells.entries()) {
      if (cell === undefined || cells[column - 1] === cell || grid[row - 1]?.[column] === cell) continue;
      let [right, bottom] = [column + 1, row + 1];
      while (cells[right] === cell) right++;
      while (grid[bottom]?.[column] === cell) bottom++;
      if (right > column + 1 || bottom > row + 1)
        spans.push({ row, column, rows: bottom - row, columns: right - column });
    }
  }
  return spans;
}
