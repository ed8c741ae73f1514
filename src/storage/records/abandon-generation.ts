import type { Statements } from "../sqlite/statements.js";
import { enqueue } from "./tasks.js";

/** Queues the removal of what an unfinished run has written. */
export function abandonGeneration(db: Statements, seq: number, now: number): void {
  const row = db.get<{ id: string; building: number; organization_id: string }>(
    `SELECT d.id, d.building, n.organization_id FROM documents d JOIN namespaces n ON n.id = d.namespace_id
     WHERE d.seq = ? AND d.building > 0`,
    seq,
  );
  if (!row) return;
  db.run("UPDATE documents SET building = 0 WHERE seq = ?", seq);
  enqueuePurge(db, { organizationId: row.organization_id, documentId: row.id, generation: row.building, now });
}

/** Queues the removal of one generation of a document. */
export function enqueuePurge(
  db: Statements,
  purge: { organizationId: string; documentId: string; generation: number; now: number },
): void {
  const { organizationId, documentId, generation, now } = purge;
  enqueue(db, { organizationId, kind: "purge", subject: `${documentId}.${generation}`, now });
}
