import type { Line } from "./lines.js";
import { LIST_MARKER_PATTERN } from "./list-marker.js";
import type { Segment } from "./segments.js";
import { maxOf, median } from "./statistics.js";

/** A table found in a run of lines. */
export interface TextTable {
  /** Index of the first line. */
  readonly from: number;
  /** Index after the last line. */
  readonly to: number;
  readonly rows: readonly (readonly string[])[];
}

interface Column {
  left: number;
  right: number;
}

/** Finds tables among the lines of a region by the vertical gaps between their columns. */
export function findTables(lines: readonly Line[]): TextTable[] {
  const tables: TextTable[] = [];
  for (let from = 0; from < lines.length; ) {
    const to = runEnd(lines, from);
    const table = to === from ? null : tableOf(lines, from, to);
    if (table === null) from = Math.max(from + 1, to);
    else {
      tables.push(table);
      from = table.to;
    }
  }
  return tables;
}

/** Returns the end of a run of lines with several cells, among which may be lines with the rest of a wrapped cell. */
function runEnd(lines: readonly Line[], from: number): number {
  if (lines[from]!.cells.length < 2) return from;
  let end = from + 1;
  let singleCellLines = 0;
  for (let i = from + 1; i < lines.length; i++) {
    const gap = lines[i]!.baseline - lines[i - 1]!.baseline;
    if (gap > Math.max(lines[i]!.size, lines[i - 1]!.size) * 3.2) break;
    if (lines[i]!.cells.length >= 2) {
      singleCellLines = 0;
      end = i + 1;
    } else if (++singleCellLines > 2 || spansCells(lines[i]!, lines[from]!)) break;
  }
  return end;
}

/** Whether a line with one cell extends below the second cell of another line, so that it isn't a wrapped cell. */
function spansCells(line: Line, other: Line): boolean {
  return line.left <= other.cells[0]!.right && line.right > other.cells[1]!.left + line.size * 2;
}

function tableOf(lines: readonly Line[], from: number, to: number): TextTable | null {
  const run = lines.slice(from, to);
  const columns = columnsOf(run);
  if (columns.length < 2) return null;
  const multiCellLines = run.filter((line) => line.cells.length >= 2);
  if (multiCellLines.length < (columns.length === 2 ? 3 : 2)) return null;
  const isList = multiCellLines.every(
    ({ cells: [first] }) => LIST_MARKER_PATTERN.test(first!.text) && first!.text.length <= 4,
  );
  const linesWithLeaders = multiCellLines.filter(({ cells }) =>
    cells.some(({ text }) => /^[.\s…]{4,}$|\.{4,}/.test(text)),
  );
  if (isList || linesWithLeaders.length > multiCellLines.length / 2) return null;
  return { from, to, rows: rowsOf(run, columns) };
}

/**
 * Returns the columns: the intervals covered by the cells of the lines with the most cells. Ignores lines with fewer
 * cells, since cells of a heading row that span columns would merge them.
 */
function columnsOf(run: readonly Line[]): Column[] {
  const minCells = maxCellCount(run);
  const cells = run.filter((line) => line.cells.length >= minCells).flatMap((line) => line.cells);
  const columns: Column[] = [];
  for (const { left, right } of cells.sort((a, b) => a.left - b.left)) {
    const last = columns.at(-1);
    if (last !== undefined && left < last.right) last.right = Math.max(last.right, right);
    else columns.push({ left, right });
  }
  return columns;
}

/** Returns the number of cells in the fullest lines, ignoring outliers. */
function maxCellCount(run: readonly Line[]): number {
  const counts = run.map((line) => line.cells.length).sort((a, b) => b - a);
  return Math.max(2, counts[Math.min(counts.length - 1, Math.floor(counts.length * 0.15) + 1)] ?? 2);
}

function rowsOf(run: readonly Line[], columns: readonly Column[]): string[][] {
  const rows: string[][] = [];
  const gaps = run.slice(1).map((line, i) => line.baseline - run[i]!.baseline);
  const typicalGap = median(gaps);
  for (const [i, line] of run.entries()) {
    const texts = new Array<string>(columns.length).fill("");
    for (const cell of line.cells) {
      const column = nearestColumn(cell, columns);
      texts[column] = texts[column] === "" ? cell.text : `${texts[column]} ${cell.text}`;
    }
    const last = rows.at(-1);
    if (last !== undefined && continuesRow(texts, last, gaps[i - 1]!, typicalGap)) {
      for (const [column, text] of texts.entries()) if (text !== "") last[column] = `${last[column]} ${text}`.trim();
    } else rows.push(texts);
  }
  return rows;
}

/** Whether a line with text in only some columns continues the row above it. */
function continuesRow(cells: readonly string[], row: readonly string[], gap: number, typicalGap: number): boolean {
  const filled = cells.filter((cell) => cell !== "").length;
  if (filled === cells.length) return false;
  const isContinuation = cells.every((cell, i) => cell === "" || row[i] !== "");
  if (!isContinuation) return false;
  if (cells[0] === "" && filled <= cells.length / 2 && gap <= typicalGap * 1.1) return true;
  return filled === 1 && gap < typicalGap * 0.9;
}

function nearestColumn(cell: Segment, columns: readonly Column[]): number {
  const overlaps = columns.map(({ left, right }) => Math.min(cell.right, right) - Math.max(cell.left, left));
  return overlaps.indexOf(maxOf(overlaps));
}
