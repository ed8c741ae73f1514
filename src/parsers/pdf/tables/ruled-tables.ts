import { getOrCreate } from "../../../util/get-or-create.js";
import { groupBy } from "../../../util/group-by.js";
import type { Rule } from "../page/page-drawing.js";
import type { Run } from "../page/runs.js";
import { type PlacedTable, type RowExtent, type Segment, segmentsOf } from "../page/segments.js";
import { mergeColumns, type TableCell, textsOfGrid } from "../page/table-cells.js";
import { joinLines } from "../text/join-lines.js";
import { type Grid, ruleGrids } from "./rule-grids.js";
import { filledShare, isChart, isContents, isFlowing, isProse } from "./table-evidence.js";
import { countHeaderRows, type FormattedCell } from "./table-header.js";

/** A table found by ruling lines or structure tags, with the runs inside it. */
export interface DetectedTable extends PlacedTable {
  readonly runs: ReadonlySet<Run>;
}

/** A grid with more text in one cell is a frame around the page, not a table. */
const MAX_CELL_CHARACTERS = 1500;

/** Text may extend beyond the rules of its cell by so much, in points. */
const TEXT_OVERHANG = 2;

/** A grid with more squares is graph paper or a drawing. */
const MAX_SQUARES = 50_000;

/** Minimum share of cells with text. */
const MIN_FILLED = 0.2;

/** Finds the tables drawn by a page's rules, with the runs inside them. */
export function ruledTables(rules: readonly Rule[], runs: readonly Run[]): DetectedTable[] {
  const tables: DetectedTable[] = [];
  const usedRuns = new Set<Run>();
  // The innermost of nested frames is the table.
  const grids = ruleGrids(rules).sort((a, b) => areaOf(a) - areaOf(b));
  for (const grid of grids) {
    const inside = runs.filter((run) => !usedRuns.has(run) && isInside(run, grid));
    const table = inside.length < 3 ? null : tableOf(grid, inside);
    if (table === null) continue;
    tables.push(table);
    for (const run of inside) usedRuns.add(run);
  }
  return tables;
}

function areaOf({ xs, ys }: Grid): number {
  return (xs.at(-1)! - xs[0]!) * (ys.at(-1)! - ys[0]!);
}

function middleOf(run: Run): [number, number] {
  return [(run.left + run.right) / 2, run.baseline - run.size * 0.3];
}

function isInside(run: Run, { xs, ys }: Grid): boolean {
  const [x, y] = middleOf(run);
  return x >= xs[0]! && x <= xs.at(-1)! && y >= ys[0]! && y <= ys.at(-1)!;
}

function tableOf(grid: Grid, runs: readonly Run[]): DetectedTable | null {
  const { xs, ys } = grid;
  const columns = xs.length - 1;
  if (columns * (ys.length - 1) > MAX_SQUARES) return null;
  const areas = mergedCells(grid, runs);
  const contents = groupBy(runs, (run) => areas[squareAt(grid, run)]!);
  const lines = new Map([...contents].map(([area, content]) => [area, linesOf(content)]));
  for (const texts of lines.values()) {
    if (texts.reduce((sum, line) => sum + line.text.length, 0) > MAX_CELL_CHARACTERS) return null;
  }
  const whole = new Map<number, FormattedCell>();
  const rows: RuledRow[] = [];
  for (const [row, top] of ys.slice(0, -1).entries()) {
    const rowAreas = areas.slice(row * columns, (row + 1) * columns);
    const splitRows = splitByBaseline(rowAreas.map((area) => lines.get(area) ?? []));
    // Long texts side by side in a frame are columns of the page.
    if (splitRows !== null && ys.length <= 3 && isProse(textsOfGrid(splitRows.map(({ cells }) => cells)))) return null;
    const isMerged = new Set(rowAreas).size < columns || spanningAreas(areas, columns, row).size > 0;
    if (splitRows !== null && !isMerged) rows.push(...splitRows);
    else {
      const cells = rowAreas.map((area) => getOrCreate(whole, area, () => cellOf(lines.get(area) ?? [])));
      rows.push({ cells, extent: { top, bottom: ys[row + 1]! } });
    }
  }
  const filled = rows.filter(({ cells }) => cells.some(({ text }) => text !== ""));
  const table = mergeColumns(withoutEmptyColumns(filled.map(({ cells }) => cells)));
  if (table.length < 2 || table[0]!.length < 2) return null;
  const texts = textsOfGrid(table);
  if (filledShare(texts) < MIN_FILLED || isChart(texts) || isContents(texts)) return null;
  return {
    rows: table,
    headerRowCount: countHeaderRows(table),
    extents: filled.map(({ extent }) => extent),
    box: [xs[0]!, ys[0]!, xs.at(-1)!, ys.at(-1)!],
    runs: new Set(runs),
  };
}

