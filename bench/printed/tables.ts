import type { TableSpan } from "../../src/parse.js";
import { findSpans } from "../../src/parsers/shared/tables/find-spans.js";
import { joinHeaderRows } from "../../src/parsers/shared/tables/join-header-rows.js";
import { pipeTable } from "../../src/parsers/shared/tables/pipe-table.js";

/** A cell, which stands in the first row and column that it spans; the other rows and columns have no cell there. */
export interface PrintedCell {
  readonly text: string;
  readonly rows: number;
  readonly columns: number;
}

export interface PrintedTable {
  readonly kind: "table";
  readonly caption: string | null;
  readonly headerRows: readonly (readonly PrintedCell[])[];
  /** Rows with a merged cell between them are in one group, which is not divided between pages. */
  readonly groups: readonly (readonly (readonly PrintedCell[])[])[];
}

const COLUMN_COUNT = 4;

/** Returns a row of cells none of which is merged. */
export function plainRow(texts: readonly string[]): PrintedCell[] {
  return texts.map((text) => ({ text, rows: 1, columns: 1 }));
}

export function hasMergedCells({ headerRows, groups }: PrintedTable): boolean {
  return headerRows.length > 1 || groups.some((rows) => rows.length > 1);
}

/** A place of a table's grid: the cell there, and whether the cell begins in this row and column. */
export interface GridPlace {
  readonly cell: PrintedCell;
  readonly isFirstRow: boolean;
  readonly isFirstColumn: boolean;
}

/** Returns the grid of rows, with each cell in every row and column that it spans. */
export function gridOf(rows: readonly (readonly PrintedCell[])[]): GridPlace[][] {
  const grid: GridPlace[][] = rows.map(() => []);
  for (const [y, cells] of rows.entries()) {
    let x = 0;
    for (const cell of cells) {
      while (grid[y]![x] !== undefined) x++;
      for (let row = y; row < y + cell.rows; row++)
        for (let column = x; column < x + cell.columns; column++)
          grid[row]![column] = { cell, isFirstRow: row === y, isFirstColumn: column === x };
    }
  }
  return grid;
}

export function toPipeTable({ headerRows, groups }: PrintedTable): string {
  const textsOf = (rows: readonly (readonly PrintedCell[])[]) =>
    gridOf(rows).map((row) => row.map(({ cell }) => cell.text));
  return pipeTable(joinHeaderRows(textsOf(headerRows), COLUMN_COUNT), textsOf(groups.flat()));
}

export function mergedCells({ headerRows, groups }: PrintedTable): readonly (TableSpan & { readonly text: string })[] {
  const grid = gridOf([...headerRows, ...groups.flat()]).map((row) => row.map(({ cell }) => cell));
  return findSpans(grid).map((span) => ({ ...span, text: grid[span.row]![span.column]!.text }));
}
