import { KnowledgeBaseError } from "../../errors.js";
import type { Reembedding } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import type { Lease } from "./lease.js";
import { notFound } from "./not-found.js";
import type { NamespaceRow, ReembeddingRow } from "./row-types.js";
import { enqueue, postponeTask } from "./tasks.js";

// The row and the task of a re-embedding, which all its operations need.

export interface NamespaceRef {
  readonly namespaceId: string;
}

/** The namespace of a task, and what the queue needs to add it. */
export interface TaskOwner extends NamespaceRef {
  readonly organizationId: string;
  readonly now: number;
}

/**
 * Adds the task, or lets it run at once if it waits after an error. The row of the re-embedding must be locked, or new:
 * a worker that ends its task holds that lock, so a task that is found afterwards does not end without seeing what the
 * caller changes.
 */
export function* enqueueReembedding(tx: Tx, owner: TaskOwner): Operation<void> {
  const { namespaceId, now } = owner;
  yield* enqueue(tx, "reembed", namespaceId, owner);
  yield* postponeTask(tx, "reembed", namespaceId, { now, delayMs: 0 });
}

export function* endReembeddingTask(tx: Tx, { taskSeq }: Lease): Operation<void> {
  yield* tx.exec("DELETE FROM tasks WHERE seq = ?", taskSeq);
}

export function* requireNamespace(tx: Tx, namespaceId: string): Operation<NamespaceRow> {
  const row = yield* tx.get<NamespaceRow>("SELECT * FROM namespaces WHERE id = ? AND deleted_at IS NULL", namespaceId);
  if (!row) throw notFound("namespace", namespaceId);
  return row;
}

export function* findReembedding(tx: Tx, namespaceId: string): Operation<ReembeddingRow | undefined> {
  return yield* tx.get<ReembeddingRow>("SELECT * FROM reembeddings WHERE namespace_id = ?", namespaceId);
}

export function* lockReembedding(tx: Tx, namespaceId: string): Operation<ReembeddingRow | undefined> {
  return yield* tx.get<ReembeddingRow>(
    `SELECT * FROM reembeddings WHERE namespace_id = ? ${tx.dialect.lockingRows}`,
    namespaceId,
  );
}

/** Locks the row. @throws KnowledgeBaseError `not_found` if there is none */
export function* requireReembedding(tx: Tx, namespaceId: string): Operation<ReembeddingRow> {
  const row = yield* lockReembedding(tx, namespaceId);
  if (!row)
    throw new KnowledgeBaseError(
      "not_found",
      "The namespace has one set of vectors only: no re-embedding was started.",
    );
  return row;
}

/** The error of a change that was prepared for sets of vectors that the namespace no longer has. */
export function vectorSetsChangedError(): KnowledgeBaseError {
  const message = "The embedding model or the vector store of the namespace was changed meanwhile.";
  return new KnowledgeBaseError("conflict", message, { retryable: true });
}

/** Returns the public name of the state. */
export function stateOf({ state }: Pick<ReembeddingRow, "state">): Reembedding["state"] {
  return state === "switched" ? "cut_over" : state;
}
