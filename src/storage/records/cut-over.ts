import { KnowledgeBaseError } from "../../errors.js";
import type { Reembedding } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type GuardApproval, requireApproval, requireNoGoldenGuard } from "./golden-guards.js";
import { type Lease, requireLease } from "./lease.js";
import { isCompleteSince, readEpochs, type SetCheck } from "./missing-vectors.js";
import {
  endReembeddingTask,
  enqueueReembedding,
  lockReembedding,
  type NamespaceRef,
  requireNamespace,
  requireReembedding,
  stateOf,
  type TaskOwner,
} from "./reembedding-rows.js";
import { getReembedding } from "./reembeddings.js";
import type { ReembeddingRow } from "./row-types.js";
import { forgetSent } from "./sent-vectors.js";

// A cut-over lets searches use the other set of vectors: one transaction changes both rows. A rollback is a cut-over back.

/**
 * Ends the task once every published chunk has a vector in the set, and cuts over if that is wanted. Returns false if the
 * task goes on: with the first chunk, since chunks lack vectors, or since the set is to be discarded.
 */
export function* completeReembedding(
  tx: Tx,
  completion: NamespaceRef & { readonly lease: Lease; readonly check: SetCheck | null; readonly now: number },
): Operation<boolean> {
  const { lease, namespaceId, check, now } = completion;
  yield* requireLease(tx, lease);
  const row = yield* lockReembedding(tx, namespaceId);
  if (row?.state === "discarding") return false;
  if (row && !(yield* completeRow(tx, row, check, now))) {
    yield* tx.exec("UPDATE reembeddings SET after_scope = 0, after_chunk = 0 WHERE namespace_id = ?", namespaceId);
    return false;
  }
  // What was sent when the set was cut over to.
  if (row) yield* forgetSent(tx, row, now);
  yield* endReembeddingTask(tx, lease);
  return true;
}

/**
 * Records that the set is complete, and cuts over if that is wanted. Returns false if chunks lack vectors, or the
 * check was of another set.
 */
function* completeRow(tx: Tx, row: ReembeddingRow, check: SetCheck | null, now: number): Operation<boolean> {
  if (check?.vectorSet !== row.vector_set || !check.isComplete) return false;
  if (row.wants_switch === 1) {
    // A document that is published from now on waits, and then fails for its vectors of the former set. Nor can a scope be
    // added, whose documents would be published with vectors of the former set only.
    yield* tx.lock("namespace", row.namespace_id);
    const scopes = yield* readEpochs(tx, row.namespace_id, tx.dialect.lockingRows);
    if (!(yield* isCompleteSince(tx, row, check, scopes))) return false;
    yield* cutOver(tx, row);
  } else if (row.state === "running") {
    yield* tx.exec("UPDATE reembeddings SET state = 'ready' WHERE namespace_id = ?", row.namespace_id);
  }
  yield* tx.exec(
    "UPDATE reembeddings SET completed_at = coalesce(completed_at, ?) WHERE namespace_id = ?",
    now,
    row.namespace_id,
  );
  return true;
}

/** Lets searches use the vectors, the model and the vector store that they didn't use, at one epoch of each scope. */
function* cutOver(tx: Tx, row: ReembeddingRow): Operation<void> {
  const { namespace_id: namespaceId } = row;
  const { vector_set, embedding_config, vector_store_config } = yield* requireNamespace(tx, namespaceId);
  yield* tx.exec(
    "UPDATE namespaces SET vector_set = ?, embedding_config = ?, vector_store_config = ? WHERE id = ?",
    ...[row.vector_set, row.embedding_config, row.vector_store_config, namespaceId],
  );
  yield* tx.exec(
    "UPDATE scopes SET vector_set = ?, epoch = epoch + 1 WHERE namespace_id = ?",
    row.vector_set,
    namespaceId,
  );
  yield* tx.exec(
    `UPDATE reembeddings SET vector_set = ?, embedding_config = ?, vector_store_config = ?, in_store = used_in_store,
       used_in_store = in_store, state = ?, wants_switch = 0 WHERE namespace_id = ?`,
    ...[vector_set, embedding_config, vector_store_config],
    ...[row.state === "switched" ? "ready" : "switched", namespaceId],
  );
}

/** The request to use the vectors of the other set. */
export interface CutOverRequest extends TaskOwner {
  readonly from: readonly Reembedding["state"][];
  readonly check: SetCheck | null;
  /** What the guard of the namespace has allowed; `null` if it wasn't asked, and "not needed" if it need not be. */
  readonly approval: GuardApproval | "not needed" | null;
}

/**
 * Asks for the vectors of the other set to be used: at once if they are complete, otherwise as soon as the worker has
 * written the missing ones.
 *
 * @throws KnowledgeBaseError `not_found` if the namespace has one set of vectors only, `conflict` if it isn't in one of
 * the given states, and if its guard hasn't allowed these vectors
 */
export function* requestCutOver(tx: Tx, request: CutOverRequest): Operation<Reembedding> {
  const { namespaceId, from, check, approval, now } = request;
  const row = yield* requireReembedding(tx, namespaceId);
  const state = stateOf(row);
  if (!from.includes(state))
    throw new KnowledgeBaseError("conflict", `That is not possible while the re-embedding is ${state}.`);
  if (approval === null) yield* requireNoGoldenGuard(tx, { namespaceId });
  else if (approval !== "not needed") yield* requireApproval(tx, { namespaceId, vectorSet: row.vector_set, approval });
  yield* enqueueReembedding(tx, request);
  const wanted = { ...row, wants_switch: 1, error: null };
  yield* tx.exec("UPDATE reembeddings SET wants_switch = 1, error = NULL WHERE namespace_id = ?", namespaceId);
  if (yield* completeRow(tx, wanted, check, now)) {
    const sql = "DELETE FROM tasks WHERE kind = 'reembed' AND subject = ? AND state = 'ready'";
    // What the task had sent to a store before it failed would be left to nobody.
    if ((yield* tx.run(sql, namespaceId)) > 0) yield* forgetSent(tx, row, now);
  }
  return (yield* getReembedding(tx, request))!;
}
