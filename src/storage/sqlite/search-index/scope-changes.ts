import type { Statements } from "../statements.js";
import { isFileWritingDue, writeVectorFiles } from "./vector-files.js";

/** Recorded changes of a scope. A reader that is further behind reads the whole scope again. */
const MAX_CHANGES = 20_000;
/** How often older changes are deleted, in changes. */
const SWEEP_INTERVAL = 1000;

/**
 * Records that another generation of a document, or none, is published. Increments the scope's epoch, and tells indexes
 * of the scope which document to read again.
 */
export function recordChange(db: Statements, { scopeId, documentSeq }: { scopeId: number; documentSeq: number }): void {
  const { epoch, filed_epoch } = db.get<{ epoch: number; filed_epoch: number }>(
    "UPDATE scopes SET epoch = epoch + 1 WHERE id = ? RETURNING epoch, filed_epoch",
    scopeId,
  )!;
  db.run("INSERT INTO scope_changes (scope_id, epoch, document_seq) VALUES (?, ?, ?)", scopeId, epoch, documentSeq);
  if (isFileWritingDue(epoch - filed_epoch)) writeVectorFiles(db, scopeId);
  if (epoch % SWEEP_INTERVAL === 0)
    db.run("DELETE FROM scope_changes WHERE scope_id = ? AND epoch <= ?", scopeId, epoch - MAX_CHANGES);
}

/**
 * The documents of a scope whose published generation changed after an epoch, each once. `null` if that epoch is too
 * long ago.
 */
export function changesSince(
  db: Statements,
  scope: { readonly id: number; readonly epoch: number },
  since: number,
): ReadonlySet<number> | null {
  if (scope.epoch - since > MAX_CHANGES) return null;
  const changes = db.all<{ document_seq: number }>(
    "SELECT document_seq FROM scope_changes WHERE scope_id = ? AND epoch > ?",
    scope.id,
    since,
  );
  return new Set(changes.map((change) => change.document_seq));
}
