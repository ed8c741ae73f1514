import type { RowExtent } from "../page/segments.js";
import { minOf } from "../page/statistics.js";
import { type TableGrid, textsOfGrid } from "../page/table-cells.js";
import { isRightToLeft } from "../page/text-direction.js";
import { isCaption } from "../text/captions.js";
import type { Line } from "../text/lines.js";
import { lineOf } from "../text/lines.js";
import { mergedRows } from "./merged-cells.js";
import { type HorizontalRule, mergedHeader } from "./merged-headers.js";
import { type Column, columnsOf } from "./table-columns.js";
import { filledShare, isChart, isContents, isList, isProse } from "./table-evidence.js";
import { type TableLines, tableLines, textsOf } from "./table-rows.js";

/**
 * What lines with gaps are: a table, texts side by side, text that is read across, or the entries of a contents page, one
 * on each line.
 */
export type Region =
  | {
      readonly kind: "table";
      readonly rows: TableGrid;
      readonly headerRowCount: number;
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
 * @param rules The horizontal rules among the lines, which may be narrower than the table.
 */
export function classifyRegion(
  lines: readonly Line[],
  edges?: readonly number[],
  rules: readonly HorizontalRule[] = [],
): Region {
  const columns = columnsOf(lines);
  if (columns.length < 2) return { kind: "text" };
  const split = tableLines(lines, columns);
  const texts = textsOf(split);
  const table = mergedRows(split, edges ?? [], rules);
  const rows = textsOfGrid(table.rows);
  if (isContents(rows)) return { kind: "entries" };
  const read = isRightToLeft(texts.flat()) ? texts.map((line) => line.toReversed()) : texts;
  if (isList(read) || areNotes(lines, read)) return { kind: "text" };
  const separated = new Set(edges?.filter((at) => at > lines[0]!.baseline && at < lines.at(-1)!.top));
  if (separated.size < rows.length / 2 && isProse(texts)) return { kind: "columns", texts: columnTexts(split) };
  const minLines = edges === undefined && columns.length === 2 ? 3 : 2;
  if (lines.filter((line) => line.cells.length >= 2).length < minLines) return { kind: "text" };
  if (rows.length < 2 || rows[0]!.length < 2 || isChart(rows)) return { kind: "text" };
  if (filledShare(rows) < (edges === undefined ? MIN_FILLED : MIN_FILLED_FRAMED)) return { kind: "text" };
  return { kind: "table", ...table, columns };
}

/** The lines of a header are at most so many above the first with text in all columns. */
const MAX_HEADER_LINES = 4;
/** The next line of a header is at most this multiple of the font size below. */
const MAX_HEADER_PITCH = 2;

/**
 * Returns the table with the lines above it that are the upper part of its header, with a name of several columns; `null`
 * if there are none.
 *
 * @param lines The lines up to the end of the table.
 * @param count How many of them are the table's.
 * @param tableColumns The columns of these.
 */
export function withNamesAbove(
  lines: readonly Line[],
  count: number,
  tableColumns: readonly Column[],
  ...drawing: readonly [edges?: readonly number[], rules?: readonly HorizontalRule[]]
): { readonly table: Extract<Region, { readonly kind: "table" }>; readonly added: number } | null {
  let columns = tableColumns;
  const left = minOf(lines.slice(-count).map((line) => line.left));
  for (let added = 1; added <= Math.min(MAX_HEADER_LINES, lines.length - count); added++) {
    const [line, next] = lines.slice(-count - added) as [Line, Line];
    const isAlone = line.cells.length === 1;
    if (next.baseline - line.baseline > line.size * MAX_HEADER_PITCH || isCaption(line.text)) return null;
    if (isAlone && Math.abs(line.left - left) < line.size / 2) continue;
    const whole = lines.slice(-count - added);
    if (!isAlone) columns = columnsOf(whole);
    if (mergedHeader(tableLines(whole, columns), drawing[1] ?? []) === null) continue;
    const table = classifyRegion(whole, ...drawing);
    if (table.kind !== "table" || table.headerRowCount < 2) continue;
    // A title may be centred above the names of all columns.
    if (!isAlone || next.cells.length < table.columns.length) return { table, added };
  }
  return null;
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
function columnTexts({ segments, columns }: TableLines): Line[][] {
  return columns.map((_, column) =>
    segments.flatMap((line) => (line[column]!.length === 0 ? [] : [lineOf(line[column]!)])),
  );
}
