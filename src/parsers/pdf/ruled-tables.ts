import { groupBy } from "../../util/group-by.js";
import { joinLines } from "./join-lines.js";
import type { Rule } from "./page-drawing.js";
import { type Grid, ruleGrids } from "./rule-grids.js";
import type { Run } from "./runs.js";
import { type PlacedTable, type RowExtent, type Segment, segmentsOf } from "./segments.js";
import { filledShare, isChart, isContents, isProse, mergeColumns } from "./table-evidence.js";

/** A table found by ruling lines or structure tags, with the runs inside it. */
export interface DetectedTable extends PlacedTable {
  readonly runs: ReadonlySet<Run>;
}

/** A grid with more text in one cell is a frame around the page, not a table. */
const MAX_CELL_CHARACTERS = 1500;

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
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  const areas = mergedCells(grid);
  const contents = groupBy(runs, (run) => {
    const [x, y] = middleOf(run);
    return areas[intervalAt(ys, y) * columns + intervalAt(xs, x)]!;
  });
  const lines = new Map([...contents].map(([area, content]) => [area, linesOf(content)]));
  for (const texts of lines.values()) {
    if (texts.reduce((sum, line) => sum + line.text.length, 0) > MAX_CELL_CHARACTERS) return null;
  }
  const cells: string[][] = [];
  const extents: RowExtent[] = [];
  for (let row = 0; row < rows; row++) {
    const rowAreas = Array.from({ length: columns }, (_, column) => areas[row * columns + column]!);
    const splitRows = splitByBaseline(rowAreas.map((area) => lines.get(area) ?? []));
    // Long texts side by side in a frame are columns of the page.
    if (splitRows !== null && rows <= 2 && isProse(splitRows.cells)) return null;
    if (splitRows !== null && new Set(rowAreas).size === columns) {
      cells.push(...splitRows.cells);
      extents.push(...splitRows.extents);
    } else {
      cells.push(rowAreas.map((area) => joinLines((lines.get(area) ?? []).map((line) => line.text))));
      extents.push({ top: ys[row]!, bottom: ys[row + 1]! });
    }
  }
  const table = mergeColumns(withoutEmpty(cells));
  if (table.length < 2 || table[0]!.length < 2) return null;
  if (filledShare(table) < MIN_FILLED || isChart(table) || isContents(table)) return null;
  const filledExtents = extents.filter((_, row) => cells[row]!.some((cell) => cell !== ""));
  return { rows: table, extents: filledExtents, box: [xs[0]!, ys[0]!, xs.at(-1)!, ys.at(-1)!], runs: new Set(runs) };
}

/** Returns the index of the interval between two lines that contains a position. */
function intervalAt(lines: readonly number[], position: number): number {
  const at = lines.findLastIndex((line) => line <= position);
  return Math.min(lines.length - 2, at);
}

/** Returns the first square of each square's cell: squares of the grid without a rule between them form one cell. */
function mergedCells({ xs, ys, rules }: Grid): number[] {
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

type TextLine = Pick<Segment, "text" | "baseline" | "size">;

interface SplitRow {
  readonly cells: string[][];
  readonly extents: readonly RowExtent[];
}

function linesOf(runs: readonly Run[]): TextLine[] {
  const lines = [...groupBy(segmentsOf(runs), ({ row }) => row).values()];
  return lines.map((line) => ({
    text: line.map(({ text }) => text).join(" "),
    baseline: line[0]!.baseline,
    size: line[0]!.size,
  }));
}

/** Splits a row at its text lines if most of them have text in most columns; returns `null` if it is a single row. */
function splitByBaseline(cells: readonly (readonly TextLine[])[]): SplitRow | null {
  const baselines: number[] = [];
  const extents: RowExtent[] = [];
  for (const { baseline, size } of cells.flat().sort((a, b) => a.baseline - b.baseline)) {
    if (baselines.length > 0 && baseline - baselines.at(-1)! <= 3) continue;
    baselines.push(baseline);
    extents.push({ top: baseline - size * 0.8, bottom: baseline + size * 0.2 });
  }
  if (baselines.length < 4) return null;
  const rows = baselines.map((baseline) =>
    cells.map((lines) => lines.find((line) => Math.abs(line.baseline - baseline) <= 3)?.text ?? ""),
  );
  const full = rows.filter((row) => row.filter((cell) => cell !== "").length > cells.length / 2).length;
  return full >= rows.length * 0.8 ? { cells: rows, extents } : null;
}

/** Drops empty rows and columns. */
function withoutEmpty(rows: readonly (readonly string[])[]): string[][] {
  const filled = rows.filter((row) => row.some((cell) => cell !== ""));
  const columns = (rows[0] ?? []).flatMap((_, i) => (filled.some((row) => row[i] !== "") ? [i] : []));
  return filled.map((row) => columns.map((column) => row[column]!));
}
