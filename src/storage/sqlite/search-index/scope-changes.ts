import { recordBytes } from "../../../vector-scan/record.js";
import { vectorTable } from "../../vector-sets.js";
import type { Statements } from "../statements.js";

/** The maximum number of changes that a reader catches up with. After more, it reads the whole scope again. */
const MAX_CHANGES = 20_000;
/** The number of changes after which older changes are deleted. */
const SWEEP_INTERVAL = 1000;
/** The total size of new records at which a vector file is written. */
export const MIN_FILE_BYTES = 512 * 1024;
/** The number of changes after which a file is written, whatever its size, so that the changes can be deleted. */
export const MAX_UNFILED_CHANGES = 16_384;

/**
 * Logs that a document changed: another generation or no generation is now published, or its vectors changed.
 * Increments the scope's epoch, so that indexes of the scope read the document again, and counts its records as not yet
 * in a file.
 */
export function recordChange(db: Statements, { scopeId, documentSeq }: { scopeId: number; documentSeq: number }): void {
  const bytes = publishedBytes(db, scopeId, documentSeq);
  const { epoch, filed_epoch } = db.get<{ epoch: number; filed_epoch: number }>(
    `UPDATE scopes SET epoch = epoch + 1, unfiled_bytes = unfiled_bytes + ?,
       filed_epoch = iif(unfiled_bytes + ? = 0, epoch + 1, filed_epoch) WHERE id = ? RETURNING epoch, filed_epoch`,
    bytes,
    bytes,
    scopeId,
  )!;
  db.run("INSERT INTO scope_changes (scope_id, epoch, document_seq) VALUES (?, ?, ?)", scopeId, epoch, documentSeq);
  if (epoch > filed_epoch && (epoch - filed_epoch) % MAX_UNFILED_CHANGES === 0)
    db.run("UPDATE scopes SET unfiled_bytes = unfiled_bytes + ? WHERE id = ?", MIN_FILE_BYTES, scopeId);
  if (epoch % SWEEP_INTERVAL === 0) {
    const lastDeleted = Math.min(epoch - MAX_CHANGES, filed_epoch);
    db.run("DELETE FROM scope_changes WHERE scope_id = ? AND epoch <= ?", scopeId, lastDeleted);
  }
}

/** Increments a scope's epoch so far that every index of the scope in memory is built anew. */
export function skipEpochs(db: Statements, scopeId: number): void {
  db.run("UPDATE scopes SET epoch = epoch + ? WHERE id = ?", MAX_CHANGES + 1, scopeId);
}

/** Returns the documents of a scope that changed after an epoch; `null` if the epoch is too long ago. */
export function changesSince(
  db: Statements,
  scope: { readonly id: number; readonly epoch: number },
  since: number,
): ReadonlySet<number> | null {
  if (scope.epoch - since > MAX_CHANGES) return null;
  const changes = db.column<number>(
    "SELECT document_seq FROM scope_changes WHERE scope_id = ? AND epoch > ?",
    scope.id,
    since,
  );
  return new Set(changes);
}

/** Returns the set of vectors that searches of a scope use. */
export function activeVectorSet(db: Statements, scopeId: number): number {
  return db.column<number>("SELECT vector_set FROM scopes WHERE id = ?", scopeId)[0]!;
}

/** Returns the size of a document's published records; 0 for a database in memory, which has no vector files. */
function publishedBytes(db: Statements, scopeId: number, documentSeq: number): number {
  if (db.connection.memory) return 0;
  const { vectors, bytes } = db.get<{ vectors: number; bytes: number | null }>(
    `SELECT count(*) AS vectors, max(length(v.vector)) AS bytes FROM documents d
     CROSS JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation
     CROSS JOIN ${vectorTable(activeVectorSet(db, scopeId))} v ON v.chunk_seq = c.seq WHERE d.seq = ? AND d.generation > 0`,
    documentSeq,
  )!;
  return vectors * recordBytes((bytes ?? 0) / 4);
}
