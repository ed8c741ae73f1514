import type { Segment } from "../page/segments.js";
import type { Line } from "../text/lines.js";
import { type Column, splitAtColumns } from "./table-columns.js";
import { countHeaderRows, type FormattedCell } from "./table-header.js";
import { cellOf, type TableLines, type TableRows } from "./table-rows.js";

/** A horizontal rule, which may be under some columns only. */
export interface HorizontalRule {
  readonly at: number;
  readonly left: number;
  readonly right: number;
}

export interface MergedHeader extends TableRows {
  /** How many lines the rows consist of. */
  readonly lineCount: number;
}

/** Texts whose edges or middles differ by less, in points, are aligned. */
const SAME_POSITION = 2;
/** The distance of a name from the middle of its columns, as a share of their width, and in points. */
const MAX_DISTANCE_SHARE = 0.06;
const MAX_DISTANCE = 3;
/** The lines of two header rows are at most this multiple of the font size apart. */
const MAX_PITCH = 2.6;
const MIN_PITCH = 0.8;
/** Lines that are closer than this multiple of the font size are on one level. */
const MAX_LEVEL = 0.7;
/** The names beside may be on lines of their own. */
const MAX_HEADER_LINES = 4;

/** A name over more columns is not looked for, since the time grows with their square. */
const MAX_COLUMNS = 40;

/** Columns with text from one index to another that one name spans. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly cell: FormattedCell;
}

/**
 * Returns the two header rows at the top of a table, if a name in the first spans several names of the second: it has a
 * rule under it as wide as these columns, extends over several of them, or is centred above them. The names of the other
 * columns stand beside it, below it or between the two lines, and span both rows.
 */
export function mergedHeader(
  { lines, columns, segments }: TableLines,
  rules: readonly HorizontalRule[],
): MergedHeader | null {
  const upper = lines[0]!;
  // A name of all columns divides none.
  if (columns.length < 3 || upper.cells.length >= columns.length) return null;
  for (let at = Math.min(MAX_HEADER_LINES, lines.length - 1) - 1; at > 0; at--) {
    const lower = lines[at]!;
    const names = segments[at]!;
    // The last line of a name beside may be slightly lower.
    const next = lines[at + 1]!;
    const isBeside =
      next.baseline - lower.baseline < lower.size * MAX_LEVEL &&
      segments[at + 1]!.every((own, i) => own.length === 0 || names[i]!.length === 0);
    const lineCount = at + (isBeside ? 2 : 1);
    const below = segments[lineCount];
    const pitch = (lower.baseline - upper.baseline) / Math.max(lower.size, upper.size);
    if (below === undefined || pitch > MAX_PITCH || pitch < MIN_PITCH) continue;
    const beside = segments.slice(1, lineCount).filter((line) => line !== names);
    const between = columns.map((_, i) => beside.flatMap((line) => line[i]!));
    const free = columns.map((_, i) => between[i]!.length === 0 && names[i]!.length > 0);
    if (free.filter((isFree) => isFree).length < 2) continue;
    const used = [names, ...segments.slice(lineCount)];
    const places = columns.map((_, i) => extentOf(used, i));
    const first = segments[0]!;
    const spans = spansOver(
      upper,
      { columns, places, first },
      free,
      rules.filter(({ at }) => at > upper.baseline - 1 && at < lower.baseline),
    );
    if (spans.length === 0) continue;
    const rows: [FormattedCell[], FormattedCell[]] = [[], []];
    for (const i of columns.keys()) {
      const span = spans.find(({ from, to }) => i >= from && i <= to);
      const name = cellOf([...first[i]!, ...between[i]!, ...names[i]!]);
      rows[0].push(span?.cell ?? name);
      rows[1].push(span === undefined ? name : cellOf(names[i]!));
    }
    if (isDivided(rows, { first, between, names }, spans, below.map(cellOf)))
      return { rows, lineCount, extents: [upper, lower].map(({ top, bottom }) => ({ top, bottom })) };
  }
  return null;
}

type Segments = readonly (readonly Segment[])[];

/** Whether the second row is one of names: beside those under the spanning names, it has no others, or it is no row of values. */
function isDivided(
  [upper, lower]: readonly [readonly FormattedCell[], readonly FormattedCell[]],
  { first, between, names }: { readonly first: Segments; readonly between: Segments; readonly names: Segments },
  spans: readonly Span[],
  below: readonly FormattedCell[],
): boolean {
  const others = [...first.keys()].filter((i) => !spans.some(({ from, to }) => i >= from && i <= to));
  const isContinued = (i: number): boolean => names[i]!.length === 0 || between[i]!.length > 0;
  if (others.some((i) => upper[i]!.text !== "") && others.every(isContinued)) return true;
  const separate = lower.map((cell, i) => (cell === upper[i] ? { ...cell } : cell));
  const above = upper.map((cell, i) => (first[i]!.length === 0 && others.includes(i) ? { ...cell, text: "" } : cell));
  return countHeaderRows([above, separate, below, below]) > 1;
}

/** Returns the extent of the texts in a column; `null` if it has none. */
function extentOf(lines: readonly Segments[], column: number): Column | null {
  let [left, right] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const line of lines) {
    for (const segment of line[column]!) {
      left = Math.min(left, segment.left);
      right = Math.max(right, segment.right);
    }
  }
  return left === Number.POSITIVE_INFINITY ? null : { left, right };
}

interface NamedColumns {
  readonly columns: readonly Column[];
  /** The extents of the texts below the names. */
  readonly places: readonly (Column | null)[];
  /** The texts of the names in each column. */
  readonly first: Segments;
}

