import { type Segment, splitSegment } from "../page/segments.js";
import type { Line } from "../text/lines.js";

export interface Column {
  readonly left: number;
  readonly right: number;
}

/** The share of lines that may cross the white space between two columns, such as headings of several columns. */
const MAX_CROSSING_SHARE = 0.15;

/**
 * Returns the columns of a table's lines: the intervals between the vertical white streams that run through the lines.
 * The fewest crossing lines are tolerated with which there are as many columns as most lines have cells.
 */
export function columnsOf(lines: readonly Line[]): readonly Column[] {
  const rows = lines.filter((line) => line.cells.length >= 2).map((line) => line.cells);
  if (rows.length === 0) return [];
  const wanted = typicalCellCount(rows);
  const coverage = coverageOf(rows);
  const most = Math.floor(rows.length * MAX_CROSSING_SHARE + 0.5);
  let columns = intervalsAbove(coverage, 0);
  for (let crossing = 1; crossing <= most && columns.length < wanted; crossing++) {
    const tolerant = intervalsAbove(coverage, crossing);
    if (tolerant.length > columns.length) columns = tolerant;
  }
  return columns;
}

/** Returns the number of cells that at least a quarter of the lines have. */
function typicalCellCount(rows: readonly (readonly Segment[])[]): number {
  const counts = rows.map((cells) => cells.length).sort((a, b) => b - a);
  return counts[Math.floor(counts.length / 4)]!;
}

interface Step {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Returns how many lines have text at each position. */
function coverageOf(rows: readonly (readonly Segment[])[]): Step[] {
  const edges = rows.flatMap((cells) =>
    cells.flatMap(({ left, right }) => [
      { at: left, change: 1 },
      { at: Math.max(left + 0.1, right), change: -1 },
    ]),
  );
  edges.sort((a, b) => a.at - b.at || b.change - a.change);
  let count = 0;
  return edges.slice(0, -1).map(({ at, change }, i) => {
    count += change;
    return { from: at, to: edges[i + 1]!.at, count };
  });
}

function intervalsAbove(coverage: readonly Step[], crossing: number): Column[] {
  const columns: { left: number; right: number }[] = [];
  let isOpen = false;
  for (const { from, to, count } of coverage) {
    if (to <= from) continue;
    if (count <= crossing) {
      isOpen = false;
      continue;
    }
    if (isOpen) columns.at(-1)!.right = to;
    else columns.push({ left: from, right: to });
    isOpen = true;
  }
  return columns;
}

/** Returns the column in which most of a cell is. */
export function columnAt(cell: Column, columns: readonly Column[]): number {
  let [column, most] = [-1, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < columns.length; i++) {
    const overlap = Math.min(cell.right, columns[i]!.right) - Math.max(cell.left, columns[i]!.left);
    if (overlap > most) [column, most] = [i, overlap];
  }
  return column;
}

/** Splits the cells of a line at the white streams between columns, where a cell has a gap between two words there. */
export function splitAtColumns(cells: readonly Segment[], columns: readonly Column[]): readonly Segment[] {
  let parts = cells;
  for (let i = 1; i < columns.length; i++) {
    const [from, to] = [columns[i - 1]!.right, columns[i]!.left];
    const isCrossing = ({ left, right }: Segment): boolean => left < from && right > to;
    if (!parts.some(isCrossing)) continue;
    parts = parts.flatMap((cell) => (isCrossing(cell) ? splitSegment(cell, from, to) : [cell]));
  }
  return parts;
}
