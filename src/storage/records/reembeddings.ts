import { KnowledgeBaseError } from "../../errors.js";
import type { EmbeddingConfig, Reembedding, ReembeddingEstimate } from "../../types.js";
import { vectorHash } from "../content-hash.js";
import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { Tx } from "../tx.js";
import { vectorTable } from "../vector-sets.js";
import { type Lease, requireLease } from "./lease.js";
import { notFound } from "./not-found.js";
import type { NamespaceRow, ReembeddingRow } from "./row-types.js";
import { addSealedValues, type SealedRow } from "./sealed-values.js";
import { enqueue, postponeTask, recordProgress } from "./tasks.js";

// A namespace whose embedding model is changed has a row in `reembeddings` from the start until the vectors that searches
// don't use are discarded. A task of the kind `reembed` writes the missing vectors of that set. Cutting over exchanges the
// set and the configuration of the namespace with those of the row, and so does rolling back.

/** The number of vectors removed in one transaction, which takes tens of milliseconds. */
const MAX_PURGED = 2000;

interface NamespaceRef {
  readonly namespaceId: string;
}

/** The namespace of a task, and what the queue needs to add it. */
interface TaskOwner extends NamespaceRef {
  readonly organizationId: string;
  readonly now: number;
}

interface ReembeddingStart extends TaskOwner {
  /** The last set number of the namespace, by which the set was chosen. */
  readonly lastVectorSet: number;
  readonly vectorSet: number;
  /** With masks instead of secrets. */
  readonly embeddingConfig: EmbeddingConfig;
  readonly sealed: readonly SealedRow[];
  /** Whether searches are to use the new vectors as soon as they are complete. */
  readonly wantsSwitch: boolean;
  readonly chunksPerSecond: number | null;
}

/** Returns the number for the next set of vectors, and the last number that was given to one. */
export function* nextVectorSet(
  tx: Tx,
  { namespaceId }: NamespaceRef,
): Operation<{ readonly vectorSet: number; readonly lastVectorSet: number }> {
  const { vector_set, last_vector_set } = yield* requireNamespace(tx, namespaceId);
  const next = last_vector_set + 1;
  return { vectorSet: next % 2 === vector_set % 2 ? next + 1 : next, lastVectorSet: last_vector_set };
}

/**
 * Starts to embed a namespace again.
 * @throws KnowledgeBaseError `conflict` if vectors of another model are kept already
 */
export function* startReembedding(tx: Tx, start: ReembeddingStart): Operation<Reembedding> {
  const { namespaceId, vectorSet, embeddingConfig, sealed, wantsSwitch, chunksPerSecond, now } = start;
  yield* tx.lock("namespace", namespaceId);
  const namespace = yield* requireNamespace(tx, namespaceId);
  if ((yield* findRow(tx, namespaceId)) || namespace.last_vector_set !== start.lastVectorSet)
    throw new KnowledgeBaseError(
      "conflict",
      "The namespace has vectors of a second model already. Discard them before it is embedded by another.",
    );
  yield* tx.exec("UPDATE namespaces SET last_vector_set = ? WHERE id = ?", vectorSet, namespaceId);
  yield* tx.exec(
    `INSERT INTO reembeddings
       (namespace_id, vector_set, embedding_config, state, wants_switch, chunks_per_second, started_at)
     VALUES (?, ?, ?, 'running', ?, ?, ?)`,
    ...[namespaceId, vectorSet, JSON.stringify(embeddingConfig), wantsSwitch ? 1 : 0, chunksPerSecond, now],
  );
  yield* addSealedValues(tx, sealed);
  yield* enqueueTask(tx, start);
  return (yield* getReembedding(tx, start))!;
}

/** Goes on after an error that stopped it, or without a task. Changes nothing if it runs, or has nothing to do. */
export function* resumeReembedding(tx: Tx, owner: TaskOwner): Operation<Reembedding> {
  const { namespaceId } = owner;
  yield* requireRow(tx, namespaceId);
  yield* enqueueTask(tx, owner);
  yield* tx.exec("UPDATE reembeddings SET error = NULL WHERE namespace_id = ?", namespaceId);
  return (yield* getReembedding(tx, owner))!;
}

