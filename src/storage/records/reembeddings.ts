import { KnowledgeBaseError } from "../../errors.js";
import type { EmbeddingConfig, Reembedding, ReembeddingEstimate, VectorStoreConfig } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { requireNoGoldenGuard } from "./golden-guards.js";
import { type Lease, requireLease } from "./lease.js";
import type { ChunkCursor } from "./missing-vectors.js";
import {
  endReembeddingTask,
  enqueueReembedding,
  findReembedding,
  lockReembedding,
  type NamespaceRef,
  requireNamespace,
  requireReembedding,
  stateOf,
  type TaskOwner,
  vectorSetsChangedError,
} from "./reembedding-rows.js";
import type { NamespaceRow, ReembeddingRow } from "./row-types.js";
import { addSealedValues, type SealedRow } from "./sealed-values.js";
import { forgetSent } from "./sent-vectors.js";

// A namespace whose embedding model or vector store is changed has a row in `reembeddings` from the start until the
// vectors that searches don't use are discarded. A task of the kind `reembed` writes the missing vectors of that set.

interface ReembeddingStart extends TaskOwner {
  /** The last set number of the namespace, by which the set was chosen. */
  readonly lastVectorSet: number;
  /** The set that searches used when the configurations were read. */
  readonly usedVectorSet: number;
  readonly vectorSet: number;
  /** With masks instead of secrets. */
  readonly embeddingConfig: EmbeddingConfig;
  readonly vectorStoreConfig: VectorStoreConfig;
  /** Whether the new vectors are in a vector store, not in the database. */
  readonly isInStore: boolean;
  /** The same of the vectors that searches use. */
  readonly isUsedInStore: boolean;
  /** Whether both sets are of the same model. */
  readonly isSameModel: boolean;
  readonly sealed: readonly SealedRow[];
  /** Whether searches are to use the new vectors as soon as they are complete. */
  readonly wantsCutOver: boolean;
  readonly chunksPerSecond: number | null;
}

/**
 * Returns the number for the next set of vectors, and the last number that was given to one.
 * @throws KnowledgeBaseError `conflict` if a second set is kept, or (then retryable) if searches use another one
 */
export function* nextVectorSet(
  tx: Tx,
  { namespaceId, usedVectorSet }: NamespaceRef & { readonly usedVectorSet: number },
): Operation<{ readonly vectorSet: number; readonly lastVectorSet: number }> {
  const { vector_set, last_vector_set } = yield* requireOneSet(tx, namespaceId, usedVectorSet);
  const next = last_vector_set + 1;
  return { vectorSet: next % 2 === vector_set % 2 ? next + 1 : next, lastVectorSet: last_vector_set };
}

/** @throws KnowledgeBaseError `conflict` if a second set is kept, or (then retryable) if searches use another one */
function* requireOneSet(tx: Tx, namespaceId: string, usedVectorSet: number): Operation<NamespaceRow> {
  const namespace = yield* requireNamespace(tx, namespaceId);
  if (yield* findReembedding(tx, namespaceId))
    throw new KnowledgeBaseError(
      "conflict",
      "The namespace has a second set of vectors already. Discard it before another is started.",
    );
  if (namespace.vector_set !== usedVectorSet) throw vectorSetsChangedError();
  return namespace;
}

/**
 * Starts to embed a namespace again.
 * @throws KnowledgeBaseError `conflict` if a second set is kept already, or (then retryable) if one was started, or cut
 * over to, since the configurations were read
 */
export function* startReembedding(tx: Tx, start: ReembeddingStart): Operation<Reembedding> {
  const { namespaceId, vectorSet, embeddingConfig, vectorStoreConfig, isInStore, isUsedInStore, sealed } = start;
  const { isSameModel, wantsCutOver, chunksPerSecond, now } = start;
  yield* tx.lock("namespace", namespaceId);
  const namespace = yield* requireOneSet(tx, namespaceId, start.usedVectorSet);
  if (namespace.last_vector_set !== start.lastVectorSet) throw vectorSetsChangedError();
  if (wantsCutOver) yield* requireNoGoldenGuard(tx, { namespaceId });
  yield* tx.exec("UPDATE namespaces SET last_vector_set = ? WHERE id = ?", vectorSet, namespaceId);
  yield* tx.exec(
    `INSERT INTO reembeddings
       (namespace_id, vector_set, embedding_config, vector_store_config, in_store, used_in_store, same_model, state,
        wants_switch, chunks_per_second, started_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?)`,
    ...[namespaceId, vectorSet, JSON.stringify(embeddingConfig), JSON.stringify(vectorStoreConfig)],
    ...[isInStore ? 1 : 0, isUsedInStore ? 1 : 0, isSameModel ? 1 : 0, wantsCutOver ? 1 : 0, chunksPerSecond, now],
  );
  yield* addSealedValues(tx, sealed);
  yield* enqueueReembedding(tx, start);
  return (yield* getReembedding(tx, start))!;
}

