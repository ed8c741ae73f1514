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

/** Merges neighbouring columns of which no row has two texts: they are one column whose cells are aligned differently. */
export function mergeColumns<Cell extends TableCell>(grid: readonly (readonly Cell[])[]): Cell[][] {
  let merged = grid.map((row) => [...row]);
  for (let column = 0; column + 1 < (merged[0]?.length ?? 0); ) {
    const areApart = merged.some(([...row]) => {
      const [left, right] = [row[column]!.text, row[column + 1]!.text];
      return left !== "" && right !== "" && left !== right;
    });
    if (areApart) column++;
    else
      merged = merged.map((row) => [
        ...row.slice(0, column),
        row[column]!.text === "" ? row[column + 1]! : row[column]!,
        ...row.slice(column + 2),
      ]);
  }
  return merged;
}

/** Returns rows whose first column is the one that is read first. */
export function inReadingDirection<Cell extends TableCell>(
  grid: readonly (readonly Cell[])[],
): readonly (readonly Cell[])[] {
  return isRightToLeft(textsOfGrid(grid).flat()) ? grid.map((row) => row.toReversed()) : grid;
}