/** Returns the state; `null` if the namespace has vectors of one model only. */
export function* getReembedding(tx: Tx, { namespaceId }: NamespaceRef): Operation<Reembedding | null> {
  const row = yield* findRow(tx, namespaceId);
  if (!row) return null;
  const { chunks } = yield* countPublished(tx, { namespaceId });
  const task = yield* tx.get<{ error: string | null }>(
    "SELECT last_error AS error FROM tasks WHERE kind = 'reembed' AND subject = ?",
    namespaceId,
  );
  return {
    state: row.state,
    embeddingConfig: JSON.parse(row.embedding_config),
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
  readonly state: ReembeddingRow["state"];
  readonly vectorSet: number;
  readonly embeddingConfig: EmbeddingConfig;
  readonly chunksPerSecond: number | null;
  /** The error that has stopped it; `null` if it goes on. */
  readonly error: string | null;
  readonly cursor: ChunkCursor;
}

/** A position in the order of scopes and their chunks: the last chunk that was looked at. */
export interface ChunkCursor {
  readonly scopeId: number;
  readonly chunkSeq: number;
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
    state: row.state,
    vectorSet: row.vector_set,
    embeddingConfig: JSON.parse(row.embedding_config),
    chunksPerSecond: row.chunks_per_second,
    error: row.error,
    cursor: { scopeId: row.after_scope, chunkSeq: row.after_chunk },
  };
}

/** A chunk without a vector in a set. */
export interface UnembeddedChunk {
  readonly scopeId: number;
  readonly chunkSeq: number;
  readonly documentSeq: number;
  readonly generation: number;
  readonly ordinal: number;
  /** The text that is embedded. */
  readonly text: string;
}

/**
 * Returns up to `limit` chunks after a position that have no vector in a set, in their order: those of published
 * generations, and of later ones, which may be published next.
 */
export function* readUnembeddedChunks(
  tx: Tx,
  query: NamespaceRef & { readonly vectorSet: number; readonly cursor: ChunkCursor; readonly limit: number },
): Operation<readonly UnembeddedChunk[]> {
  const { namespaceId, vectorSet, cursor, limit } = query;
  const scopes = yield* tx.all<{ id: number }>(
    "SELECT id FROM scopes WHERE namespace_id = ? AND id >= ? ORDER BY id",
    namespaceId,
    cursor.scopeId,
  );
  const chunks: UnembeddedChunk[] = [];
  for (const { id } of scopes) {
    if (chunks.length >= limit) break;
    const found = yield* tx.all<UnembeddedChunk>(
      `SELECT c.scope_id AS "scopeId", c.seq AS "chunkSeq", c.document_seq AS "documentSeq", c.generation, c.ordinal,
         coalesce(c.index_text, c.text) AS text
       FROM chunks c JOIN documents d ON d.seq = c.document_seq AND c.generation >= d.generation
       LEFT JOIN ${vectorTable(vectorSet)} v ON v.chunk_seq = c.seq
       WHERE c.scope_id = ? AND c.seq > ? AND v.chunk_seq IS NULL ORDER BY c.seq LIMIT ?`,
      ...[id, id === cursor.scopeId ? cursor.chunkSeq : 0, limit - chunks.length],
    );
    chunks.push(...found);
  }
  return chunks;
}

/** The vector of a chunk, of length 1 or all zeros. */
export interface SetVector extends Pick<UnembeddedChunk, "documentSeq" | "generation" | "ordinal"> {
  readonly vector: Uint8Array;
}

const INSERT_SQL = (
  table: string,
) => `INSERT INTO ${table} (chunk_seq, scope_id, document_seq, generation, vector, hash)
  SELECT c.seq, c.scope_id, c.document_seq, c.generation, $vector, $hash FROM chunks c $join
  WHERE c.document_seq = $document AND c.generation = $generation AND c.ordinal = $ordinal
  ON CONFLICT (chunk_seq) DO NOTHING`;
const INSERT_COLUMNS: RowStatement["columns"] = {
  ...{ document: "bigint", generation: "bigint", ordinal: "bigint", vector: "bytea", hash: "bigint" },
};
const INSERTS: Readonly<Record<ReturnType<typeof vectorTable>, RowStatement>> = {
  vectors: { columns: INSERT_COLUMNS, sql: INSERT_SQL("vectors") },
  odd_vectors: { columns: INSERT_COLUMNS, sql: INSERT_SQL("odd_vectors") },
};

/**
 * Writes vectors of the set that searches don't use, of chunks that have none in it. Returns false, and writes nothing, if
 * the set is no longer wanted.
 */
