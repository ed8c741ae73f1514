import { groupBy } from "../../../util/group-by.js";
import { boxAround } from "../page/frame.js";
import type { PageTags, TaggedCell } from "../page/page-tags.js";
import type { Run } from "../page/runs.js";
import { segmentsOf } from "../page/segments.js";
import type { TableCell } from "../page/table-cells.js";
import { joinLines } from "../text/join-lines.js";
import type { DetectedTable } from "./ruled-tables.js";
import { MAX_HEADER_ROWS } from "./table-header.js";

interface PlacedCell extends TableCell, Pick<TaggedCell, "isHeader" | "rows" | "columns"> {
  readonly runs: readonly Run[];
}

/** The characters that spanning cells of a table may repeat; a cell counts as a few, even if it is empty. */
const MAX_REPEATED_CHARACTERS = 500_000;
const MIN_CELL_CHARACTERS = 16;

/** Builds the tables of a page from its structure tags. */
export function taggedTables(tables: PageTags["tables"], runs: readonly Run[]): DetectedTable[] {
  if (tables.length === 0) return [];
  const byContent = groupBy(runs, ({ contentId }) => contentId);
  return tables.flatMap((table) => {
    const rows = table.map((row) =>
      row.map(({ contentIds, ...cell }): PlacedCell => {
        const own = contentIds.flatMap((id) => byContent.get(id) ?? []);
        return { ...cell, runs: own, text: joinLines(segmentsOf(own).map((segment) => segment.text)) };
      }),
    );
    const grid = gridOf(rows);
    const filled = [...rows.keys()].filter((i) => rows[i]!.some(({ text }) => text !== ""));
    if (filled.length < 2) return [];
    const extents = filled.map((i) => {
      const cells = rows[i]!.filter(({ text }) => text !== "");
      const own = cells.filter((cell) => cell.rows === 1);
      const [, top, , bottom] = boxAround((own.length > 0 ? own : cells).flatMap(({ runs }) => runs));
      return { top, bottom };
    });
    const tableRuns = rows.flat().flatMap(({ runs }) => runs);
    return [
      {
        rows: filled.map((i) => grid[i]!),
        headerRowCount: countHeaderRows(filled.map((i) => rows[i]!)),
        extents,
        box: boxAround(tableRuns),
        runs: new Set(tableRuns),
      },
    ];
  });
}

/** Places cells in each row and column that they span; a cell that would be repeated too often, only in its first. */
function gridOf(rows: readonly (readonly PlacedCell[])[]): TableCell[][] {
  const grid: TableCell[][] = rows.map(() => []);
  let remainingCharacters = MAX_REPEATED_CHARACTERS;
  for (const [y, cells] of rows.entries()) {
    let x = 0;
    for (const cell of cells) {
      while (grid[y]![x] !== undefined) x++;
      let [height, width] = [Math.min(cell.rows, rows.length - y), cell.columns];
      const repeated = (height * width - 1) * Math.max(MIN_CELL_CHARACTERS, cell.text.length);
      if (repeated > remainingCharacters) [height, width] = [1, 1];
      else remainingCharacters -= repeated;
      for (let row = y; row < y + height; row++)
        for (let column = x; column < x + width; column++) grid[row]![column] ??= cell;
      x += width;
    }
  }
  // A cell of the rows above may be to the right of a row's last cell.
  return grid.map((row) => Array.from(row, (cell) => cell ?? { text: "" }));
}

/** As in HTML, a further row of header cells counts if a cell of the row above spans several rows or columns. */
function countHeaderRows(rows: readonly (readonly PlacedCell[])[]): number {
  const isHeader = (row: readonly PlacedCell[]): boolean => row.every((cell) => cell.isHeader);
  let count = 1;
  while (
    count < Math.min(MAX_HEADER_ROWS, rows.length - 1) &&
    isHeader(rows[count]!) &&
    isHeader(rows[count - 1]!) &&
    rows[count - 1]!.some((cell) => cell.rows > 1 || cell.columns > 1)
  )
    count++;
  return count;
}
