import { groupBy } from "../../../util/group-by.js";
import type { Segment } from "../page/segments.js";
import { readingOrder } from "../text/reading-order.js";

/**
 * Whether a page may have a table, so that reading the page's costly operator list is worthwhile: apart from prose in
 * columns, two lines or more have gaps.
 */
export function mayHaveRuledTable(segments: readonly Segment[]): boolean {
  if (linesWithGaps(segments) < 2) return false;
  return readingOrder(segments, true).some((region) => linesWithGaps(region) >= 2);
}

function linesWithGaps(segments: readonly Segment[]): number {
  return [...groupBy(segments, ({ row }) => row).values()].filter((cells) => cells.length > 1).length;
}
