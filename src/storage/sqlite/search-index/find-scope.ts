import type { Scope } from "../../../types.js";
import type { Statements } from "../statements.js";

/** A scope to search. */
export interface SearchedScope {
  readonly id: number;
  /** Increases with every change that a search could see. */
  readonly epoch: number;
  /** The number of stored chunks, including unpublished generations. */
  readonly chunks: number;
  /** 1 if the scope has a keyword table in the file, else 0. */
  readonly keyword_table: number;
  /** Increases when words of published chunks are analyzed again. */
  readonly keyword_version: number;
  /** The set of vectors that searches use. */
  readonly vector_set: number;
}

/** Finds a scope in this snapshot; `undefined` if the scope has no content. */
export function findScope(db: Statements, scope: Scope): SearchedScope | undefined {
  return db.get<SearchedScope>(
    "SELECT id, epoch, chunks, keyword_table, keyword_version, vector_set FROM scopes WHERE namespace_id = ? AND coalesce(tenant_id, '') = ?",
    scope.namespaceId,
    scope.tenantId ?? "",
  );
}
