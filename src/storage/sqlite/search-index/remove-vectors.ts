import type { Scope } from "../../../types.js";
import type { VectorTarget } from "../../search-index.js";
import type { SqlValue } from "../../tx.js";
import type { Statements } from "../statements.js";
import { findScope } from "./find-scope.js";
import { recordChange } from "./scope-changes.js";
import { removeFromFiles } from "./vector-files.js";

/** Removes vectors. Notifies searches if their documents are published. */
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
  const only = target === "all" ? undefined : target.generation;
  const which = `document_seq = ?${only === undefined ? "" : " AND generation = ?"}`;
  for (const { seq, generation } of documents) {
    const values: SqlValue[] = only === undefined ? [seq] : [seq, only];
    // Uses the chunks' index, which is by document; the index of the vectors would read the whole scope.
    db.run(`DELETE FROM vectors WHERE chunk_seq IN (SELECT seq FROM chunks WHERE ${which})`, ...values);
    removeFromFiles(db, seq, only ?? null);
    if (generation > 0 && (only === undefined || only === generation)) recordChange(db, { scopeId, documentSeq: seq });
  }
}
