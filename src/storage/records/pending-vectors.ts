import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type Lease, requireLease } from "./lease.js";

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

const TASK_KIND = "remove_vectors";

/**
 * Records the vectors of a generation before they are sent. Adds a task that would remove the vectors, which the
 * writing worker holds for as long as its lease on the job. Publication deletes the task, {@link abandonVectors}
 * releases it, and another worker claims it if this worker dies.
 */
export function* recordPendingVectors(tx: Tx, { taskSeq, owner }: Lease, vectors: PendingVectors): Operation<void> {
  yield* insertUnpublished(tx, vectors);
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
  if (yield* tx.get("SELECT 1 FROM documents WHERE id = ? AND generation = ?", documentId, generation)) return;
  if (!(yield* tx.get("SELECT 1 FROM namespaces WHERE id = ?", namespaceId))) return;
  yield* insertUnpublished(tx, vectors);
  yield* tx.exec(
    `INSERT INTO tasks (organization_id, kind, subject, run_at) VALUES (?, '${TASK_KIND}', ?, ?)
     ON CONFLICT (kind, subject)
     DO UPDATE SET state = 'ready', run_at = excluded.run_at, delay_ms = 0, owner = NULL, lease_until = NULL, fence = tasks.fence + 1`,
    vectors.organizationId,
    subjectOf(vectors),
    now,
  );
}

/** Records that the store has removed the vectors of a generation. */
export function* recordVectorRemoval(
  tx: Tx,
  { lease, documentId, generation }: GenerationRef & { lease: Lease },
): Operation<void> {
  yield* requireLease(tx, lease);
  yield* tx.exec("DELETE FROM unpublished_vectors WHERE document_id = ? AND generation = ?", documentId, generation);
}

function* insertUnpublished(
  tx: Tx,
  { documentId, generation, namespaceId, tenantId, chunks }: PendingVectors,
): Operation<void> {
  yield* tx.exec(
    "INSERT INTO unpublished_vectors VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
    documentId,
    generation,
    namespaceId,
    tenantId,
    chunks,
  );
}

function subjectOf({ documentId, generation }: GenerationRef): string {
  return `${documentId}.${generation}`;
}

/** The vectors that a store may have of an unpublished generation, and the configuration of the store. */
export interface RemovableVectors {
  readonly namespaceId: string;
  readonly tenantId: string | null;
  /** The number of chunks: the ordinals of the vectors are lower. */
  readonly chunks: number;
  /** As JSON. */
  readonly vectorStoreConfig: string;
  /** Whether the namespace has been deleted. */
  readonly isNamespaceDeleted: boolean;
}

/** Returns the vectors that a store may have of an unpublished generation; `undefined` if it has none. */
export function* getPendingVectors(
  tx: Tx,
  { documentId, generation }: GenerationRef,
): Operation<RemovableVectors | undefined> {
  const row = yield* tx.get<Omit<RemovableVectors, "isNamespaceDeleted"> & { deleted_at: number | null }>(
    `SELECT u.namespace_id AS "namespaceId", u.tenant_id AS "tenantId", u.chunks,
       n.vector_store_config AS "vectorStoreConfig", n.deleted_at
     FROM unpublished_vectors u JOIN namespaces n ON n.id = u.namespace_id
     WHERE u.document_id = ? AND u.generation = ?`,
    documentId,
    generation,
  );
  if (!row) return undefined;
  const { deleted_at, ...vectors } = row;
  return { ...vectors, isNamespaceDeleted: deleted_at !== null };
}
