import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { setChangedError } from "../vector-sets.js";
import { type Lease, requireLease } from "./lease.js";
import { ensureScope } from "./new-documents.js";

interface GenerationRef {
  readonly documentId: string;
  readonly generation: number;
}

/** The vectors of a generation that an external store receives before the generation is published. */
export interface PendingVectors extends GenerationRef {
  readonly organizationId: string;
  readonly namespaceId: string;
  readonly tenantId: string | null;
  /** The number of chunks in the whole generation. */
  readonly chunks: number;
}

/** Vectors that an ingest is about to send to external stores. */
export interface SentVectors extends PendingVectors {
  /** The set of those that searches use, if it is in a store; `null` if only the other set is. */
  readonly vectorSet: number | null;
}

const TASK_KIND = "remove_vectors";

/**
 * Requires that searches still use the set of vectors that an ingest is about to send, and that they do until the
 * transaction ends: a set that they no longer use may be discarded, and its store emptied.
 *
 * @throws KnowledgeBaseError `conflict` (retryable), see `isSetChanged`
 */
export function* requireUsedSet(tx: Tx, { namespaceId, vectorSet }: SentVectors): Operation<void> {
  if (vectorSet === null) return;
  const namespace = yield* tx.get<{ vectorSet: number }>(
    `SELECT vector_set AS "vectorSet" FROM namespaces WHERE id = ? ${tx.dialect.sharingRows}`,
    namespaceId,
  );
  if (namespace && namespace.vectorSet !== vectorSet) throw setChangedError();
}

/**
 * Records the vectors of a generation before they are sent. Adds a task that would remove the vectors, which the
 * writing worker holds for as long as its lease on the job. Publication deletes the task, {@link abandonVectors}
 * releases it, and another worker claims it if this worker dies.
 */
export function* recordPendingVectors(tx: Tx, { taskSeq, owner }: Lease, vectors: SentVectors): Operation<void> {
  yield* insertUnpublished(tx, vectors, vectors.vectorSet);
  yield* tx.exec(
    `INSERT INTO tasks (organization_id, kind, subject, state, run_at, owner, lease_until)
     SELECT organization_id, '${TASK_KIND}', ?, 'running', run_at, ?, lease_until FROM tasks WHERE seq = ?
     ON CONFLICT (kind, subject) DO NOTHING`,
    subjectOf(vectors),
    owner,
    taskSeq,
  );
}

/** Cancels the removal of a generation's vectors when it is published. */
export function* clearPendingVectors(tx: Tx, published: GenerationRef): Operation<void> {
  const { documentId, generation } = published;
  yield* tx.exec("DELETE FROM unpublished_vectors WHERE document_id = ? AND generation = ?", documentId, generation);
  yield* tx.exec(`DELETE FROM tasks WHERE kind = '${TASK_KIND}' AND subject = ?`, subjectOf(published));
}

/**
 * Queues the removal of a generation's vectors once their writer has stopped. Restarts a removal that began because the
 * writer seemed dead. Does nothing if the generation was published after all, or if the namespace, whose configuration
 * the removal needs, has been removed.
 */
export function* abandonVectors(tx: Tx, { now, ...vectors }: PendingVectors & { now: number }): Operation<void> {
  const { documentId, generation, namespaceId } = vectors;
  const namespace = yield* tx.get<{ deleted_at: number | null }>(
    "SELECT deleted_at FROM namespaces WHERE id = ?",
    namespaceId,
  );
  if (!namespace) return;
  // The stores of a deleted namespace may have been emptied before the last vectors were written.
  const isPublished = yield* tx.get("SELECT 1 FROM documents WHERE id = ? AND generation = ?", documentId, generation);
  if (isPublished && namespace.deleted_at === null) return;
  yield* insertUnpublished(tx, vectors, null);
  yield* tx.exec(
    `INSERT INTO tasks (organization_id, kind, subject, run_at) VALUES (?, '${TASK_KIND}', ?, ?)
     ON CONFLICT (kind, subject)
     DO UPDATE SET state = 'ready', run_at = excluded.run_at, delay_ms = 0, owner = NULL, lease_until = NULL, fence = tasks.fence + 1`,
    vectors.organizationId,
    subjectOf(vectors),
    now,
  );
}

