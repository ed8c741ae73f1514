import { groupBy } from "../../util/group-by.js";
import { boxAround } from "./frame.js";
import type { Segment } from "./segments.js";

/** One line of a region, with its segments from left to right. */
export interface Line extends Omit<Segment, "row" | "isArtifact"> {
  readonly cells: readonly Segment[];
}

/** Returns the lines of a region, from top to bottom. */
export function linesOf(region: readonly Segment[]): Line[] {
  const rows = groupBy(region, ({ row }) => row);
  return [...rows.values()].map(lineOf).sort((a, b) => a.baseline - b.baseline);
}

/** Returns the line that consists of cells from left to right. */
export function lineOf(cells: readonly Segment[]): Line {
  const main = cells.reduce((a, b) => (b.text.length > a.text.length ? b : a));
  const [left, top, right, bottom] = boxAround(cells);
  return { ...main, cells, text: cells.map((cell) => cell.text).join(" "), left, top, right, bottom };
}
