import { findTables } from "./find-tables.js";
import { linesOf } from "./lines.js";
import { readingOrder } from "./reading-order.js";
import type { Segment } from "./segments.js";

const MIN_LINES = 3;

/**
 * Whether a page may have a ruled table, so that reading the page's costly operator list is worthwhile: some but not
 * all lines have text in every column.
 */
export function mayHaveRuledTable(segments: readonly Segment[]): boolean {
  const rows = new Map<number, number>();
  for (const { row } of segments) rows.set(row, (rows.get(row) ?? 0) + 1);
  if ([...rows.values()].filter((count) => count > 1).length < 2) return false;
  return readingOrder(segments).some((region) => {
    const tables = findTables(linesOf(region));
    return tables.some(({ rows, from, to }) => to - from >= MIN_LINES && !isComplete(rows, to - from));
  });
}

/** Whether each line is a row with text in every cell. */
function isComplete(rows: readonly (readonly string[])[], lineCount: number): boolean {
  return rows.length === lineCount && rows.every((row) => row.every((cell) => cell !== ""));
}
