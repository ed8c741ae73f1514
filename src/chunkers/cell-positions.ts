import type { RowCells } from "../interfaces/block.js";
import type { ChunkDraft, DraftCells } from "../interfaces/chunker.js";
import type { TextRange } from "../types.js";
import type { BlockIndex } from "./block-index.js";
import type { ChunkPart } from "./page-positions.js";

const MAX_RANGES = 64;
/** Longer names of sheets are cut: applications allow 31 characters, but a file may have any, and each chunk repeats it. */
const MAX_NAME_CHARACTERS = 255;
/** The lines of a table before its rows: its header, and the line that separates the two. */
const HEADER_LINES = 2;

/** Returns the cells that a chunk's rows of tables come from, each run of consecutive rows with its range of the text. */
export function cellPositions(index: BlockIndex, parts: readonly ChunkPart[]): Pick<ChunkDraft, "cells"> {
  const cells = parts.flatMap(({ block, part, start }) => {
    const { rowCells } = block;
    if (rowCells === undefined) return [];
    const runs = runsWithin(rowCells, index.lineStarts(part.block), { start: part.from, end: part.to });
    const shift = start - part.from;
    return runs.map(({ rows, range }) => ({
      sheet: rowCells.sheet.slice(0, MAX_NAME_CHARACTERS),
      columns: rowCells.columns,
      rows,
      range: { start: range.start + shift, end: range.end + shift },
    }));
  });
  if (cells.length === 0) return {};
  return { cells: cells.length <= MAX_RANGES ? cells : mergeByTable(cells).slice(0, MAX_RANGES) };
}

type Run = Pick<DraftCells, "rows" | "range">;

/** Returns the runs of consecutive rows in a range of a table's text. */
function runsWithin(
  { headerRows, rows }: RowCells,
  lineStarts: readonly number[],
  { start, end }: TextRange,
): readonly Run[] {
  const runs: Run[] = [];
  const endOf = (line: number) => Math.min(end, (lineStarts[line + 1] ?? Number.POSITIVE_INFINITY) - 1);
  const firstLine = lineAt(lineStarts, start);
  const lastLine = lineAt(lineStarts, end - 1);
  if (firstLine === 0 && headerRows !== undefined) runs.push({ rows: headerRows, range: { start, end: endOf(0) } });
  let line = Math.max(firstLine, HEADER_LINES);
  while (line <= lastLine) {
    const rowAt = (at: number) => rows[at - HEADER_LINES]!;
    const first = line;
    while (line < lastLine && rowAt(line + 1) === rowAt(line) + 1) line++;
    const range = { start: Math.max(start, lineStarts[first]!), end: endOf(line) };
    runs.push({ rows: [rowAt(first), rowAt(line)], range });
    line++;
  }
  return runs;
}

/** Returns the index of the line that contains an offset, by binary search. */
function lineAt(lineStarts: readonly number[], offset: number): number {
  let [low, high] = [0, lineStarts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (lineStarts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Merges consecutive ranges of the same columns into one. */
function mergeByTable(cells: readonly DraftCells[]): DraftCells[] {
  const merged: DraftCells[] = [];
  for (const next of cells) {
    const last = merged.at(-1);
    if (last?.sheet !== next.sheet || last.columns !== next.columns) merged.push(next);
    else {
      const rows = [Math.min(last.rows[0], next.rows[0]), Math.max(last.rows[1], next.rows[1])] as const;
      merged[merged.length - 1] = { ...last, rows, range: { start: last.range.start, end: next.range.end } };
    }
  }
  return merged;
}
