import type { RowExtent, Segment } from "../page/segments.js";
import { isRightToLeft } from "../page/text-direction.js";
import { lineOf } from "../text/lines.js";
import type { HorizontalRule } from "./merged-headers.js";
import { columnAt } from "./table-columns.js";
import type { FormattedCell } from "./table-header.js";
import { cellOf, rowsOf, sliceLines, type TableLines, type TableRows, tableLines } from "./table-rows.js";

interface LabelContext {
  readonly edges: readonly number[];
  readonly rules: readonly HorizontalRule[];
  /** Whether the header is above the lines, so that the first of them is a row of values. */
  readonly hasHeader: boolean;
}

/** The middle of a label is at most this multiple of the font size from that of its rows. */
const MAX_DISTANCE_RATIO = 0.3;
/** The rows of a page are fewer; more would take long to divide. */
const MAX_LINES = 500;
/** A label has at most so many lines, so that few divisions are tried. */
const MAX_LABEL_LINES = 3;
const MAX_LABEL_PITCH = 1.5;
/** The share of rows with a number in a column of numbers, which shows that each line is a row. */
const MIN_NUMBER_SHARE = 0.8;

/**
 * Returns the rows of a table whose labels are centred over several rows: all rows can be divided into groups, each of
 * which has one label at its middle. Returns `null` for other tables.
 */
export function mergedLabels(
  table: TableLines,
  whole: TableRows,
  { edges, rules, hasHeader }: LabelContext,
): TableRows | null {
  const { lines, columns } = table;
  if (columns.length < 3 || lines.length < 3 || lines.length > MAX_LINES) return null;
  const column = isRightToLeft(lines.map(({ text }) => text)) ? columns.length - 1 : 0;
  const bodyRows = whole.rows.slice(hasHeader ? 0 : 1);
  const hasGaps = bodyRows.some((row) => row[column]!.text === "");
  const hasLoneLabels = lines.some(({ cells }) => cells.length === 1 && columnAt(cells[0]!, columns) === column);
  if (!hasGaps && !hasLoneLabels) return null;
  const top = hasHeader ? Number.NEGATIVE_INFINITY : whole.extents[0]!.bottom;
  const headerLines = lines.filter(({ baseline }) => baseline <= top).length;
  const body = table.segments.slice(headerLines);
  const labels = body.flatMap((line) => line[column]!);
  const others = body.map((line) => line.toSpliced(column, 1).flat()).filter((cells) => cells.length > 0);
  if (others.length < 2 || labels.length === 0) return null;
  // Without lines of labels only, the rows are those of the other cells.
  const { rows, extents } = hasLoneLabels
    ? rowsOf(tableLines(others.map(lineOf), columns), edges)
    : { rows: bodyRows, extents: whole.extents.slice(hasHeader ? 0 : 1) };
  if (rows.length !== bodyRows.length && !areRows(rows, extents, edges)) return null;
  const isSeparated = (row: number): boolean => {
    const [upper, lower] = [extents[row]!.bottom, extents[row + 1]!.top];
    const { left, right } = columns[column]!;
    return rules.some(
      (rule) => rule.at > upper - 2 && rule.at < lower + 2 && rule.left < left + 1 && rule.right > right - 1,
    );
  };
  const groups = divide(extents, labels, isSeparated);
  if (groups === null || groups.every(({ count }) => count === 1)) return null;
  if (groups.length > 1 && areOnRows(groups, extents) && !isSeparated(groups[0]!.count - 1)) return null;
  const merged: FormattedCell[][] = [];
  for (const { count, cell } of groups)
    for (let i = 0; i < count; i++) merged.push(rows[merged.length]!.with(column, cell));
  const upper = hasHeader ? { rows: [], extents: [] } : rowsOf(sliceLines(table, 0, headerLines), edges);
  return { rows: [...upper.rows, ...merged], extents: [...upper.extents, ...extents] };
}

/** Whether a column of numbers, or edges between the rows, show that they are rows rather than the lines of wrapped cells. */
function areRows(
  rows: readonly (readonly FormattedCell[])[],
  extents: readonly RowExtent[],
  edges: readonly number[],
): boolean {
  const isNumeric = rows[0]!.some(
    (_, column) => rows.filter((row) => /\d/.test(row[column]!.text)).length >= rows.length * MIN_NUMBER_SHARE,
  );
  const isBetween = (row: number): boolean =>
    edges.some((at) => at > extents[row]!.bottom - 2 && at < extents[row + 1]!.top + 2);
  return isNumeric || extents.slice(1).every((_, row) => isBetween(row));
}

/**
 * Whether each label begins on the line of a row, and the first on that of the first row, so that labels may as well stand
 * in the first row of their groups: each second label of groups of the same size is then in the middle of the rest.
 */
function areOnRows(groups: readonly Group[], rows: readonly RowExtent[]): boolean {
  const isOn = ({ top, size }: Segment, row: RowExtent): boolean => Math.abs(row.top - top) < size * MAX_DISTANCE_RATIO;
  return isOn(groups[0]!.label, rows[0]!) && groups.every(({ label }) => rows.some((row) => isOn(label, row)));
}

interface Group {
  readonly count: number;
  /** The first line of the label. */
  readonly label: Segment;
  readonly cell: FormattedCell;
}

/** Divides rows into groups, each with the lines of a label at its middle; `null` if that isn't possible. */
function divide(
  rows: readonly RowExtent[],
  labels: readonly Segment[],
  isSeparated: (row: number) => boolean,
): readonly Group[] | null {
  const failed = new Set<string>();
  const from = (row: number, label: number): readonly Group[] | null => {
    if (row === rows.length || label === labels.length)
      return row === rows.length && label === labels.length ? [] : null;
    const key = `${row} ${label}`;
    if (failed.has(key)) return null;
    for (let lines = 1; lines <= MAX_LABEL_LINES && label + lines <= labels.length; lines++) {
      const own = labels.slice(label, label + lines);
      const { size } = own[0]!;
      if (lines > 1 && own.at(-1)!.baseline - own.at(-2)!.baseline > size * MAX_LABEL_PITCH) break;
      const middle = own[0]!.top + own.at(-1)!.bottom;
      for (let end = row; end < rows.length; end++) {
        const distance = rows[row]!.top + rows[end]!.bottom - middle;
        if (distance > size * MAX_DISTANCE_RATIO * 2) break;
        if (distance >= -size * MAX_DISTANCE_RATIO * 2) {
          const rest = from(end + 1, label + lines);
          if (rest !== null) return [{ count: end - row + 1, label: own[0]!, cell: cellOf(own) }, ...rest];
        }
        if (end + 1 < rows.length && isSeparated(end)) break;
      }
    }
    failed.add(key);
    return null;
  };
  return from(0, 0);
}
