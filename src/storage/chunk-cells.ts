import type { DraftCells } from "../interfaces/chunker.js";
import type { SheetRange, TextRange } from "../types.js";
import { toLetters } from "../util/to-letters.js";

/** Returns the cells of a whole chunk; ranges below one another are joined. */
export function sheetRanges(cells: readonly Omit<DraftCells, "range">[]): readonly SheetRange[] {
  const joined: Omit<DraftCells, "range">[] = [];
  for (const { sheet, columns, rows } of cells) {
    const last = joined.at(-1);
    const continues =
      last?.sheet === sheet &&
      last.columns[0] === columns[0] &&
      last.columns[1] === columns[1] &&
      last.rows[1] + 1 === rows[0];
    if (continues) joined[joined.length - 1] = { sheet, columns, rows: [last.rows[0], rows[1]] };
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

/** Returns the cells that a range of a chunk's text comes from. */
export function sheetRangesWithin(
  cells: readonly DraftCells[],
  text: string,
  { start, end }: TextRange,
): readonly SheetRange[] {
  const overlapping = cells.filter(({ range }) => range.start < end && range.end > start);
  return sheetRanges(
    overlapping.map(({ sheet, columns, rows, range }) => {
      const [first, last] = rows;
      // Otherwise several rows of the sheet are one line: those of a header.
      const isRowPerLine = lineBreaks(text, range.start, range.end) === last - first;
      if (!isRowPerLine) return { sheet, columns, rows };
      const firstWithin = first + lineBreaks(text, range.start, start);
      const lastWithin = first + lineBreaks(text, range.start, Math.min(end, range.end));
      return { sheet, columns, rows: [firstWithin, lastWithin] };
    }),
  );
}

/** Counts the line breaks in a range of a text. */
function lineBreaks(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", start); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
