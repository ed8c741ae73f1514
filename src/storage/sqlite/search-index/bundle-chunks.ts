import type { Statements } from "../statements.js";

/** A stored chunk with everything that an export needs. JSON is text. */
export interface BundleChunk {
  readonly ordinal: number;
  readonly text: string;
  /** `null` if it equals `text`. */
  readonly indexText: string | null;
  readonly headings: string;
  readonly page: number | null;
  readonly metadata: string;
  readonly tokens: number;
  readonly start: number;
  readonly end: number;
  readonly boxes: string | null;
  readonly stemming: number;
  /** `null` if the search index has no vector of the chunk. */
  readonly vector: Uint8Array | null;
}

/**
 * Returns the sequence numbers of a namespace's published documents in the order of their chunks, by which equal scores
 * are ordered. It differs from that of the documents if some were ingested again.
 */
export function bundleDocuments(db: Statements, { namespaceId }: { readonly namespaceId: string }): readonly number[] {
  return db.column<number>(
    `SELECT d.seq FROM documents d LEFT JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation AND c.ordinal = 0
     WHERE d.namespace_id = ? AND d.generation > 0 ORDER BY c.seq, d.seq`,
    namespaceId,
  );
}

/** Returns up to `limit` chunks of a generation with their vectors, in order, starting at the ordinal `from`. */
export function bundleChunks(
  db: Statements,
  query: { readonly documentSeq: number; readonly generation: number; readonly from: number; readonly limit: number },
): readonly BundleChunk[] {
  return db.all<BundleChunk>(
    `SELECT c.ordinal, c.text, c.index_text AS indexText, c.headings, c.page, c.metadata, c.tokens,
       c.start_offset AS start, c.end_offset AS "end", c.boxes, c.stemming, v.vector
     FROM chunks c LEFT JOIN vectors v ON v.chunk_seq = c.seq
     WHERE c.document_seq = ? AND c.generation = ? AND c.ordinal >= ? ORDER BY c.ordinal LIMIT ?`,
    ...[query.documentSeq, query.generation, query.from, query.limit],
  );
}