export function* writeSetVectors(
  tx: Tx,
  write: NamespaceRef & {
    readonly lease: Lease;
    readonly vectorSet: number;
    readonly vectors: readonly SetVector[];
    /** Up to where all chunks have been looked at. @default unchanged */
    readonly cursor?: ChunkCursor;
  },
): Operation<boolean> {
  const { lease, namespaceId, vectorSet, vectors, cursor } = write;
  yield* requireLease(tx, lease);
  // Locked, since the set may be discarded or exchanged at the same time.
  const row = yield* lockRow(tx, namespaceId);
  if (row?.vector_set !== vectorSet || row.state === "discarding") return false;
  yield* tx.execRows(
    INSERTS[vectorTable(vectorSet)],
    vectors.map(({ documentSeq, generation, ordinal, vector }) => {
      return [documentSeq, generation, ordinal, vector, vectorHash(vector)];
    }),
  );
  yield* tx.exec(
    "UPDATE reembeddings SET written = written + ?, after_scope = ?, after_chunk = ? WHERE namespace_id = ?",
    ...[vectors.length, cursor?.scopeId ?? row.after_scope, cursor?.chunkSeq ?? row.after_chunk, namespaceId],
  );
  yield* recordProgress(tx, lease);
  return true;
}

/** What a look for missing vectors in the set that searches don't use has found. */
export interface SetCheck {
  readonly vectorSet: number;
  readonly isComplete: boolean;
  /** The epochs of the scopes before the look: what is published since is to be looked at again. */
  readonly scopes: readonly ScopeEpoch[];
}

interface ScopeEpoch {
  readonly id: number;
  readonly epoch: number;
}

/** Looks for published chunks without a vector, without locks; `null` if the namespace has vectors of one model only. */
export function* checkSet(tx: Tx, { namespaceId }: NamespaceRef): Operation<SetCheck | null> {
  const row = yield* findRow(tx, namespaceId);
  if (!row) return null;
  const scopes = yield* readEpochs(tx, namespaceId);
  return { vectorSet: row.vector_set, isComplete: yield* isComplete(tx, row), scopes };
}

function* readEpochs(tx: Tx, namespaceId: string, locking = ""): Operation<readonly ScopeEpoch[]> {
  return yield* tx.all<ScopeEpoch>(
    `SELECT id, epoch FROM scopes WHERE namespace_id = ? ORDER BY id ${locking}`,
    namespaceId,
  );
}

/**
 * Ends the task once every published chunk has a vector in the set, and cuts over if that is wanted. Returns false if the
 * task goes on: with the first chunk, since chunks lack vectors, or since the set is to be discarded.
 */
export function* settleReembedding(
  tx: Tx,
  settling: NamespaceRef & { readonly lease: Lease; readonly check: SetCheck | null; readonly now: number },
): Operation<boolean> {
  const { lease, namespaceId, check, now } = settling;
  yield* requireLease(tx, lease);
  const row = yield* lockRow(tx, namespaceId);
  if (row?.state === "discarding") return false;
  if (row && !(yield* settleRow(tx, row, check, now))) {
    yield* tx.exec("UPDATE reembeddings SET after_scope = 0, after_chunk = 0 WHERE namespace_id = ?", namespaceId);
    return false;
  }
  yield* endTask(tx, lease);
  return true;
}

/**
 * Records that the set is complete, and exchanges the sets if that is wanted. Returns false if chunks lack vectors, or the
 * check was of another set.
 */
