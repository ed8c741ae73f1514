import { type Box, boxAround } from "../page/frame.js";
import type { Fill, PageDrawing, Rule } from "../page/page-drawing.js";
import type { Run } from "../page/runs.js";
import { type PlacedTable, segmentsOf } from "../page/segments.js";
import { median, minOf } from "../page/statistics.js";
import { isRightToLeft } from "../page/text-direction.js";
import { type Line, linesOf } from "../text/lines.js";
import { classifyRegion, type Region, withNamesAbove } from "./classify-region.js";
import { mergeRules } from "./rule-grids.js";
import type { DetectedTable } from "./ruled-tables.js";
import { type Column, columnAt, splitAtColumns } from "./table-columns.js";

/** Shorter lines and areas, in points, don't frame a table. */
const MIN_WIDTH = 60;
/** Lines whose ends differ by less, in points, have the same width. */
const SAME_EDGE = 5;
/** Areas with a smaller gap, in points, are cells of one row. */
const MAX_CELL_GAP = 3;
/** The rows of a table are at least this multiple of the font size apart. */
const MIN_PITCH = 1.1;
/** More lines of the same width are a drawing. */
const MAX_EDGES = 200;
/** Edges of other things, such as a rule below the page header, that are tried to be left out. */
const MAX_DROPPED_EDGES = 3;

/** The upper or lower edge of a row. */
interface Edge {
  readonly at: number;
  readonly left: number;
  readonly right: number;
}

/**
 * Finds tables between horizontal rules of the same width, or with filled rows: tables without lines between their
 * columns, whose columns are found by the white streams between their texts.
 */
export function framedTables({ rules, fills }: PageDrawing, runs: readonly Run[]): DetectedTable[] {
  const tables: DetectedTable[] = [];
  let unused = runs;
  const drawn = ruleEdges(rules);
  for (const edges of edgeGroups([...drawn, ...fillEdges(fills)])) {
    for (const table of tablesBetween(edges, unused, drawn)) {
      tables.push(table);
      unused = unused.filter((run) => !table.runs.has(run));
    }
  }
  return tables;
}

function ruleEdges(rules: readonly Rule[]): Edge[] {
  return mergeRules(rules)
    .filter((rule) => rule.isHorizontal)
    .map(({ at, from, to }) => ({ at, left: from, right: to }));
}

/** Returns the edges of filled rows; cells side by side are one row. */
function fillEdges(fills: readonly Fill[]): Edge[] {
  const outer = fills.filter((fill) => !fills.some((other) => isWithin(fill, other)));
  const rows: { left: number; top: number; right: number; bottom: number }[] = [];
  for (const { box } of [...outer].sort((a, b) => a.box[1] - b.box[1] || a.box[0] - b.box[0])) {
    const [left, top, right, bottom] = box;
    const row = rows.find(
      (row) =>
        Math.abs(row.top - top) < 1.5 &&
        Math.abs(row.bottom - bottom) < 1.5 &&
        Math.abs(left - row.right) < MAX_CELL_GAP,
    );
    if (row === undefined) rows.push({ left, top, right, bottom });
    else row.right = right;
  }
  return rows.flatMap(({ left, top, right, bottom }) => [
    { at: top, left, right },
    { at: bottom, left, right },
  ]);
}

/** Whether a fill is inside another of its colour, such as the shade behind a line in a shaded cell. */
function isWithin(fill: Fill, other: Fill): boolean {
  const [left, top, right, bottom] = fill.box;
  const [l, t, r, b] = other.box;
  return (
    fill.color === other.color &&
    l <= left + 0.5 &&
    t <= top + 0.5 &&
    r >= right - 0.5 &&
    b >= bottom - 0.5 &&
    (r - l) * (b - t) > (right - left) * (bottom - top) + 1
  );
}

/** Groups edges with the same ends; the edges of each group are sorted from top to bottom. */
function edgeGroups(edges: readonly Edge[]): Edge[][] {
  const groups: Edge[][] = [];
  for (const edge of edges) {
    if (edge.right - edge.left < MIN_WIDTH) continue;
    const group = groups.find(
      ([first]) => Math.abs(first!.left - edge.left) < SAME_EDGE && Math.abs(first!.right - edge.right) < SAME_EDGE,
    );
    if (group === undefined) groups.push([edge]);
    else group.push(edge);
  }
  return groups
    .filter((group) => group.length > 1 && group.length <= MAX_EDGES)
    .map((group) => group.sort((a, b) => a.at - b.at));
}

