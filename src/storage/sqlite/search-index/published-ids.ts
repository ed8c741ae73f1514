import type { Statements } from "../statements.js";

/**
 * The ids of some chunks, `<documentId>.<generation>.<n>`, in their order; fewer where one is not of a published
 * generation.
 */
export function publishedIds(db: Statements, chunkSeqs: readonly number[]): readonly string[] {
  return db.column<string>(
    `SELECT d.id || '.' || c.generation || '.' || c.ordinal FROM json_each(?) j CROSS JOIN chunks c ON c.seq = j.value
     CROSS JOIN documents d ON d.seq = c.document_seq AND d.generation = c.generation ORDER BY j.key`,
    JSON.stringify(chunkSeqs),
  );
}
