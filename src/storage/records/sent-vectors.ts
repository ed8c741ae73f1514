import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { Tx } from "../tx.js";
import { vectorKeyTable } from "../vector-sets.js";
import { type Lease, requireLease } from "./lease.js";
import { abandonVectors, MAY_BE_SENT, type PendingVectors } from "./pending-vectors.js";
import { lockReembedding, type NamespaceRef } from "./reembedding-rows.js";
import type { ReembeddingRow } from "./row-types.js";
import { recordProgress } from "./tasks.js";

// Vectors of the set that searches don't use are sent to its vector store in three steps: a transaction records what is
// sent, the store gets it, and another transaction writes a marker for each vector, or has those removed that are no
// longer wanted.

interface SetRef extends NamespaceRef {
  readonly lease: Lease;
  readonly vectorSet: number;
}

/** Locks the row of a set that searches don't use. Returns `null` if the set is no longer wanted. */
function* lockWanted(tx: Tx, { lease, namespaceId, vectorSet }: SetRef): Operation<ReembeddingRow | null> {
  yield* requireLease(tx, lease);
  const row = yield* lockReembedding(tx, namespaceId);
  return row?.vector_set === vectorSet && row.state !== "discarding" ? row : null;
}

/**
 * Records that an ingest sends vectors of a generation to the store of the set, which is not emptied before they are
 * published or removed. Returns false if the set is no longer wanted.
 */
export function* sendOfGeneration(
  tx: Tx,
  send: SetRef & { readonly documentId: string; readonly generation: number },
): Operation<boolean> {
  if (!(yield* lockWanted(tx, send))) return false;
  yield* tx.exec(
    "UPDATE unpublished_vectors SET second_set = ? WHERE document_id = ? AND generation = ?",
    ...[send.vectorSet, send.documentId, send.generation],
  );
  return true;
}

/**
 * Returns whether ingests may still send vectors of a set that is discarded to its store, which searches used when they
 * began or not, or vectors that were sent wait for their removal.
 */
export function* isSetBeingSent(
  tx: Tx,
  { namespaceId, vectorSet }: NamespaceRef & { readonly vectorSet: number },
): Operation<boolean> {
  const sent = yield* tx.get(
    `SELECT 1 FROM unpublished_vectors WHERE namespace_id = ? AND ${MAY_BE_SENT} LIMIT 1`,
    ...[namespaceId, vectorSet, vectorSet],
  );
  return sent !== undefined;
}

/**
 * Records that the task sends vectors of published generations to the store of the set. Returns false if the set is no
 * longer wanted.
 */
export function* sendBatch(
  tx: Tx,
  send: SetRef & { readonly generations: readonly PendingVectors[] },
): Operation<boolean> {
  if (!(yield* lockWanted(tx, send))) return false;
  yield* tx.exec(
    "UPDATE reembeddings SET sent = ? WHERE namespace_id = ?",
    ...[JSON.stringify(send.generations), send.namespaceId],
  );
  return true;
}

/**
 * Has the vectors removed that a task has sent before it ended without recording them, if they are no longer wanted.
 */
export function* settleSent(
  tx: Tx,
  { lease, namespaceId, now }: NamespaceRef & { readonly lease: Lease; readonly now: number },
): Operation<void> {
  yield* requireLease(tx, lease);
  const row = yield* lockReembedding(tx, namespaceId);
  if (row) yield* forgetSent(tx, row, now);
}

/** Forgets what the task has sent, and queues the removal of the generations that are no longer published. */
export function* forgetSent(tx: Tx, { namespace_id, sent }: ReembeddingRow, now: number): Operation<void> {
  if (sent === null) return;
  const generations: readonly PendingVectors[] = JSON.parse(sent);
  for (const generation of generations) yield* abandonVectors(tx, { ...generation, now });
  yield* tx.exec("UPDATE reembeddings SET sent = NULL WHERE namespace_id = ?", namespace_id);
}

const INSERT_SQL = (
  table: string,
) => `INSERT INTO ${table} (chunk_seq, scope_id) SELECT c.seq, c.scope_id FROM chunks c $join
  WHERE c.document_seq = $document AND c.generation = $generation AND c.ordinal = $ordinal
  ON CONFLICT (chunk_seq) DO NOTHING`;
const INSERT_COLUMNS: RowStatement["columns"] = { document: "bigint", generation: "bigint", ordinal: "bigint" };
const INSERT_EVEN: RowStatement = { columns: INSERT_COLUMNS, sql: INSERT_SQL(vectorKeyTable(0, true)) };
const INSERT_ODD: RowStatement = { columns: INSERT_COLUMNS, sql: INSERT_SQL(vectorKeyTable(1, true)) };

/** A chunk whose vector is in the store of a set. */
export interface StoredVector {
  readonly documentSeq: number;
  readonly generation: number;
  readonly ordinal: number;
}

/**
 * Records that the store of the set that searches don't use has vectors. Returns false, and records nothing, if the set
 * is no longer wanted.
 */
export function* recordStored(
  tx: Tx,
  stored: SetRef & {
    readonly chunks: readonly StoredVector[];
    /** What the task has sent, up to where all chunks have been looked at. @default an ingest has sent them */
    readonly cursor?: { readonly scopeId: number; readonly chunkSeq: number };
    readonly now: number;
  },
): Operation<boolean> {
  const { lease, namespaceId, vectorSet, chunks, cursor, now } = stored;
  const row = yield* lockWanted(tx, stored);
  if (!row) return false;
  yield* tx.execRows(
    vectorSet % 2 === 0 ? INSERT_EVEN : INSERT_ODD,
    chunks.map(({ documentSeq, generation, ordinal }) => [documentSeq, generation, ordinal]),
  );
  yield* tx.exec("UPDATE reembeddings SET written = written + ? WHERE namespace_id = ?", chunks.length, namespaceId);
  if (cursor) {
    yield* forgetSent(tx, row, now);
    yield* tx.exec(
      "UPDATE reembeddings SET after_scope = ?, after_chunk = ? WHERE namespace_id = ?",
      ...[cursor.scopeId, cursor.chunkSeq, namespaceId],
    );
  }
  yield* recordProgress(tx, lease);
  return true;
}
