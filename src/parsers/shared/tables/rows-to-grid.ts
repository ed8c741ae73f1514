/** A row of a table and its layout. */
export interface TableRow {
  readonly cells: readonly string[];
  /** Right edges of the cells, in twentieths of a point; fewer than the cells if the file doesn't give them all. */
  readonly edges: readonly number[];
  /** For each cell, whether it is merged with the cell to its left or above; `null` if not merged. */
  readonly merges: readonly ("left" | "above" | null)[];
  readonly isHeader: boolean;
}

/** Edges closer than this are the same, in twentieths of a point. */
const EDGE_TOLERANCE = 60;
/** Maximum number of characters repeated for wide cells in one table. */
const MAX_REPEATED_CHARACTERS = 5_000_000;

/** Aligns rows to a grid. If rows have different columns, a wide cell is repeated in each column that it spans. */
export function rowsToGrid(rows: readonly TableRow[]): string[][] {
  const edges = columnEdges(rows);
  const grid: string[][] = [];
  let remainingCharacters = MAX_REPEATED_CHARACTERS;
  for (const row of rows) {
    const cells: string[] = [];
    for (const [index, cell] of row.cells.entries()) {
      const merge = row.merges[index] ?? null;
      const column = cells.length;
      const text =
        merge === "left" && column > 0 ? cells[column - 1]! : merge === "above" ? textAbove(grid, column, cell) : cell;
      const span = edges === null ? 1 : Math.max(1, countColumnsUpTo(edges, row.edges[index]!) - column);
      remainingCharacters -= (span - 1) * text.length;
      for (let i = 0; i < span; i++) cells.push(i === 0 || remainingCharacters > 0 ? text : "");
    }
    grid.push(cells);
  }
  return grid;
}

function textAbove(grid: readonly string[][], column: number, cell: string): string {
  return cell === "" ? (grid.at(-1)?.[column] ?? "") : cell;
}

/** Returns the right edges of all columns; `null` if all rows have equally many cells, or edges are unusable. */
function columnEdges(rows: readonly TableRow[]): readonly number[] | null {
  const width = rows[0]?.cells.length ?? 0;
  if (rows.every((row) => row.cells.length === width)) return null;
  if (rows.some(({ cells, edges }) => edges.length < cells.length || !isAscending(edges))) return null;
  const all = [...new Set(rows.flatMap((row) => row.edges.slice(0, row.cells.length)))].sort((a, b) => a - b);
  const distinct: number[] = [];
  for (const edge of all) if (distinct.length === 0 || edge - distinct.at(-1)! > EDGE_TOLERANCE) distinct.push(edge);
  return distinct.length > 200 ? null : distinct;
}

function isAscending(edges: readonly number[]): boolean {
  return edges.every((edge, index) => index === 0 || edge > edges[index - 1]!);
}

/** Returns the number of columns that end at or left of an edge. */
function countColumnsUpTo(columnEdges: readonly number[], edge: number): number {
  return columnEdges.filter((columnEdge) => columnEdge <= edge).length;
}
