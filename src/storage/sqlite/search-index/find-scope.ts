import type { Scope } from "../../../types.js";
import type { Statements } from "../statements.js";

/** A scope to search. */
export interface SearchedScope {
  readonly id: number;
  readonly epoch: number;
  /** The number of stored chunks, including unpublished generations. */
  readonly chunks: number;
  readonly keyword_table: number;
}

/** The scope's row in this snapshot; `undefined` if the scope has no content. */
export function findScope(db: Statements, scope: Scope): SearchedScope | undefined {
  return db.get<SearchedScope>(
    "SELECT id, epoch, chunks, keyword_table FROM scopes WHERE namespace_id = ? AND coalesce(tenant_id, '') = ?",
    scope.namespaceId,
    scope.tenantId ?? "",
  );
}
