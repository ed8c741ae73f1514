import type { Operation } from "../operation.js";
import type { Publication } from "../search-index.js";
import type { Tx } from "../tx.js";
import type { LockedDocument } from "./locked-documents.js";
import { enqueue } from "./tasks.js";

/** Abandons the generation that a document's unfinished run was writing, if any, and queues its removal. */
export function* abandonGeneration(tx: Tx, seq: number, now: number): Operation<void> {
  const row = yield* tx.get<{ id: string; building: number; organization_id: string }>(
    `SELECT d.id, d.building, n.organization_id FROM documents d JOIN namespaces n ON n.id = d.namespace_id
     WHERE d.seq = ? AND d.building > 0`,
    seq,
  );
  if (!row) return;
  yield* tx.exec("UPDATE documents SET building = 0 WHERE seq = ?", seq);
  yield* enqueue(tx, "purge", `${row.id}.${row.building}`, { organizationId: row.organization_id, now });
}

/**
 * Hides what is published of documents whose first ingest has ended before they were whole, and queues its removal: a
 * document that failed or was cancelled stays searchable only as a whole. Returns what the caller has to publish in the
 * search index, with all else that it publishes, since that locks the scopes.
 */
export function* withdrawFirstPages(
  tx: Tx,
  documents: readonly LockedDocument[],
  now: number,
): Operation<readonly Publication[]> {
  const partial = documents.filter(
    ({ generation, partial_generation }) => generation > 0 && generation === partial_generation,
  );
  for (const { seq, id, generation } of partial) {
    const { organization_id: organizationId } = (yield* tx.get<{ organization_id: string }>(
      `UPDATE documents SET generation = 0, total_chunks = 0, total_tokens = 0, total_characters = 0, total_pages = 0
       WHERE seq = ? RETURNING (SELECT n.organization_id FROM namespaces n WHERE n.id = namespace_id) AS organization_id`,
      seq,
    ))!;
    yield* enqueue(tx, "purge", `${id}.${generation}`, { organizationId, now });
  }
  return partial.map(({ scope_id: scopeId, seq: documentSeq }) => ({ scopeId, documentSeq, generation: 0 }));
}
