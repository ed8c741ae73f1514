import { findTables } from "./find-tables.js";
import { linesOf } from "./lines.js";
import { readingOrder } from "./reading-order.js";
import type { Segment } from "./segments.js";

const MIN_LINES = 3;

/**
 * Whether a page's operator list, which is costly, may show more of a table than its text: some but not all lines have
 * text in each column.
 */
export function mayHaveRuledTable(segments: readonly Segment[]): boolean {
  const rows = new Map<number, number>();
  for (const { row } of segments) rows.set(row, (rows.get(row) ?? 0) + 1);
  if ([...rows.values()].filter((pieces) => pieces > 1).length < 2) return false;
  return readingOrder(segments).some((region) => {
    const tables = findTables(linesOf(region));
    return tables.some(({ rows, from, to }) => to - from >= MIN_LINES && !isClean(rows, to - from));
  });
}

function isClean(rows: readonly (readonly string[])[], lines: number): boolean {
  return rows.length === lines && rows.every((row) => row.every((cell) => cell !== ""));
}
