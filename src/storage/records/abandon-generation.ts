import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
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
