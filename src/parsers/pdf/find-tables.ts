import type { Line } from "./lines.js";
import { LIST_MARKER } from "./list-marker.js";
import type { Segment } from "./segments.js";
import { maxOf, median } from "./statistics.js";

/** A run of lines in columns. */
export interface FoundTable {
  /** Index of the first line and of the line after the last. */
  readonly from: number;
  readonly to: number;
  readonly rows: readonly (readonly string[])[];
}

interface Column {
  left: number;
  right: number;
}

/** Finds tables among the lines of a region by the vertical gaps between their columns. */
export function findTables(lines: readonly Line[]): FoundTable[] {
  const tables: FoundTable[] = [];
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

/** Where a run of lines with several pieces ends; it may include a line or two of wrapped cell text. */
function runEnd(lines: readonly Line[], from: number): number {
  if (lines[from]!.cells.length < 2) return from;
  let end = from + 1;
  let single = 0;
  for (let i = from + 1; i < lines.length; i++) {
    const gap = lines[i]!.baseline - lines[i - 1]!.baseline;
    if (gap > Math.max(lines[i]!.size, lines[i - 1]!.size) * 3.2) break;
    if (lines[i]!.cells.length >= 2) {
      single = 0;
      end = i + 1;
    } else if (++single > 2 || spansPieces(lines[i]!, lines[from]!)) break;
  }
  return end;
}

/** Whether a line of one piece continues below the second piece of another: text, not a wrapped cell. */
function spansPieces(line: Line, above: Line): boolean {
  return line.left <= above.cells[0]!.right && line.right > above.cells[1]!.left + line.size * 2;
}

function tableOf(lines: readonly Line[], from: number, to: number): FoundTable | null {
  const run = lines.slice(from, to);
  const columns = columnsOf(run);
  if (columns.length < 2) return null;
  const wide = run.filter((line) => line.cells.length >= 2);
  if (wide.length < (columns.length === 2 ? 3 : 2)) return null;
  if (wide.every((line) => LIST_MARKER.test(line.cells[0]!.text) && line.cells[0]!.text.length <= 4)) return null;
  if (wide.filter((line) => line.cells.some((cell) => /^[.\s…]{4,}$|\.{4,}/.test(cell.text))).length > wide.length / 2)
    return null;
  return { from, to, rows: rowsOf(run, columns) };
}

/**
 * Columns as the intervals that the pieces of the fullest lines cover. Spanning cells of a heading row would merge
 * columns, so lines with fewer pieces don't take part.
 */
function columnsOf(run: readonly Line[]): Column[] {
  const minPieces = fullestCount(run);
  const pieces = run.filter((line) => line.cells.length >= minPieces).flatMap((line) => line.cells);
  const columns: Column[] = [];
  for (const { left, right } of pieces.sort((a, b) => a.left - b.left)) {
    const last = columns.at(-1);
    if (last !== undefined && left < last.right) last.right = Math.max(last.right, right);
    else columns.push({ left, right });
  }
  return columns;
}

/** The greatest number of pieces that at least two lines have. */
function fullestCount(run: readonly Line[]): number {
  const counts = run.map((line) => line.cells.length).sort((a, b) => b - a);
  return Math.max(2, counts[Math.min(counts.length - 1, Math.floor(counts.length * 0.15) + 1)] ?? 2);
}

function rowsOf(run: readonly Line[], columns: readonly Column[]): string[][] {
  const rows: string[][] = [];
  const gaps = run.slice(1).map((line, i) => line.baseline - run[i]!.baseline);
  const typical = median(gaps);
  for (const [i, line] of run.entries()) {
    const cells = new Array<string>(columns.length).fill("");
    for (const piece of line.cells) {
      const column = nearestColumn(piece, columns);
      cells[column] = cells[column] === "" ? piece.text : `${cells[column]} ${piece.text}`;
    }
    const last = rows.at(-1);
    if (last !== undefined && isWrap(cells, last, gaps[i - 1]!, typical)) {
      for (const [column, text] of cells.entries()) if (text !== "") last[column] = `${last[column]} ${text}`.trim();
    } else rows.push(cells);
  }
  return rows;
}

/** Whether a line continues the cells of the row above it. */
function isWrap(cells: readonly string[], above: readonly string[], gap: number, typical: number): boolean {
  const filled = cells.filter((cell) => cell !== "").length;
  if (filled === cells.length) return false;
  const continues = cells.every((cell, i) => cell === "" || above[i] !== "");
  if (!continues) return false;
  if (cells[0] === "" && filled <= cells.length / 2 && gap <= typical * 1.1) return true;
  return filled === 1 && gap < typical * 0.9;
}

function nearestColumn(piece: Segment, columns: readonly Column[]): number {
  const overlaps = columns.map(({ left, right }) => Math.min(piece.right, right) - Math.max(piece.left, left));
  return overlaps.indexOf(maxOf(overlaps));
}