/** Returns the index of the interval between two lines that contains a position. */
function intervalAt(lines: readonly number[], position: number): number {
  const at = lines.findLastIndex((line) => line <= position);
  return Math.min(lines.length - 2, at);
}

/** Returns the index of the square of a grid in which a run is; squares are counted row by row. */
function squareAt({ xs, ys }: Grid, run: Run): number {
  const [x, y] = middleOf(run);
  return intervalAt(ys, y) * (xs.length - 1) + intervalAt(xs, x);
}

/**
 * Returns a number for each square of a grid, which is the same for those of one cell: squares without a rule between
 * them. If they form no rectangle, they are merged within rows only; texts apart in several columns are several cells; and
 * the lines of a row that stand for rows are not merged with those of other rows.
 */
function mergedCells(grid: Grid, runs: readonly Run[]): readonly number[] {
  const { xs, ys } = grid;
  const columns = xs.length - 1;
  const areas = openAreas(grid);
  const squaresOf = groupBy([...areas.keys()], (square) => areas[square]!);
  if (squaresOf.size === areas.length) return areas;
  const runsOf = groupBy(runs, (run) => squareAt(grid, run));
  const runsIn = (squares: readonly number[]): Run[] => squares.flatMap((square) => runsOf.get(square) ?? []);
  for (const squares of squaresOf.values()) {
    for (const part of isRectangle(squares, columns) ? [squares] : partsInRows(squares, columns)) {
      const first = part[0]!;
      const starts = cellStarts(segmentsOf(runsIn(part)), xs, first % columns, part.at(-1)! % columns);
      for (const square of part) areas[square] = first + starts[(square - first) % columns]!;
    }
  }
  for (const row of ys.slice(0, -1).keys()) {
    const squares = [...xs.slice(0, -1).keys()].map((column) => row * columns + column);
    const spanning = spanningAreas(areas, columns, row);
    if (spanning.size === 0 || new Set(squares.map((square) => areas[square]!)).size < columns) continue;
    if (splitByBaseline(squares.map((square) => linesOf(runsIn([square])))) === null) continue;
    for (const [square, area] of areas.entries())
      if (spanning.has(area)) areas[square] = square - ((square - area) % columns);
  }
  return areas;
}

/** Returns the areas in a row that span other rows. */
function spanningAreas(areas: readonly number[], columns: number, row: number): ReadonlySet<number> {
  const spanning = new Set<number>();
  for (let square = row * columns; square < (row + 1) * columns; square++) {
    const area = areas[square]!;
    if (areas[square - columns] === area || areas[square + columns] === area) spanning.add(area);
  }
  return spanning;
}

function isRectangle(squares: readonly number[], columns: number): boolean {
  const [first, last] = [squares[0]!, squares.at(-1)!];
  const width = (last % columns) - (first % columns) + 1;
  const height = Math.floor(last / columns) - Math.floor(first / columns) + 1;
  return squares.length === width * height && squares.every((square) => square % columns >= first % columns);
}

/** Returns the runs of neighbouring squares in each row. */
function partsInRows(squares: readonly number[], columns: number): number[][] {
  const parts: number[][] = [];
  for (const square of squares) {
    if (square % columns > 0 && parts.at(-1)?.at(-1) === square - 1) parts.at(-1)!.push(square);
    else parts.push([square]);
  }
  return parts;
}

