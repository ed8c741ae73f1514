import type { Scope } from "../../../types.js";
import type { VectorTarget } from "../../search-index.js";
import type { SqlValue } from "../../sql-value.js";
import type { Statements } from "../statements.js";
import { findScope } from "./find-scope.js";
import { recordChange } from "./scope-changes.js";
import { removeFromFiles } from "./vector-files.js";

/** Removes vectors of all sets. Records a change of each document whose published vectors it removes, so that searches see it. */
export function removeVectors(
  db: Statements,
  { scope, target }: { readonly scope: Scope; readonly target: VectorTarget },
): void {
  const scopeId = findScope(db, scope)?.id;
  if (scopeId === undefined) return;
  const documents = db.all<{ seq: number; generation: number }>(
    `SELECT seq, generation FROM documents WHERE scope_id = ?${target === "all" ? "" : " AND id = ?"}`,
    scopeId,
    ...(target === "all" ? [] : [target.documentId]),
  );
  const removedGeneration = target === "all" ? undefined : target.generation;
  const condition = `document_seq = ?${removedGeneration === undefined ? "" : " AND generation = ?"}`;
  for (const { seq, generation } of documents) {
    const values: SqlValue[] = removedGeneration === undefined ? [seq] : [seq, removedGeneration];
    // Uses the index of chunks by document; the index of vectors would read the whole scope.
    for (const table of ["vectors", "odd_vectors"])
      db.run(`DELETE FROM ${table} WHERE chunk_seq IN (SELECT seq FROM chunks WHERE ${condition})`, ...values);
    removeFromFiles(db, seq, removedGeneration ?? null, null);
    if (generation > 0 && (removedGeneration === undefined || removedGeneration === generation))
      recordChange(db, { scopeId, documentSeq: seq });
  }
}
