import type { Scope } from "../../../types.js";
import { MAX_CHANGES } from "./scope-changes.js";
import type { Snapshot } from "./snapshot.js";

/** A scope to search. */
export interface SearchedScope {
  readonly id: number;
  /** Increases with every change that a search could see. */
  readonly epoch: number;
}

/** Finds a scope in this snapshot; `undefined` if the scope has no content. */
export async function findScope(db: Snapshot, scope: Scope): Promise<SearchedScope | undefined> {
  const [found] = await db.rows<SearchedScope>(
    "SELECT id, epoch FROM scopes WHERE namespace_id = ? AND coalesce(tenant_id, '') = ?",
    scope.namespaceId,
    scope.tenantId ?? "",
  );
  return found;
}

/** A document that changed, and its published generation: 0 for none. */
export interface ChangedDocument {
  readonly seq: number;
  readonly generation: number;
}

/** Returns the documents of a scope that changed after an epoch; `null` if the epoch is too long ago. */
export async function changesSince(
  db: Snapshot,
  scope: SearchedScope,
  since: number,
): Promise<readonly ChangedDocument[] | null> {
  if (scope.epoch - since > MAX_CHANGES) return null;
  return db.rows<ChangedDocument>(
    `SELECT s.document_seq AS seq, coalesce(d.generation, 0) AS generation
     FROM (SELECT DISTINCT document_seq FROM scope_changes WHERE scope_id = ? AND epoch > ?) s
     LEFT JOIN documents d ON d.seq = s.document_seq ORDER BY 1`,
    scope.id,
    since,
  );
}
