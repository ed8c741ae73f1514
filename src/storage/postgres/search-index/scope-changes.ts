import type { Operation } from "../../operation.js";
import type { IndexTx } from "./index-database.js";

/** The maximum number of changes that a reader catches up with. After more, it reads the whole scope again. */
export const MAX_CHANGES = 20_000;
/** The number of changes after which older changes are deleted. */
const SWEEP_INTERVAL = 1000;

/**
 * Records that other generations of documents, or none, are published, or that their vectors changed. Increments the
 * scope's epoch once for each, and locks the scope until the transaction ends. Returns the set of vectors that searches of
 * the scope use; `undefined` if it has been removed or there are no documents.
 */
export function* recordChange(
  tx: IndexTx,
  { scopeId, documentSeqs }: { readonly scopeId: number; readonly documentSeqs: readonly number[] },
): Operation<number | undefined> {
  const count = documentSeqs.length;
  if (count === 0) return undefined;
  const changed = yield* tx.get<{ epoch: number; vectorSet: number }>(
    `WITH scope AS (UPDATE scopes SET epoch = epoch + ?::bigint WHERE id = ? RETURNING id, epoch, vector_set), changes AS (
       INSERT INTO scope_changes (scope_id, epoch, document_seq)
       SELECT scope.id, scope.epoch - ?::bigint + given.place, given.document_seq
       FROM scope, unnest(?::bigint[]) WITH ORDINALITY AS given (document_seq, place))
     SELECT epoch, vector_set AS "vectorSet" FROM scope`,
    ...[count, scopeId, count, documentSeqs],
  );
  if (!changed) return undefined;
  const { epoch, vectorSet } = changed;
  if (Math.floor(epoch / SWEEP_INTERVAL) === Math.floor((epoch - count) / SWEEP_INTERVAL)) return vectorSet;
  yield* tx.exec("DELETE FROM scope_changes WHERE scope_id = ? AND epoch <= ?", scopeId, epoch - MAX_CHANGES);
  return vectorSet;
}
