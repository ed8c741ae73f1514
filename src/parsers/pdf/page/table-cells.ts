import { isRightToLeft } from "./text-direction.js";

/** A cell of a table; the same object in each row and column that it spans. */
export interface TableCell {
  readonly text: string;
}

export type TableGrid = readonly (readonly TableCell[])[];

/** Returns a grid without merged cells. */
export function gridOfTexts(rows: readonly (readonly string[])[]): TableCell[][] {
  return rows.map((row) => row.map((text) => ({ text })));
}

export function textsOfGrid(grid: TableGrid): string[][] {
  return grid.map((row) => row.map(({ text }) => text));
}

/** Returns the text of each cell, once if the cell is merged. */
export function cellTexts(grid: TableGrid): string[] {
  return [...new Set(grid.flat())].map(({ text }) => text);
}

/** Merges neighbouring columns of which no row has two cells with text: they are one column whose cells are aligned differently. */
export function mergeColumns<Cell extends TableCell>(grid: readonly (readonly Cell[])[]): Cell[][] {
  const merged = grid.map((row) => row.slice(0, 1));
  for (let column = 1; column < (grid[0]?.length ?? 0); column++) {
    const areApart = merged.some((row, i) => {
      const [left, right] = [row.at(-1)!, grid[i]![column]!];
      return left !== right && left.text !== "" && right.text !== "";
    });
    for (const [i, row] of merged.entries()) {
      const cell = grid[i]![column]!;
      if (areApart) row.push(cell);
      else if (row.at(-1)!.text === "") row[row.length - 1] = cell;
    }
  }
  return merged;
}

/** Returns rows whose first column is the one that is read first. */
export function inReadingDirection<Cell extends TableCell>(
  grid: readonly (readonly Cell[])[],
): readonly (readonly Cell[])[] {
  return isRightToLeft(textsOfGrid(grid).flat()) ? grid.map((row) => row.toReversed()) : grid;
}
