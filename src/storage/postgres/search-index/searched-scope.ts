import type { Scope } from "../../../types.js";
import { MAX_CHANGES } from "./scope-changes.js";
import type { Snapshot } from "./snapshot.js";

/** The state of a scope that a search sees. */
export interface ScopeState {
  /** Increases with every change that a search could see. */
  readonly epoch: number;
  /**
   * The random number of the last change; `null` without changes, or if an earlier version made it. By it, a state is
   * told from one with the same epoch that was lost: a standby that has taken over, or a restored backup, may lack the
   * last changes.
   */
  readonly mark: number | null;
}

/** A scope to search. */
export interface SearchedScope extends ScopeState {
  readonly id: number;
  /** The set of vectors that searches use. */
  readonly vectorSet: number;
}

/** Finds a scope in this snapshot; `undefined` if the scope has no content. */
export async function findScope(db: Snapshot, scope: Scope): Promise<SearchedScope | undefined> {
  const [found] = await db.rows<SearchedScope>(
    `SELECT s.id, s.epoch, s.vector_set AS "vectorSet", (SELECT c.mark FROM scope_changes c WHERE c.scope_id = s.id AND c.epoch <= s.epoch
       ORDER BY c.epoch DESC LIMIT 1) AS mark
     FROM scopes s WHERE s.namespace_id = ? AND coalesce(s.tenant_id, '') = ?`,
    scope.namespaceId,
    scope.tenantId ?? "",
  );
  return found;
}

/** Returns whether a scope has not changed. */
export function isSameState(a: ScopeState, b: ScopeState): boolean {
  return a.epoch === b.epoch && a.mark === b.mark;
}

/** A document that changed, and its published generation: 0 for none. */
export interface ChangedDocument {
  readonly seq: number;
  readonly generation: number;
}

/**
 * Returns the documents of a scope that changed after an earlier state. Returns `null` if that is too long ago, or isn't
 * in the scope's history.
 */
export async function changesSince(
  db: Snapshot,
  scope: SearchedScope,
  { epoch, mark }: ScopeState,
): Promise<readonly ChangedDocument[] | null> {
  if (scope.epoch < epoch || scope.epoch - epoch > MAX_CHANGES) return null;
  const [[last], changed] = await Promise.all([
    db.rows<{ mark: number | null }>(
      "SELECT mark FROM scope_changes WHERE scope_id = ? AND epoch <= ? ORDER BY epoch DESC LIMIT 1",
      scope.id,
      epoch,
    ),
    db.rows<ChangedDocument>(
      `SELECT s.document_seq AS seq, coalesce(d.generation, 0) AS generation
       FROM (SELECT DISTINCT document_seq FROM scope_changes WHERE scope_id = ? AND epoch > ?) s
       LEFT JOIN documents d ON d.seq = s.document_seq ORDER BY 1`,
      scope.id,
      epoch,
    ),
  ]);
  return (last?.mark ?? null) === mark ? changed : null;
}
