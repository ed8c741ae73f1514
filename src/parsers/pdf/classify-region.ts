import type { Line } from "./lines.js";
import { lineOf } from "./lines.js";
import type { RowExtent } from "./segments.js";
import { type Column, columnAt, columnsOf, splitAtColumns } from "./table-columns.js";
import { filledShare, isChart, isContents, isList, isProse, mergeColumns } from "./table-evidence.js";
import { inReadingDirection, rowsOf, textsOf } from "./table-rows.js";

/**
 * What lines with gaps are: a table, texts side by side, text that is read across, or the entries of a contents page, one
 * on each line.
 */
export type Region =
  | {
      readonly kind: "table";
      readonly rows: string[][];
      readonly extents: readonly RowExtent[];
      readonly columns: readonly Column[];
    }
  | { readonly kind: "columns"; readonly texts: readonly (readonly Line[])[] }
  | { readonly kind: "entries" }
  | { readonly kind: "text" };

/** Minimum share of cells with text, without and with rules around the table. */
const MIN_FILLED = 0.4;
const MIN_FILLED_FRAMED = 0.3;

/** The gap between the number of a footnote and its text is narrower than this multiple of the font size. */
export const MAX_NOTE_GAP = 2.5;

/**
 * Decides what lines with gaps are.
 *
 * @param edges The vertical positions of rules and edges of filled areas between rows; absent if there are none around
 * the lines, so that their text alone has to show that they are a table.
 */
export function classifyRegion(lines: readonly Line[], edges?: readonly number[]): Region {
  const columns = columnsOf(lines);
  if (columns.length < 2) return { kind: "text" };
  const texts = lines.map((line) => textsOf(line, columns));
  const { rows: cells, extents } = rowsOf(lines, columns, edges ?? []);
  const rows = mergeColumns(cells);
  if (isContents(rows)) return { kind: "entries" };
  const read = inReadingDirection(texts);
  if (isList(read) || areNotes(lines, read)) return { kind: "text" };
  const separated = new Set(edges?.filter((at) => at > lines[0]!.baseline && at < lines.at(-1)!.top));
  if (separated.size < rows.length / 2 && isProse(texts))
    return { kind: "columns", texts: columnTexts(lines, columns) };
  const minLines = edges === undefined && columns.length === 2 ? 3 : 2;
  if (lines.filter((line) => line.cells.length >= 2).length < minLines) return { kind: "text" };
  if (rows.length < 2 || rows[0]!.length < 2 || isChart(rows)) return { kind: "text" };
  if (filledShare(rows) < (edges === undefined ? MIN_FILLED : MIN_FILLED_FRAMED)) return { kind: "text" };
  return { kind: "table", rows, extents, columns };
}

/** Whether lines are footnotes: consecutive numbers, close to each of which a text begins. */
function areNotes(lines: readonly Line[], texts: readonly (readonly string[])[]): boolean {
  const numbers = texts.map(([number]) => number!).filter((number) => number !== "");
  return (
    texts[0]!.length === 2 &&
    numbers.every((number, i) => /^\d{1,3}$/.test(number) && Number(number) === Number(numbers[0]) + i) &&
    texts.every(([number, text]) => number === "" || /^[\p{L}"“(]/u.test(text!)) &&
    lines.every(
      ({ cells: [left, right], size }) => right === undefined || right.left - left!.right < size * MAX_NOTE_GAP,
    )
  );
}

/** Returns the lines of each column. */
function columnTexts(lines: readonly Line[], columns: readonly Column[]): Line[][] {
  const texts = columns.map((): Line[] => []);
  for (const line of lines) {
    const cells = splitAtColumns(line.cells, columns);
    for (const [column, text] of texts.entries()) {
      const own = cells.filter((cell) => columnAt(cell, columns) === column);
      if (own.length > 0) text.push(lineOf(own));
    }
  }
  return texts;
}