/** Goes on after an error that stopped it, or without a task. Changes nothing if it runs, or has nothing to do. */
export function* resumeReembedding(tx: Tx, owner: TaskOwner): Operation<Reembedding> {
  const { namespaceId } = owner;
  yield* requireReembedding(tx, namespaceId);
  yield* enqueueReembedding(tx, owner);
  yield* tx.exec("UPDATE reembeddings SET error = NULL WHERE namespace_id = ?", namespaceId);
  return (yield* getReembedding(tx, owner))!;
}

/** Returns the state; `null` if the namespace has one set of vectors only. */
export function* getReembedding(tx: Tx, { namespaceId }: NamespaceRef): Operation<Reembedding | null> {
  const row = yield* findReembedding(tx, namespaceId);
  if (!row) return null;
  const { chunks } = yield* countPublished(tx, { namespaceId });
  const task = yield* tx.get<{ error: string | null }>(
    "SELECT last_error AS error FROM tasks WHERE kind = 'reembed' AND subject = ?",
    namespaceId,
  );
  return {
    state: stateOf(row),
    embeddingConfig: JSON.parse(row.embedding_config),
    vectorStoreConfig: JSON.parse(row.vector_store_config),
    vectorSet: row.vector_set,
    isCutOverRequested: row.wants_switch === 1,
    chunksPerSecond: row.chunks_per_second,
    embedded: Math.min(row.written, chunks),
    total: chunks,
    error: row.error ?? task?.error ?? null,
    isStopped: row.error !== null,
    startedAt: new Date(row.started_at).toISOString(),
    completedAt: row.completed_at === null ? null : new Date(row.completed_at).toISOString(),
  };
}

/** Counts the published chunks of a namespace, with the tokens and characters of their documents. */
export function* countPublished(
  tx: Tx,
  { namespaceId }: NamespaceRef,
): Operation<Pick<ReembeddingEstimate, "chunks" | "tokens" | "characters">> {
  return (yield* tx.get<Pick<ReembeddingEstimate, "chunks" | "tokens" | "characters">>(
    `SELECT coalesce(sum(total_chunks), 0) AS chunks, coalesce(sum(total_tokens), 0) AS tokens,
       coalesce(sum(total_characters), 0) AS characters FROM documents WHERE namespace_id = ? AND generation > 0`,
    namespaceId,
  ))!;
}

/** What the worker of a task needs. */
export interface WorkerReembedding {
  readonly state: Reembedding["state"];
  readonly vectorSet: number;
  readonly embeddingConfig: EmbeddingConfig;
  readonly vectorStoreConfig: VectorStoreConfig;
  /** Whether the discard leaves in its store what that has of the set. */
  readonly abandonsStore: boolean;
  readonly chunksPerSecond: number | null;
  /** The error that has stopped it; `null` if it goes on. */
  readonly error: string | null;
  readonly cursor: ChunkCursor;
}

/** Returns what is to be done; `null` if nothing is, or the namespace has been deleted. */
export function* getReembeddingForWorker(tx: Tx, { namespaceId }: NamespaceRef): Operation<WorkerReembedding | null> {
  const row = yield* tx.get<ReembeddingRow>(
    `SELECT r.* FROM reembeddings r JOIN namespaces n ON n.id = r.namespace_id AND n.deleted_at IS NULL
     WHERE r.namespace_id = ?`,
    namespaceId,
  );
  if (!row) return null;
  return {
    state: stateOf(row),
    vectorSet: row.vector_set,
    embeddingConfig: JSON.parse(row.embedding_config),
    vectorStoreConfig: JSON.parse(row.vector_store_config),
    abandonsStore: row.abandons_store === 1,
    chunksPerSecond: row.chunks_per_second,
    error: row.error,
    cursor: { scopeId: row.after_scope, chunkSeq: row.after_chunk },
  };
}

/**
 * Stops until the caller resumes, because of an error that another attempt would not change. Returns false if the task
 * goes on, since the set is to be discarded.
 */
export function* stopReembedding(
  tx: Tx,
  {
    lease,
    namespaceId,
    error,
    now,
  }: NamespaceRef & {
    readonly lease: Lease;
    readonly error: string;
    readonly now: number;
  },
): Operation<boolean> {
  yield* requireLease(tx, lease);
  const row = yield* lockReembedding(tx, namespaceId);
  if (row?.state === "discarding") return false;
  if (row) yield* forgetSent(tx, row, now);
  yield* tx.exec("UPDATE reembeddings SET error = ? WHERE namespace_id = ?", error, namespaceId);
  yield* endReembeddingTask(tx, lease);
  return true;
}
