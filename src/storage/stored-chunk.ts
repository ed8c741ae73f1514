import type { Stemming } from "../text-analysis/stemming.js";
import { chunkHash, type HashedChunk } from "./content-hash.js";
import type { StoredChunk } from "./search-index.js";

/** The columns of a {@link ChunkRow} of the table `chunks`, under its alias `c`. */
export const CHUNK_COLUMNS = `c.scope_id AS "scopeId", c.document_seq AS "documentSeq", c.generation, c.ordinal, c.text,
  c.index_text AS "indexText", c.headings, c.page, c.metadata, c.tokens, c.start_offset AS start, c.end_offset AS "end",
  c.boxes, c.stemming, c.hash`;

export interface ChunkRow extends HashedChunk {
  readonly stemming: Stemming;
  readonly hash: number | null;
}

/** Returns whether a row is as it was written, as far as is known. */
export function isSound(row: ChunkRow): boolean {
  return row.hash === null || row.hash === chunkHash(row);
}

/** Converts a row. A damaged one loses everything but its place, so that nobody sees what it contains. */
export function toStoredChunk(row: ChunkRow): StoredChunk {
  const { ordinal, start, end } = row;
  if (!isSound(row)) {
    const empty = { text: "", headings: [], page: null, metadata: "{}", boxes: null };
    return { ordinal, ...empty, start, end, isDamaged: true };
  }
  const { text, page, metadata, boxes } = row;
  return { ordinal, text, headings: JSON.parse(row.headings), page, metadata, start, end, boxes, isDamaged: false };
}
