import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { enqueue } from "./tasks.js";

/** Queues the removal of what an unfinished run has written. */
export function* abandonGeneration(tx: Tx, seq: number, now: number): Operation<void> {
  const row = yield* tx.get<{ id: string; building: number; organization_id: string }>(
    `SELECT d.id, d.building, n.organization_id FROM documents d JOIN namespaces n ON n.id = d.namespace_id
     WHERE d.seq = ? AND d.building > 0`,
    seq,
  );
  if (!row) return;
  yield* tx.run("UPDATE documents SET building = 0 WHERE seq = ?", seq);
  yield* enqueuePurge(tx, { organizationId: row.organization_id, documentId: row.id, generation: row.building, now });
}

/** Queues the removal of one generation of a document. */
export function* enqueuePurge(
  tx: Tx,
  purge: { organizationId: string; documentId: string; generation: number; now: number },
): Operation<void> {
  const { organizationId, documentId, generation, now } = purge;
  yield* enqueue(tx, { organizationId, kind: "purge", subject: `${documentId}.${generation}`, now });
}
