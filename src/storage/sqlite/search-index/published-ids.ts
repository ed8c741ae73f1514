import type { Statements } from "../statements.js";

/** The ids `<documentId>.<generation>.<n>` of the given chunks, in order; unpublished ones are missing. */
export function publishedIds(db: Statements, chunkSeqs: readonly number[]): readonly string[] {
  return db.column<string>(
    `SELECT d.id || '.' || c.generation || '.' || c.ordinal FROM json_each(?) j CROSS JOIN chunks c ON c.seq = j.value
     CROSS JOIN documents d ON d.seq = c.document_seq AND d.generation = c.generation ORDER BY j.key`,
    JSON.stringify(chunkSeqs),
  );
}
