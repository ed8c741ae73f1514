import { findSpans } from "../../shared/tables/find-spans.js";
import type { TableCell } from "../page/table-cells.js";

/** A cell and the font of its text; `null` if it has none. */
export interface FormattedCell extends TableCell {
  readonly font: string | null;
}

/** As in HTML; more rows of names are rows of the table. */
export const MAX_HEADER_ROWS = 3;

/**
 * Counts the rows at the top that have the names of the columns: the first, and each row below a name of several columns
 * that divides it. Such a row has nothing else, or only what goes on from the row above; or its font is that of the names
 * and not that of the rows below, or it has words above numbers.
 */
export function countHeaderRows(grid: readonly (readonly FormattedCell[])[]): number {
  let count = 1;
  while (count < Math.min(MAX_HEADER_ROWS, grid.length - 1) && isHeaderRow(grid, count)) count++;
  return count;
}

function isHeaderRow(grid: readonly (readonly FormattedCell[])[], index: number): boolean {
  const [above, row, below] = [grid[index - 1]!, grid[index]!, grid[index + 1]!];
  const width = row.length;
  const spans = findSpans([above]).filter(({ columns }) => columns < width);
  const divided = new Set<number>();
  for (const { column, columns } of spans) {
    const names = row.slice(column, column + columns);
    if (above[column]!.text === "" || names.some(({ text }) => text === "") || new Set(names).size === 1) continue;
    if (names.includes(above[column]!)) continue;
    for (let i = column; i < column + columns; i++) divided.add(i);
  }
  if (divided.size === 0) return false;
  const others = [...row.keys()].filter((i) => !divided.has(i));
  if (others.length > 0 && others.every((i) => row[i]!.text === "" || row[i] === above[i])) return true;
  if (others.some((i) => above[i]!.text !== "" && row[i] !== above[i] && row[i]!.text !== "")) return false;
  const fonts = new Set(above.map(({ font }) => font));
  const isFormatted = row.every(({ font }) => font === null || fonts.has(font));
  if (isFormatted && below.every(({ font }) => font === null || !fonts.has(font))) return true;
  return row.every(({ text }) => !/\d/.test(text)) && below.some(({ text }) => /\d/.test(text));
}
