import { MAX_CELL_RANGES } from "../domain/cell-limits.js";
import type { RowCells } from "../interfaces/block.js";
import type { ChunkDraft, DraftCells } from "../interfaces/chunker.js";
import type { TextRange } from "../types.js";
import { lineAt } from "../util/line-starts.js";
import type { BlockIndex } from "./block-index.js";
import type { ChunkPart } from "./page-positions.js";

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
      sheet: rowCells.sheet,
      columns: rowCells.columns,
      rows,
      range: { start: range.start + shift, end: range.end + shift },
    }));
  });
  if (cells.length === 0) return {};
  if (cells.length <= MAX_CELL_RANGES) return { cells };
  const byTable = merge(cells, (a, b) => a.columns === b.columns);
  if (byTable.length <= MAX_CELL_RANGES) return { cells: byTable };
  return { cells: merge(byTable, (a, b) => a.sheet === b.sheet).slice(0, MAX_CELL_RANGES) };
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

/** Merges consecutive ranges that belong together. */
function merge(
  cells: readonly DraftCells[],
  belongTogether: (a: DraftCells, b: DraftCells) => boolean,
): readonly DraftCells[] {
  const merged: DraftCells[] = [];
  for (const next of cells) {
    const last = merged.at(-1);
    if (last === undefined || !belongTogether(last, next)) merged.push(next);
    else {
      const rows = unionOf(last.rows, next.rows);
      // The same array for the same columns tells the ranges of a table from those of others.
      const columns = last.columns === next.columns ? last.columns : unionOf(last.columns, next.columns);
      const range = { start: last.range.start, end: next.range.end };
      merged[merged.length - 1] = { ...last, columns, rows, range, isMerged: true };
    }
  }
  return merged;
}

function unionOf(a: DraftCells["rows"], b: DraftCells["rows"]): DraftCells["rows"] {
  return [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
}