/** Lets the removals of a namespace's vectors that wait run at once, such as when its stores are given up. */
export function* hastenRemovals(
  tx: Tx,
  { namespaceId, now }: { readonly namespaceId: string; readonly now: number },
): Operation<void> {
  yield* tx.exec(
    `UPDATE tasks SET run_at = ?, delay_ms = 0 WHERE kind = '${TASK_KIND}' AND state = 'ready' AND subject IN
       (SELECT document_id || '.' || CAST(generation AS TEXT) FROM unpublished_vectors WHERE namespace_id = ?)`,
    ...[now, namespaceId],
  );
}

/** SQL that finds generations of which the store of a set may have vectors. Takes the set twice. */
export const MAY_BE_SENT = "(vector_set = ? OR second_set = ? OR (vector_set IS NULL AND second_set IS NULL))";

/**
 * Records that the stores have removed the vectors of a generation. The discard of a set still has to remove them from
 * its store, so their scope is kept for it, even if it has no documents left.
 */
export function* recordVectorRemoval(
  tx: Tx,
  { lease, documentId, generation }: GenerationRef & { lease: Lease },
): Operation<void> {
  yield* requireLease(tx, lease);
  const discarded = yield* tx.get<{ namespaceId: string; vectorSet: number }>(
    `SELECT r.namespace_id AS "namespaceId", r.vector_set AS "vectorSet" FROM reembeddings r
     WHERE r.state = 'discarding' AND r.in_store = 1 AND r.abandons_store = 0
       AND r.namespace_id = (SELECT namespace_id FROM unpublished_vectors WHERE document_id = ? AND generation = ?)`,
    ...[documentId, generation],
  );
  if (discarded) {
    const { namespaceId, vectorSet } = discarded;
    const vectors = yield* tx.get<{ tenantId: string | null }>(
      `SELECT tenant_id AS "tenantId" FROM unpublished_vectors WHERE document_id = ? AND generation = ? AND ${MAY_BE_SENT}`,
      ...[documentId, generation, vectorSet, vectorSet],
    );
    if (vectors) yield* ensureScope(tx, namespaceId, vectors.tenantId);
  }
  yield* tx.exec("DELETE FROM unpublished_vectors WHERE document_id = ? AND generation = ?", documentId, generation);
}

function* insertUnpublished(
  tx: Tx,
  { documentId, generation, namespaceId, tenantId, chunks }: PendingVectors,
  vectorSet: number | null,
): Operation<void> {
  yield* tx.exec(
    `INSERT INTO unpublished_vectors (document_id, generation, namespace_id, tenant_id, chunks, vector_set)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    documentId,
    generation,
    namespaceId,
    tenantId,
    chunks,
    vectorSet,
  );
}

function subjectOf({ documentId, generation }: GenerationRef): string {
  return `${documentId}.${generation}`;
}

/** The vectors that the stores of a namespace may have of an unpublished generation. */
export interface RemovableVectors {
  readonly namespaceId: string;
  readonly tenantId: string | null;
  /** The number of chunks: the ordinals of the vectors are lower. */
  readonly chunks: number;
  /** Whether the namespace has been deleted. */
  readonly isNamespaceDeleted: boolean;
}

/** Returns the vectors that a store may have of an unpublished generation; `undefined` if it has none. */
export function* getPendingVectors(
  tx: Tx,
  { documentId, generation }: GenerationRef,
): Operation<RemovableVectors | undefined> {
  const row = yield* tx.get<Omit<RemovableVectors, "isNamespaceDeleted"> & { deleted_at: number | null }>(
    `SELECT u.namespace_id AS "namespaceId", u.tenant_id AS "tenantId", u.chunks, n.deleted_at
     FROM unpublished_vectors u JOIN namespaces n ON n.id = u.namespace_id
     WHERE u.document_id = ? AND u.generation = ?`,
    documentId,
    generation,
  );
  if (!row) return undefined;
  const { deleted_at, ...vectors } = row;
  return { ...vectors, isNamespaceDeleted: deleted_at !== null };
}