/** Returns for each column of merged squares, from 0, the one in which its cell begins: 0, unless there are texts apart. */
function cellStarts(segments: readonly Segment[], xs: readonly number[], from: number, to: number): number[] {
  const starts = Array.from({ length: to - from + 1 }, (_, column) => column);
  const columnOf = (x: number): number => Math.min(to, Math.max(from, intervalAt(xs, x))) - from;
  let [cells, start, end] = [0, 0, -1];
  for (const { left, right } of [...segments].sort((a, b) => a.left - b.left)) {
    const [first, last] = [columnOf(left + TEXT_OVERHANG), columnOf(right - TEXT_OVERHANG)];
    if (first > end) [cells, start] = [cells + 1, first];
    end = Math.max(end, first, last);
    starts.fill(start, start, end + 1);
  }
  return cells > 1 ? starts : starts.fill(0);
}

/** Returns the first square of each square's area: squares without a rule between them. */
function openAreas({ xs, ys, rules }: Grid): number[] {
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  const areas = Array.from({ length: columns * rows }, (_, i) => i);
  const isDrawn = (isHorizontal: boolean, at: number, middle: number): boolean =>
    rules.some(
      (rule) =>
        rule.isHorizontal === isHorizontal && Math.abs(rule.at - at) <= 4 && rule.from <= middle && rule.to >= middle,
    );
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const square = row * columns + column;
      const [x, y] = [(xs[column]! + xs[column + 1]!) / 2, (ys[row]! + ys[row + 1]!) / 2];
      if (column > 0 && !isDrawn(false, xs[column]!, y)) areas[square] = areas[square - 1]!;
      else if (row > 0 && !isDrawn(true, ys[row]!, x)) areas[square] = areas[square - columns]!;
    }
  }
  return areas;
}

type TextLine = Pick<Segment, "text" | "baseline" | "size" | "font">;

interface RuledRow {
  readonly cells: readonly FormattedCell[];
  readonly extent: RowExtent;
}

function linesOf(runs: readonly Run[]): TextLine[] {
  const lines = [...groupBy(segmentsOf(runs), ({ row }) => row).values()];
  return lines.map((line) => ({ ...line[0]!, text: line.map(({ text }) => text).join(" ") }));
}

function cellOf(lines: readonly TextLine[]): FormattedCell {
  return { text: joinLines(lines.map(({ text }) => text)), font: lines[0]?.font ?? null };
}

/**
 * Splits a row at its text lines if most of them have text in most columns, and no column is a text that goes on from line
 * to line; returns `null` if it is a single row.
 */
function splitByBaseline(cells: readonly (readonly TextLine[])[]): RuledRow[] | null {
  const rows: { readonly baseline: number; readonly extent: RowExtent }[] = [];
  for (const { baseline, size } of cells.flat().sort((a, b) => a.baseline - b.baseline)) {
    if (rows.length > 0 && baseline - rows.at(-1)!.baseline <= 3) continue;
    rows.push({ baseline, extent: { top: baseline - size * 0.8, bottom: baseline + size * 0.2 } });
  }
  if (rows.length < 4) return null;
  const split = rows.map(({ baseline, extent }) => ({
    cells: cells.map((lines) => cellOf(lines.filter((line) => Math.abs(line.baseline - baseline) <= 3).slice(0, 1))),
    extent,
  }));
  if (cells.some((lines) => isFlowing(lines.map(({ text }) => text)))) return null;
  const full = split.filter(({ cells }) => cells.filter(({ text }) => text !== "").length > cells.length / 2).length;
  return full >= rows.length * 0.8 ? split : null;
}

function withoutEmptyColumns<Cell extends TableCell>(rows: readonly (readonly Cell[])[]): Cell[][] {
  const columns = (rows[0] ?? []).flatMap((_, i) => (rows.some((row) => row[i]!.text !== "") ? [i] : []));
  return rows.map((row) => columns.map((column) => row[column]!));
}
