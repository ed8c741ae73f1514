import { vectorHash } from "../../content-hash.js";
import type { BundleChunk, BundleChunksQuery } from "../../snapshot.js";
import { CHUNK_COLUMNS, type ChunkRow, isSound } from "../../stored-chunk.js";
import { vectorTable } from "../../vector-sets.js";
import type { Statements } from "../statements.js";

interface BundleRow extends ChunkRow {
  readonly vector: Uint8Array | null;
  readonly vectorHash: number | null;
}

/**
 * Returns the sequence numbers of a namespace's documents that are published as a whole, in the order of their chunks,
 * by which equal scores are ordered. It differs from that of the documents if some were ingested again.
 */
export function bundleDocuments(db: Statements, { namespaceId }: { readonly namespaceId: string }): readonly number[] {
  return db.column<number>(
    `SELECT d.seq FROM documents d LEFT JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation AND c.ordinal = 0
     WHERE d.namespace_id = ? AND d.generation > 0 AND d.generation <> d.partial_generation ORDER BY c.seq, d.seq`,
    namespaceId,
  );
}

/** Returns up to `limit` chunks of a generation with their vectors, in order, starting at the ordinal `from`. */
export function bundleChunks(db: Statements, query: BundleChunksQuery): readonly BundleChunk[] {
  const rows = db.all<BundleRow>(
    `SELECT ${CHUNK_COLUMNS}, v.vector, v.hash AS "vectorHash"
     FROM chunks c LEFT JOIN ${vectorTable(query.vectorSet)} v ON v.chunk_seq = c.seq
     WHERE c.document_seq = ? AND c.generation = ? AND c.ordinal >= ? ORDER BY c.ordinal LIMIT ?`,
    ...[query.documentSeq, query.generation, query.from, query.limit],
  );
  return rows.map((row) => {
    const { hash, vectorHash: stored, ...chunk } = row;
    const hasSoundVector = row.vector === null || stored === null || stored === vectorHash(row.vector);
    return { ...chunk, isDamaged: !isSound(row) || !hasSoundVector };
  });
}
