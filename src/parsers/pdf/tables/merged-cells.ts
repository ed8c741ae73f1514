import { mergeColumns } from "../page/table-cells.js";
import { type HorizontalRule, mergedHeader } from "./merged-headers.js";
import { mergedLabels } from "./merged-labels.js";
import { rowsOf, sliceLines, type TableLines, type TableRows } from "./table-rows.js";

export interface MergedTable extends TableRows {
  readonly headerRowCount: number;
}

/**
 * Groups the lines of a table to rows, and merges the cells that span several columns or rows.
 *
 * @param edges The vertical positions of horizontal rules and edges within the table.
 * @param rules The horizontal rules within the table, which may be narrower than it.
 */
export function mergedRows(table: TableLines, edges: readonly number[], rules: readonly HorizontalRule[]): MergedTable {
  const header = mergedHeader(table, rules);
  const body = header === null ? table : sliceLines(table, header.lineCount);
  const whole = rowsOf(body, edges);
  const lower = mergedLabels(body, whole, { edges, rules, hasHeader: header !== null }) ?? whole;
  return {
    rows: mergeColumns([...(header?.rows ?? []), ...lower.rows]),
    extents: [...(header?.extents ?? []), ...lower.extents],
    headerRowCount: header?.rows.length ?? 1,
  };
}
