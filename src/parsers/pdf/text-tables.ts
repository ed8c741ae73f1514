import type { Line } from "./lines.js";
import { type Column, columnsOf } from "./table-columns.js";
import { filledShare, isChart, isContents, isList, isProse, mergeColumns } from "./table-evidence.js";
import { rowsOf, textsOf } from "./table-rows.js";

/** A table found in a run of lines. */
export interface TextTable {
  /** Index of the first line. */
  readonly from: number;
  /** Index after the last line. */
  readonly to: number;
  readonly rows: readonly (readonly string[])[];
}

/** Minimum share of cells with text, without and with rules around the table. */
const MIN_FILLED = 0.4;
const MIN_FILLED_RULED = 0.3;

/** Finds tables among the lines of a region by the vertical white streams between their columns. */
export function findTables(lines: readonly Line[]): TextTable[] {
  const tables: TextTable[] = [];
  for (let from = 0; from < lines.length; ) {
    const to = runEnd(lines, from);
    const table = to === from ? null : findTable(lines.slice(from, to));
    if (table === null) from = Math.max(from + 1, to);
    else {
      tables.push({ from, to, rows: table.rows });
      from = to;
    }
  }
  return tables;
}

/** Returns the end of a run of lines with several cells, among which may be lines with the rest of a wrapped cell. */
function runEnd(lines: readonly Line[], from: number): number {
  if (lines[from]!.cells.length < 2) return from;
  let end = from + 1;
  let singleCellLines = 0;
  for (let i = from + 1; i < lines.length; i++) {
    const gap = lines[i]!.baseline - lines[i - 1]!.baseline;
    if (gap > Math.max(lines[i]!.size, lines[i - 1]!.size) * 3.2) break;
    if (lines[i]!.cells.length >= 2) {
      singleCellLines = 0;
      end = i + 1;
    } else if (++singleCellLines > 2 || spansCells(lines[i]!, lines[from]!)) break;
  }
  return end;
}

/** Whether a line with one cell extends below the second cell of another line, so that it isn't a wrapped cell. */
function spansCells(line: Line, other: Line): boolean {
  return line.left <= other.cells[0]!.right && line.right > other.cells[1]!.left + line.size * 2;
}

/**
 * Returns the rows of a table that consists of lines; `null` if they are no table but a list, contents, prose in columns
 * or the labels of a figure.
 *
 * @param edges The vertical positions of rules and edges of filled areas between rows; absent if there are none around
 * the lines, so that their text alone has to show that they are a table.
 */
export function findTable(
  lines: readonly Line[],
  edges?: readonly number[],
): { readonly rows: string[][]; readonly columns: readonly Column[] } | null {
  const columns = columnsOf(lines);
  if (columns.length < 2) return null;
  const multiCellLines = lines.filter((line) => line.cells.length >= 2);
  const minLines = edges === undefined && columns.length === 2 ? 3 : 2;
  if (multiCellLines.length < minLines) return null;
  const texts = lines.map((line) => textsOf(line, columns));
  const rows = mergeColumns(rowsOf(lines, columns, edges ?? []));
  if (rows.length < 2 || rows[0]!.length < 2) return null;
  if (isList(texts) || isContents(rows)) return null;
  if (isChart(rows) || filledShare(rows) < (edges === undefined ? MIN_FILLED : MIN_FILLED_RULED)) return null;
  const separated = edges?.filter(
    (at) => at > lines[0]!.baseline && at < lines.at(-1)!.baseline - lines.at(-1)!.size * 0.5,
  );
  if (new Set(separated).size < rows.length / 2 && isProse(texts)) return null;
  return { rows, columns };
}
