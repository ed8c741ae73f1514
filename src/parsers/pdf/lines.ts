import type { TaggedHeading } from "./page-tags.js";
import type { PlacedTable } from "./placed-table.js";
import type { Segment } from "./segments.js";
import { maxOf, minOf } from "./statistics.js";

/** One line of a region: its pieces from left to right. */
export interface Line {
  readonly cells: readonly Segment[];
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly baseline: number;
  readonly size: number;
  readonly font: string;
  readonly heading?: TaggedHeading;
  readonly table?: PlacedTable;
}

/** The lines of a region, from top to bottom. */
export function linesOf(region: readonly Segment[]): Line[] {
  const rows = new Map<number, Segment[]>();
  for (const segment of region) {
    const row = rows.get(segment.row);
    if (row === undefined) rows.set(segment.row, [segment]);
    else row.push(segment);
  }
  return [...rows.values()].map(lineOf).sort((a, b) => a.baseline - b.baseline);
}

function lineOf(cells: readonly Segment[]): Line {
  const main = cells.reduce((a, b) => (b.text.length > a.text.length ? b : a));
  return {
    cells,
    text: cells.map((cell) => cell.text).join(" "),
    left: minOf(cells.map((cell) => cell.left)),
    right: maxOf(cells.map((cell) => cell.right)),
    top: minOf(cells.map((cell) => cell.top)),
    bottom: maxOf(cells.map((cell) => cell.bottom)),
    baseline: main.baseline,
    size: main.size,
    font: main.font,
    ...(main.heading === undefined ? {} : { heading: main.heading }),
    ...(main.table === undefined ? {} : { table: main.table }),
  };
}
