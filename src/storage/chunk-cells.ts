import type { DraftCells } from "../interfaces/chunker.js";
import type { SheetRange, TextRange } from "../types.js";
import { lineAt } from "../util/line-starts.js";
import { toLetters } from "../util/to-letters.js";

/** Returns the cells of a whole chunk; ranges below one another, or of the same rows, are joined. */
export function sheetRanges(cells: readonly Omit<DraftCells, "range">[]): readonly SheetRange[] {
  const joined: Omit<DraftCells, "range">[] = [];
  for (const { sheet, columns, rows } of cells) {
    const last = joined.at(-1);
    const continues =
      last?.sheet === sheet &&
      last.columns[0] === columns[0] &&
      last.columns[1] === columns[1] &&
      last.rows[0] <= rows[0] &&
      rows[0] <= last.rows[1] + 1;
    // The rows of a sparse table are several lines each, so two runs may have a row in common.
    if (continues)
      joined[joined.length - 1] = { sheet, columns, rows: [last.rows[0], Math.max(last.rows[1], rows[1])] };
    else joined.push({ sheet, columns, rows });
  }
  return joined.map(({ sheet, columns, rows }) => {
    const first = cellReference(columns[0], rows[0]);
    const last = cellReference(columns[1], rows[1]);
    return { sheet, range: first === last ? first : `${first}:${last}` };
  });
}

function cellReference(column: number, row: number): string {
  return `${toLetters(column).toUpperCase()}${row}`;
}

/** Returns the cells that a range of a chunk's text comes from. `starts` has the offset at which each line begins. */
export function sheetRangesWithin(
  cells: readonly DraftCells[],
  starts: readonly number[],
  { start, end }: TextRange,
): readonly SheetRange[] {
  const overlapping = cells.filter(({ range }) => range.start < end && range.end > start);
  return sheetRanges(
    overlapping.map(({ sheet, columns, rows, range, isMerged = false }) => {
      const [first, last] = rows;
      const firstLine = lineAt(starts, range.start);
      // Otherwise several rows of the sheet are one line: those of a header.
      const isRowPerLine = !isMerged && lineAt(starts, range.end - 1) - firstLine === last - first;
      if (!isRowPerLine) return { sheet, columns, rows };
      const rowAt = (offset: number) => first + lineAt(starts, offset) - firstLine;
      return {
        sheet,
        columns,
        rows: [rowAt(Math.max(start, range.start)), rowAt(Math.min(end, range.end) - 1)],
      };
    }),
  );
}