/** Returns the spans of the names on a line over columns of which each has a name below it. */
function spansOver(
  { cells }: Line,
  { columns, places, first }: NamedColumns,
  free: readonly boolean[],
  rules: readonly HorizontalRule[],
): Span[] {
  const used = [...places.keys()].filter((i) => places[i] !== null);
  const spans: Span[] = [];
  for (const [index, cell] of cells.entries()) {
    const after = cells[index + 1];
    const before = spans.at(-1);
    const isOwn = ({ left, right }: Segment): boolean => left >= cell.left && right <= cell.right;
    // The columns between the names to the left and right of this one.
    const open = used.filter(
      (i) =>
        free[i]! &&
        first[i]!.every(isOwn) &&
        (before === undefined || i > before.to) &&
        (after === undefined || places[i]!.left < after.left) &&
        (index === 0 || places[i]!.right > cells[index - 1]!.right),
    );
    const group = runAround(open, used, cell, places);
    if (group.length < 2 || group.length > MAX_COLUMNS) continue;
    // Names with narrow gaps between them, one for each column.
    if (splitAtColumns([cell], columns).length > 2) continue;
    const range = rangeUnder(cell, group, places, { used, rules, isOnly: cells.length === 1 });
    if (range === null || range.length < 2 || range.length === used.length) continue;
    // A text that extends over other columns is a line above the table.
    const isOver = (i: number): boolean =>
      first[i]!.some(isOwn) || (cell.left < columns[i]!.right - 1 && cell.right > columns[i]!.left + 1);
    if (used.some((i) => !range.includes(i) && isOver(i))) continue;
    spans.push({ from: range[0]!, to: range.at(-1)!, cell: cellOf([cell]) });
  }
  return spans;
}

/** Returns the neighbouring open columns among which a cell stands. */
function runAround(
  open: readonly number[],
  used: readonly number[],
  cell: Segment,
  places: readonly (Column | null)[],
): number[] {
  const middle = (cell.left + cell.right) / 2;
  const runs: number[][] = [];
  for (const i of open) {
    const last = runs.at(-1)?.at(-1);
    if (last !== undefined && used.indexOf(i) === used.indexOf(last) + 1) runs.at(-1)!.push(i);
    else runs.push([i]);
  }
  return runs.find((run) => middle > places[run[0]!]!.left && middle < places[run.at(-1)!]!.right) ?? [];
}

/** Returns the columns under a name, if there are several. */
function rangeUnder(
  cell: Segment,
  group: readonly number[],
  places: readonly (Column | null)[],
  {
    used,
    rules,
    isOnly,
  }: { readonly used: readonly number[]; readonly rules: readonly HorizontalRule[]; readonly isOnly: boolean },
): readonly number[] | null {
  const columnOf = (i: number): Column => places[i]!;
  for (const { left, right } of rules) {
    if (cell.left <= left - MAX_DISTANCE || cell.right >= right + MAX_DISTANCE) continue;
    const under = used.filter(
      (i) => columnOf(i).left > left - MAX_DISTANCE && columnOf(i).right < right + MAX_DISTANCE,
    );
    if (under.length > 1 && under.length < used.length && under.every((i) => group.includes(i))) return under;
  }
  const crossed = group.filter((i) => cell.left < columnOf(i).right - 1 && cell.right > columnOf(i).left + 1);
  if (crossed.length < 2 && group.some((i) => isAligned(cell, columnOf(i)))) return null;
  // Of ranges with the same middle, the widest leaves the fewest names without one above.
  let best = { from: 0, to: 0 };
  let least = Number.POSITIVE_INFINITY;
  const placesOfUsed = used.map(columnOf);
  const offset = used.indexOf(group[0]!);
  const [firstCrossed, lastCrossed] = [crossed[0] ?? Number.POSITIVE_INFINITY, crossed.at(-1) ?? 0];
  for (let from = 0; from < group.length && group[from]! <= firstCrossed; from++) {
    for (let to = from + 1; to < group.length; to++) {
      if (group[to]! < lastCrossed || to - from + 1 === used.length) continue;
      const distance = distanceFromMiddle(cell, placesOfUsed, offset + from, offset + to);
      const width = columnOf(group[to]!).right - columnOf(group[from]!).left;
      if (distance > MAX_DISTANCE + width * MAX_DISTANCE_SHARE) continue;
      const steps = Math.floor(distance / MAX_DISTANCE);
      if (steps < least || (steps === least && to - from > best.to - best.from)) [best, least] = [{ from, to }, steps];
    }
  }
  if (best.to > 0) return group.slice(best.from, best.to + 1);
  if (crossed.length > 1) return crossed;
  return isOnly && group.length < used.length ? group : null;
}

function isAligned(cell: Column, column: Column): boolean {
  return (
    Math.abs(cell.left - column.left) < SAME_POSITION ||
    Math.abs(cell.right - column.right) < SAME_POSITION ||
    Math.abs(cell.left + cell.right - column.left - column.right) < SAME_POSITION * 2
  );
}

/** Returns how far a name is from the middle of columns, whose edges are those of their texts or begin where others do. */
function distanceFromMiddle(cell: Column, places: readonly Column[], from: number, to: number): number {
  const middle = (cell.left + cell.right) / 2;
  const [{ left }, { right }] = [places[from]!, places[to]!];
  const [previous, next] = [places[from - 1], places[to + 1]];
  let distance = Math.abs((left + right) / 2 - middle);
  if (next !== undefined) distance = Math.min(distance, Math.abs((left + next.left) / 2 - MAX_DISTANCE - middle));
  if (previous !== undefined)
    distance = Math.min(distance, Math.abs((previous.right + right) / 2 + MAX_DISTANCE - middle));
  return distance;
}