function* settleRow(tx: Tx, row: ReembeddingRow, check: SetCheck | null, now: number): Operation<boolean> {
  if (check?.vectorSet !== row.vector_set || !check.isComplete) return false;
  if (row.wants_switch === 1) {
    // A document that is published from now on waits, and then fails for its vectors of the former set. Nor can a scope be
    // added, whose documents would be published with vectors of the former set only.
    yield* tx.lock("namespace", row.namespace_id);
    const scopes = yield* readEpochs(tx, row.namespace_id, tx.dialect.lockingRows);
    if (!(yield* isCompleteSince(tx, row, check, scopes))) return false;
    yield* exchangeSets(tx, row);
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

/** Returns whether every published chunk has a vector in the set that searches don't use. */
function* isComplete(tx: Tx, { namespace_id, vector_set }: ReembeddingRow): Operation<boolean> {
  const missing = yield* tx.get(
    `SELECT 1 AS missing FROM documents d
     JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation
     LEFT JOIN ${vectorTable(vector_set)} v ON v.chunk_seq = c.seq
     WHERE d.namespace_id = ? AND d.generation > 0 AND v.chunk_seq IS NULL LIMIT 1`,
    namespace_id,
  );
  return missing === undefined;
}

/** Returns whether what was published since a check, which found every vector, has its vectors too. */
function* isCompleteSince(
  tx: Tx,
  row: ReembeddingRow,
  check: SetCheck,
  scopes: readonly ScopeEpoch[],
): Operation<boolean> {
  const before = new Map(check.scopes.map(({ id, epoch }) => [id, epoch]));
  for (const { id, epoch } of scopes) {
    const since = before.get(id) ?? 0;
    if (epoch === since) continue;
    const { changes } = (yield* tx.get<{ changes: number }>(
      "SELECT count(*) AS changes FROM scope_changes WHERE scope_id = ? AND epoch > ?",
      ...[id, since],
    ))!;
    // Old changes are deleted, and an import records none.
    if (changes !== epoch - since) return yield* isComplete(tx, row);
    const missing = yield* tx.get(
      `SELECT 1 AS missing FROM scope_changes s JOIN documents d ON d.seq = s.document_seq
       JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation
       LEFT JOIN ${vectorTable(row.vector_set)} v ON v.chunk_seq = c.seq
       WHERE s.scope_id = ? AND s.epoch > ? AND d.generation > 0 AND v.chunk_seq IS NULL LIMIT 1`,
      ...[id, since],
    );
    if (missing !== undefined) return false;
  }
  return true;
}

/** Lets searches use the vectors and the model that they didn't use, at one epoch of each scope. */
function* exchangeSets(tx: Tx, row: ReembeddingRow): Operation<void> {
  const { namespace_id: namespaceId } = row;
  const { vector_set, embedding_config } = yield* requireNamespace(tx, namespaceId);
  yield* tx.exec(
    "UPDATE namespaces SET vector_set = ?, embedding_config = ? WHERE id = ?",
    ...[row.vector_set, row.embedding_config, namespaceId],
  );
  yield* tx.exec(
    "UPDATE scopes SET vector_set = ?, epoch = epoch + 1 WHERE namespace_id = ?",
    row.vector_set,
    namespaceId,
  );
  yield* tx.exec(
    "UPDATE reembeddings SET vector_set = ?, embedding_config = ?, state = ?, wants_switch = 0 WHERE namespace_id = ?",
    ...[vector_set, embedding_config, row.state === "switched" ? "ready" : "switched", namespaceId],
  );
}

/**
 * Asks for the vectors of the other set to be used: at once if they are complete, otherwise as soon as the worker has
 * written the missing ones.
 *
 * @throws KnowledgeBaseError `not_found` if the namespace has vectors of one model only, `conflict` if it isn't in one of
 * the given states
 */
export function* requestSwitch(
  tx: Tx,
  request: TaskOwner & { readonly from: readonly ReembeddingRow["state"][]; readonly check: SetCheck | null },
): Operation<Reembedding> {
  const { namespaceId, from, check, now } = request;
  const row = yield* requireRow(tx, namespaceId);
  if (!from.includes(row.state))
    throw new KnowledgeBaseError("conflict", `That is not possible while the re-embedding is ${row.state}.`);
  yield* enqueueTask(tx, request);
  const wanted = { ...row, wants_switch: 1, error: null };
  yield* tx.exec("UPDATE reembeddings SET wants_switch = 1, error = NULL WHERE namespace_id = ?", namespaceId);
  if (yield* settleRow(tx, wanted, check, now))
    yield* tx.exec("DELETE FROM tasks WHERE kind = 'reembed' AND subject = ? AND state = 'ready'", namespaceId);
  return (yield* getReembedding(tx, request))!;
}

/** Starts to remove the vectors that searches don't use. */
export function* discardReembedding(tx: Tx, owner: TaskOwner): Operation<void> {
  const { namespaceId } = owner;
  yield* requireRow(tx, namespaceId);
  yield* enqueueTask(tx, owner);
  yield* tx.exec(
    "UPDATE reembeddings SET state = 'discarding', wants_switch = 0, error = NULL WHERE namespace_id = ?",
    namespaceId,
  );
}

/**
 * Removes some vectors of a discarded set; with the last ones, the secrets of its configuration, and the task. Returns
 * whether there may be more.
 */
export function* purgeSet(
  tx: Tx,
  purge: NamespaceRef & { readonly lease: Lease; readonly secretFields: readonly string[] },
): Operation<boolean> {
  const { lease, namespaceId, secretFields } = purge;
  yield* requireLease(tx, lease);
  const row = yield* lockRow(tx, namespaceId);
  if (row?.state === "discarding") {
    const table = vectorTable(row.vector_set);
    const removed = yield* tx.run(
      `DELETE FROM ${table} WHERE chunk_seq IN (
         SELECT v.chunk_seq FROM scopes s JOIN ${table} v ON v.scope_id = s.id WHERE s.namespace_id = ? LIMIT ?)`,
      namespaceId,
      MAX_PURGED,
    );
    if (removed > 0) return true;
    for (const field of secretFields)
      yield* tx.exec(
        "DELETE FROM sealed_values WHERE namespace_id = ? AND owner = ? AND field = ?",
        ...[namespaceId, namespaceId, field],
      );
    yield* tx.exec("DELETE FROM reembeddings WHERE namespace_id = ?", namespaceId);
  }
  yield* endTask(tx, lease);
  return false;
}

/**
 * Removes a damaged vector of the set that searches don't use, and lets the task write it again. Returns false if there is no
 * such set.
 */
export function* removeUnusedVector(
  tx: Tx,
  { namespaceId, chunkSeq, now }: NamespaceRef & { readonly chunkSeq: number; readonly now: number },
): Operation<boolean> {
  const row = yield* lockRow(tx, namespaceId);
  if (!row || row.state === "discarding") return false;
  const { organization_id: organizationId } = yield* requireNamespace(tx, namespaceId);
  yield* tx.exec(`DELETE FROM ${vectorTable(row.vector_set)} WHERE chunk_seq = ?`, chunkSeq);
  yield* tx.exec(
    "UPDATE reembeddings SET written = written - 1, after_scope = 0, after_chunk = 0 WHERE namespace_id = ?",
    namespaceId,
  );
  // A cut-over that has looked for missing vectors before this looks again.
  yield* tx.exec("UPDATE scopes SET epoch = epoch + 1 WHERE namespace_id = ?", namespaceId);
  yield* enqueueTask(tx, { organizationId, namespaceId, now });
  return true;
}

/**
 * Stops until the caller resumes, because of an error that another attempt would not change. Returns false if the task
 * goes on, since the set is to be discarded.
 */
export function* stopReembedding(
  tx: Tx,
  { lease, namespaceId, error }: NamespaceRef & { readonly lease: Lease; readonly error: string },
): Operation<boolean> {
  yield* requireLease(tx, lease);
  const row = yield* lockRow(tx, namespaceId);
  if (row?.state === "discarding") return false;
  yield* tx.exec("UPDATE reembeddings SET error = ? WHERE namespace_id = ?", error, namespaceId);
  yield* endTask(tx, lease);
  return true;
}

/**
 * Adds the task, or lets it run at once if it waits after an error. The row of the re-embedding must be locked, or new: a worker that ends its task holds
 * that lock, so a task that is found afterwards does not end without seeing what the caller changes.
 */
function* enqueueTask(tx: Tx, owner: TaskOwner): Operation<void> {
  const { namespaceId, now } = owner;
  yield* enqueue(tx, "reembed", namespaceId, owner);
  yield* postponeTask(tx, "reembed", namespaceId, { now, delayMs: 0 });
}

function* endTask(tx: Tx, { taskSeq }: Lease): Operation<void> {
  yield* tx.exec("DELETE FROM tasks WHERE seq = ?", taskSeq);
}

function* requireNamespace(tx: Tx, namespaceId: string): Operation<NamespaceRow> {
  const row = yield* tx.get<NamespaceRow>("SELECT * FROM namespaces WHERE id = ? AND deleted_at IS NULL", namespaceId);
  if (!row) throw notFound("namespace", namespaceId);
  return row;
}

function* findRow(tx: Tx, namespaceId: string): Operation<ReembeddingRow | undefined> {
  return yield* tx.get<ReembeddingRow>("SELECT * FROM reembeddings WHERE namespace_id = ?", namespaceId);
}

function* lockRow(tx: Tx, namespaceId: string): Operation<ReembeddingRow | undefined> {
  return yield* tx.get<ReembeddingRow>(
    `SELECT * FROM reembeddings WHERE namespace_id = ? ${tx.dialect.lockingRows}`,
    namespaceId,
  );
}

/** Locks the row. @throws KnowledgeBaseError `not_found` if there is none */
function* requireRow(tx: Tx, namespaceId: string): Operation<ReembeddingRow> {
  const row = yield* lockRow(tx, namespaceId);
  if (!row)
    throw new KnowledgeBaseError(
      "not_found",
      "The namespace has vectors of one model only: no re-embedding was started.",
    );
  return row;
}