/** Returns the tables between edges of the same width. */
function tablesBetween(edges: readonly Edge[], runs: readonly Run[], rules: readonly Edge[]): DetectedTable[] {
  const left = Math.min(...edges.map((edge) => edge.left)) - SAME_EDGE;
  const right = Math.max(...edges.map((edge) => edge.right)) + SAME_EDGE;
  const [top, bottom] = [edges[0]!.at, edges.at(-1)!.at];
  const touching = runs.filter((run) => run.right > left + SAME_EDGE * 2 && run.left < right - SAME_EDGE * 2);
  const inside = touching.filter((run) => run.left >= left && run.right <= right);
  const lines = linesOf(segmentsOf(inside));
  // Text that goes on to the left or right of the edges shows that they frame something else.
  const outside = itemsBetween(touching, top, bottom).filter((run) => run.left < left || run.right > right);
  return partsBetween(edges, itemsBetween(lines, top, bottom)).flatMap((part) => {
    const table = largestTable(part, lines, outside, rules);
    return table === null ? [] : [{ ...table, runs: runsOf(inside, table.lines) }];
  });
}

/** A paragraph begins within this share of the width from the leftmost text; further in, a wide column does. */
const MAX_INDENT_SHARE = 0.15;

/** Splits edges where a paragraph as wide as they are stands between two of them. */
function partsBetween(edges: readonly Edge[], lines: readonly Line[]): Edge[][] {
  const parts: Edge[][] = [[edges[0]!]];
  const leftmost = minOf(lines.map(({ left }) => left));
  for (const [i, edge] of edges.slice(1).entries()) {
    const between = itemsBetween(lines, edges[i]!.at, edge.at);
    const wide = between.filter(
      ({ cells, text, left, right }) =>
        cells.length === 1 && text.length > 40 && right - left > (edge.right - edge.left) * 0.6,
    );
    const isAtLeft = ({ left }: Line): boolean => left - leftmost < (edge.right - edge.left) * MAX_INDENT_SHARE;
    if (wide.length > 2 && wide.some(isAtLeft)) parts.push([]);
    parts.at(-1)!.push(edge);
  }
  return parts.filter((part) => part.length > 1);
}

/** Returns the lines or runs whose middle is between two heights. */
function itemsBetween<Item extends Pick<Line, "baseline" | "size">>(
  items: readonly Item[],
  top: number,
  bottom: number,
): Item[] {
  return items.filter(({ baseline, size }) => baseline - size * 0.3 > top && baseline - size * 0.3 < bottom);
}

interface FramedTable extends PlacedTable {
  readonly lines: readonly Line[];
}

/** Returns the table between most of the edges, of which the outermost may belong to something else. */
function largestTable(
  edges: readonly Edge[],
  lines: readonly Line[],
  outside: readonly Run[],
  rules: readonly Edge[],
): FramedTable | null {
  for (let dropped = 0; dropped <= Math.min(MAX_DROPPED_EDGES, edges.length - 2); dropped++) {
    for (let from = 0; from <= dropped; from++) {
      const table = tableWithin(edges.slice(from, edges.length - (dropped - from)), lines, outside, rules);
      if (table !== null) return table;
    }
  }
  return null;
}

function tableWithin(
  edges: readonly Edge[],
  lines: readonly Line[],
  outside: readonly Run[],
  rules: readonly Edge[],
): FramedTable | null {
  const [top, bottom] = [edges[0]!.at, edges.at(-1)!.at];
  const inside = itemsBetween(lines, top, bottom);
  if (inside.length < 2 || outside.some(({ baseline }) => baseline > top && baseline < bottom)) return null;
  if (startsWithTitle(inside, edges[1]!.at)) return null;
  const [{ left: start, right: end }] = edges as [Edge];
  const own = rules.filter(
    (rule) => rule.at > top && rule.at < bottom && rule.left > start - SAME_EDGE && rule.right < end + SAME_EDGE,
  );
  const wide = own.filter((rule) => rule.right - rule.left > (end - start) * 0.5);
  const positions = [...edges, ...wide].map((edge) => edge.at);
  const found = classifyRegion(inside, positions, own);
  if (found.kind !== "table") return null;
  const headed = withHeader(lines, [found, inside], positions, own);
  const whole = withNeighbours(headed[1], lines, found.columns);
  const extended = whole.length > headed[1].length ? classifyRegion(whole, positions, own) : null;
  const [table, used] = extended?.kind === "table" ? withHeader(lines, [extended, whole], positions, own) : headed;
  const [left, upper, right, lower] = boxAround(used);
  const box: Box = [
    Math.min(left, edges[0]!.left),
    Math.min(upper, top),
    Math.max(right, edges[0]!.right),
    Math.max(lower, bottom),
  ];
  return { rows: table.rows, headerRowCount: table.headerRowCount, extents: table.extents, box, lines: used };
}

