import { groupBy } from "../../../util/group-by.js";
import { boxAround } from "../page/frame.js";
import { mainOf, type Segment } from "../page/segments.js";
import { isRightToLeft } from "../page/text-direction.js";

/** One line of a region, with its segments from left to right. */
export interface Line extends Omit<Segment, "row" | "isArtifact"> {
  readonly cells: readonly Segment[];
}

/** Returns the lines of a region, from top to bottom. */
export function linesOf(region: readonly Segment[]): Line[] {
  const rows = groupBy(region, ({ row }) => row);
  return [...rows.values()].map(lineOf).sort((a, b) => a.baseline - b.baseline);
}

/** Returns the line that consists of cells, with the font and size of most of its text. */
export function lineOf(segments: readonly Segment[]): Line {
  const cells = [...segments].sort((a, b) => a.left - b.left);
  const main = mainOf(cells);
  const [left, top, right, bottom] = boxAround(cells);
  const texts = cells.map((cell) => cell.text);
  const text = (isRightToLeft(texts) ? texts.toReversed() : texts).join(" ");
  return { ...main, cells, text, left, top, right, bottom };
}
