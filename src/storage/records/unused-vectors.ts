import { KnowledgeBaseError } from "../../errors.js";
import { vectorHash } from "../content-hash.js";
import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { Tx } from "../tx.js";
import { vectorKeyTable, vectorTable } from "../vector-sets.js";
import { type Lease, requireLease } from "./lease.js";
import type { ChunkCursor, UnembeddedChunk } from "./missing-vectors.js";
import type { VectorSetPlace } from "./namespaces.js";
import { removeScopeIfEmpty } from "./purge.js";
import {
  endReembeddingTask,
  enqueueReembedding,
  lockReembedding,
  type NamespaceRef,
  requireNamespace,
  requireReembedding,
  type TaskOwner,
} from "./reembedding-rows.js";
import type { ReembeddingRow } from "./row-types.js";
import { recordProgress } from "./tasks.js";

// Writes vectors of the set that searches don't use to the database, and removes those that are discarded.

/** The number of vectors removed in one transaction, which takes tens of milliseconds. */
const MAX_PURGED = 2000;
/** The number of scopes removed in one transaction. */
const MAX_SCOPES = 100;

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
 * Writes vectors of the set that searches don't use, of chunks that have none in it. Returns false, and writes nothing,
 * if the set is no longer wanted.
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
  // Locked, since the set may be discarded or cut over to at the same time.
  const row = yield* lockReembedding(tx, namespaceId);
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

/** A set of vectors that are left in their store. */
export interface AbandonedSet extends VectorSetPlace {
  /** About how many: some may have been deleted since they were counted. */
  readonly vectors: number;
}

/**
 * Starts to remove the vectors that searches don't use. With `abandonsStore`, those in its store are left there: then returns
 * them, and `null` if an earlier call has given up the store. Vectors that searches use may be in the same store, in other
 * scopes.
 * @throws KnowledgeBaseError `not_found`, `conflict` if the set has no store to give up
 */
export function* discardReembedding(
  tx: Tx,
  discard: TaskOwner & { readonly abandonsStore: boolean },
): Operation<AbandonedSet | null> {
  const { namespaceId, abandonsStore } = discard;
  const row = yield* requireReembedding(tx, namespaceId);
  if (abandonsStore && row.in_store !== 1)
    throw new KnowledgeBaseError(
      "conflict",
      "abandonStore is true, but the vectors that searches don't use are in the knowledge base: discard them without it.",
    );
  yield* enqueueReembedding(tx, discard);
  yield* tx.exec(
    `UPDATE reembeddings SET state = 'discarding', wants_switch = 0, error = NULL, abandons_store = ?
     WHERE namespace_id = ?`,
    ...[abandonsStore || row.abandons_store === 1 ? 1 : 0, namespaceId],
  );
  if (!abandonsStore || row.abandons_store === 1) return null;
  const { vector_set: vectorSet, vector_store_config, written: vectors } = row;
  return { vectorSet, vectorStoreConfig: JSON.parse(vector_store_config), vectors };
}

/** What is left of a discarded set: vectors or markers, what its vector store has, or nothing. */
type SetRemains = "more" | "store" | "none";

/**
 * Removes some vectors of a discarded set, or what marks them in its store; after the last ones, and once the store has
 * been emptied, the scopes that were kept for that, the secrets of its configurations, and the task. Returns what is
 * left.
 */
export function* purgeSet(
  tx: Tx,
  purge: NamespaceRef & {
    readonly lease: Lease;
    readonly secretFields: readonly string[];
    /** Whether the store of the set, if it is in one, has been emptied since all markers were removed, or is given up. */
    readonly isStoreEmptied: boolean;
  },
): Operation<SetRemains> {
  const { lease, namespaceId, secretFields, isStoreEmptied } = purge;
  yield* requireLease(tx, lease);
  const row = yield* lockReembedding(tx, namespaceId);
  if (row?.state === "discarding") {
    const table = vectorKeyTable(row.vector_set, row.in_store === 1);
    const removed = yield* tx.run(
      `DELETE FROM ${table} WHERE chunk_seq IN (
         SELECT v.chunk_seq FROM scopes s JOIN ${table} v ON v.scope_id = s.id WHERE s.namespace_id = ? LIMIT ?)`,
      namespaceId,
      MAX_PURGED,
    );
    if (removed > 0) return "more";
    if (row.in_store === 1) {
      if (!isStoreEmptied) return "store";
      const unused = yield* tx.all<{ id: number }>(
        `SELECT id FROM scopes WHERE namespace_id = ?
         AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.scope_id = scopes.id) LIMIT ?`,
        ...[namespaceId, MAX_SCOPES],
      );
      for (const { id } of unused) yield* removeScopeIfEmpty(tx, id);
      if (unused.length > 0) return "more";
    }
    for (const field of secretFields)
      yield* tx.exec(
        "DELETE FROM sealed_values WHERE namespace_id = ? AND owner = ? AND field = ?",
        ...[namespaceId, namespaceId, field],
      );
    yield* tx.exec("DELETE FROM reembeddings WHERE namespace_id = ?", namespaceId);
  }
  yield* endReembeddingTask(tx, lease);
  return "none";
}

/**
 * Removes a damaged vector of the set that searches don't use, and lets the task write it again. Returns false if there
 * is no such set.
 */
export function* removeUnusedVector(
  tx: Tx,
  { namespaceId, chunkSeq, now }: NamespaceRef & { readonly chunkSeq: number; readonly now: number },
): Operation<boolean> {
  const row = yield* lockReembedding(tx, namespaceId);
  if (!row || row.state === "discarding") return false;
  const { organization_id: organizationId } = yield* requireNamespace(tx, namespaceId);
  yield* tx.exec(`DELETE FROM ${vectorTable(row.vector_set)} WHERE chunk_seq = ?`, chunkSeq);
  yield* tx.exec(
    "UPDATE reembeddings SET written = written - 1, after_scope = 0, after_chunk = 0 WHERE namespace_id = ?",
    namespaceId,
  );
  // A cut-over that has looked for missing vectors before this looks again.
  yield* tx.exec("UPDATE scopes SET epoch = epoch + 1 WHERE namespace_id = ?", namespaceId);
  yield* enqueueReembedding(tx, { organizationId, namespaceId, now });
  return true;
}

/**
 * Forgets which vectors the stores of sets that searches don't use have, and lets the tasks send them again, unless an error
 * has stopped them. For copies of a database: the original may empty the store of such a set at any time.
 */
export function* forgetUnusedStores(tx: Tx, { now }: { readonly now: number }): Operation<void> {
  const rows = yield* tx.all<ReembeddingRow & { readonly organization_id: string }>(
    `SELECT r.*, n.organization_id FROM reembeddings r JOIN namespaces n ON n.id = r.namespace_id AND n.deleted_at IS NULL
     WHERE r.in_store = 1 AND r.state <> 'discarding'`,
  );
  for (const { namespace_id: namespaceId, organization_id: organizationId, vector_set, error } of rows) {
    yield* tx.exec(
      `DELETE FROM ${vectorKeyTable(vector_set, true)}
       WHERE scope_id IN (SELECT id FROM scopes WHERE namespace_id = ?)`,
      namespaceId,
    );
    yield* tx.exec(
      `UPDATE reembeddings SET state = CASE state WHEN 'ready' THEN 'running' ELSE state END, written = 0, after_scope = 0,
         after_chunk = 0, completed_at = NULL WHERE namespace_id = ?`,
      namespaceId,
    );
    if (error === null) yield* enqueueReembedding(tx, { organizationId, namespaceId, now });
  }
}
