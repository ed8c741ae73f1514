import type { SheetRange } from "../types.js";
import { collapseWhitespace } from "../util/collapse-whitespace.js";

/**
 * Returns the parts of a label for cells: their sheet, unless a heading names it, and their range. Returns none if there
 * isn't exactly one range.
 */
export function cellLabels(cells: readonly SheetRange[], headings: readonly string[]): readonly string[] {
  const [only, ...others] = cells;
  if (only === undefined || others.length > 0) return [];
  const sheet = collapseWhitespace(only.sheet);
  const isNamed = sheet === "" || headings.some((heading) => collapseWhitespace(heading) === sheet);
  return isNamed ? [only.range] : [sheet, only.range];
}
