import type { Operation } from "../../operation.js";
import type { IndexTx } from "./index-database.js";

/** The maximum number of changes that a reader catches up with. After more, it reads the whole scope again. */
export const MAX_CHANGES = 20_000;
/** The number of changes after which older changes are deleted. */
const SWEEP_INTERVAL = 1000;

/**
 * Records that other generations of documents, or none, are published, or that their vectors changed. Increments the
 * scope's epoch once for each, and locks the scope until the transaction ends.
 */
export function* recordChange(
  tx: IndexTx,
  { scopeId, documentSeqs }: { readonly scopeId: number; readonly documentSeqs: readonly number[] },
): Operation<void> {
  const count = documentSeqs.length;
  if (count === 0) return;
  const changed = yield* tx.get<{ epoch: number }>(
    `WITH scope AS (UPDATE scopes SET epoch = epoch + ?::bigint WHERE id = ? RETURNING id, epoch), changes AS (
       INSERT INTO scope_changes (scope_id, epoch, document_seq)
       SELECT scope.id, scope.epoch - ?::bigint + given.place, given.document_seq
       FROM scope, unnest(?::bigint[]) WITH ORDINALITY AS given (document_seq, place))
     SELECT epoch FROM scope`,
    ...[count, scopeId, count, documentSeqs],
  );
  if (!changed) return;
  const { epoch } = changed;
  if (Math.floor(epoch / SWEEP_INTERVAL) === Math.floor((epoch - count) / SWEEP_INTERVAL)) return;
  yield* tx.exec("DELETE FROM scope_changes WHERE scope_id = ? AND epoch <= ?", scopeId, epoch - MAX_CHANGES);
}
