import type { Line } from "./lines.js";
import { lineOf } from "./lines.js";
import type { RowExtent } from "./segments.js";
import { type Column, columnAt, columnsOf, splitAtColumns } from "./table-columns.js";
import { filledShare, isChart, isContents, isList, isProse, mergeColumns } from "./table-evidence.js";
import { rowsOf, textsOf } from "./table-rows.js";

/** What lines with gaps are: a table, the entries of a contents page, texts side by side, or text that is read across. */
export type Region =
  | {
      readonly kind: "table";
      readonly rows: string[][];
      readonly extents: readonly RowExtent[];
      readonly columns: readonly Column[];
    }
  | { readonly kind: "columns"; readonly texts: readonly (readonly Line[])[] }
  | { readonly kind: "contents" }
  | { readonly kind: "text" };

/** Minimum share of cells with text, without and with rules around the table. */
const MIN_FILLED = 0.4;
const MIN_FILLED_FRAMED = 0.3;

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
  if (isContents(rows)) return { kind: "contents" };
  if (isList(texts)) return { kind: "text" };
  const separated = new Set(edges?.filter((at) => at > lines[0]!.baseline && at < lines.at(-1)!.top));
  if (separated.size < rows.length / 2 && isProse(texts))
    return { kind: "columns", texts: columnTexts(lines, columns) };
  const minLines = edges === undefined && columns.length === 2 ? 3 : 2;
  if (lines.filter((line) => line.cells.length >= 2).length < minLines) return { kind: "text" };
  if (rows.length < 2 || rows[0]!.length < 2 || isChart(rows)) return { kind: "text" };
  if (filledShare(rows) < (edges === undefined ? MIN_FILLED : MIN_FILLED_FRAMED)) return { kind: "text" };
  return { kind: "table", rows, extents, columns };
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
