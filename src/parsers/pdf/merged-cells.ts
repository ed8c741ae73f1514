import type { Line } from "./lines.js";
import { type HorizontalRule, mergedHeader } from "./merged-headers.js";
import { mergedLabels } from "./merged-labels.js";
import { mergeColumns } from "./table-cells.js";
import type { Column } from "./table-columns.js";
import { rowsOf, type TableRows } from "./table-rows.js";

export interface MergedTable extends TableRows {
  readonly headerRowCount: number;
}

/**
 * Groups the lines of a table to rows, and merges the cells that span several columns or rows.
 *
 * @param edges The vertical positions of horizontal rules and edges within the table.
 * @param rules The horizontal rules within the table, which may be narrower than it.
 */
export function mergedRows(
  lines: readonly Line[],
  columns: readonly Column[],
  edges: readonly number[],
  rules: readonly HorizontalRule[],
): MergedTable {
  const header = mergedHeader(lines, columns, rules);
  const body = lines.slice(header?.lineCount ?? 0);
  const whole = rowsOf(body, columns, edges);
  const lower = mergedLabels(body, whole, { columns, edges, rules, hasHeader: header !== null }) ?? whole;
  return {
    rows: mergeColumns([...(header?.rows ?? []), ...lower.rows]),
    extents: [...(header?.extents ?? []), ...lower.extents],
    headerRowCount: header?.rows.length ?? 1,
  };
}
