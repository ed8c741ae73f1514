import { MAX_CELL_RANGES, MAX_SHEET_COLUMN, MAX_SHEET_ROW } from "../domain/cell-limits.js";
import { parseInput } from "../validation/parse-input.js";
import { z } from "../vendor/zod.js";
import type { PreparedChunk } from "./preparer.js";

const column = z.int().min(1).max(MAX_SHEET_COLUMN);
const row = z.int().min(1).max(MAX_SHEET_ROW);
const offset = z.int().min(0);

const cellsSchema = z
  .array(
    z.object({
      sheet: z.string(),
      columns: z.tuple([column, column]),
      rows: z.tuple([row, row]),
      range: z.object({ start: offset, end: offset }),
      isMerged: z.boolean().optional(),
    }),
  )
  .max(MAX_CELL_RANGES);

/**
 * Checks the cells of chunks from a custom chunker: others could be stored, but an exported bundle with them couldn't be
 * imported.
 * @throws KnowledgeBaseError `invalid_input` for cells that no sheet has, and for too many
 */
export function assertCells(chunks: readonly PreparedChunk[]): void {
  for (const [index, { cells }] of chunks.entries())
    if (cells !== undefined) parseInput(cellsSchema, cells, ["chunks", index, "cells"]);
}