type Found = readonly [table: Extract<Region, { readonly kind: "table" }>, lines: readonly Line[]];

/** Adds the upper part of the header above the first edge. */
function withHeader(
  lines: readonly Line[],
  [table, own]: Found,
  positions: readonly number[],
  rules: readonly Edge[],
): Found {
  if (table.headerRowCount > 1) return [table, own];
  const upTo = lines.slice(0, lines.indexOf(own.at(-1)!) + 1);
  const above = withNamesAbove(upTo, own.length, table.columns, positions, rules);
  return above === null ? [table, own] : [above.table, upTo.slice(-own.length - above.added)];
}

/** Whether only a larger title is above the second edge, so that the first one is not of the table. */
function startsWithTitle(lines: readonly Line[], second: number): boolean {
  const size = median(lines.map((line) => line.size));
  const first = lines.filter((line) => line.baseline < second);
  return first.length > 0 && first.every((line) => line.cells.length === 1 && line.size > size * 1.15);
}

/** Adds the unfilled rows directly above and below filled ones, whose cells are in the same columns. */
function withNeighbours(inside: readonly Line[], lines: readonly Line[], columns: readonly Column[]): readonly Line[] {
  const isRow = (line: Line): boolean => {
    const cells = splitAtColumns(line.cells, columns);
    const filled = new Set(cells.map((cell) => columnAt(cell, columns)));
    return filled.size === cells.length && cells.length >= Math.max(2, columns.length * 0.6);
  };
  const labelColumn = isRightToLeft(inside.map(({ text }) => text)) ? columns.length - 1 : 0;
  const isLabel = (line: Line): boolean =>
    line.cells.length === 1 && columns.length > 2 && columnAt(line.cells[0]!, columns) === labelColumn;
  // The label of two rows may be on a line between theirs.
  const rows = inside.filter((line) => !isLabel(line));
  const gaps = rows.slice(1).map((line, i) => line.baseline - rows[i]!.baseline);
  const least = rows.length < inside.length ? median(inside.map((line) => line.size)) * MIN_PITCH : 0;
  const pitch = Math.max(median(gaps), least);
  let from = lines.indexOf(inside[0]!);
  let to = lines.indexOf(inside.at(-1)!);
  const isNext = (upper: number, lower: number): boolean =>
    lower < lines.length && upper >= 0 && lines[lower]!.baseline - lines[upper]!.baseline < pitch * 1.3;
  for (;;) {
    if (isNext(to, to + 1) && isRow(lines[to + 1]!)) to++;
    else if (isNext(to, to + 2) && isLabel(lines[to + 1]!) && isRow(lines[to + 2]!)) to += 2;
    else break;
  }
  for (;;) {
    if (isNext(from - 1, from) && isRow(lines[from - 1]!)) from--;
    else if (isNext(from - 2, from) && isLabel(lines[from - 1]!) && isRow(lines[from - 2]!)) from -= 2;
    else break;
  }
  return lines.slice(from, to + 1);
}

function runsOf(runs: readonly Run[], lines: readonly Line[]): ReadonlySet<Run> {
  const [left, top, right, bottom] = boxAround(lines);
  return new Set(
    runs.filter(
      (run) =>
        run.left >= left - 0.1 &&
        run.right <= right + 0.1 &&
        run.top >= top - run.size &&
        run.bottom <= bottom + run.size &&
        lines.some(({ baseline, size }) => Math.abs(run.baseline - baseline) <= size * 0.6),
    ),
  );
}
