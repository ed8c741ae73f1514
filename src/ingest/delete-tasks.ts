import { storedChunkId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import { vectorStoreOf } from "../engine/namespace-drivers.js";
import { removeUpload } from "../engine/remove-upload.js";
import type { VectorStore } from "../interfaces/vector-store.js";
import type { Lease } from "../storage/records/lease.js";
import type { ClaimedTask } from "../storage/records/tasks.js";
import type { Scope, VectorStoreConfig } from "../types.js";

// Removal in small steps, each of which may be repeated: an interrupted one goes on where it was. Each returns whether that was all, or
// whether it has to wait for another task.

interface DocumentRef {
  readonly id: string;
  readonly seq: number;
  readonly namespace_id: string;
  readonly tenant_id: string | null;
  readonly vector_store_config: string;
}

/** Where a document's vectors are. */
type StorePlace = Pick<DocumentRef, "namespace_id" | "tenant_id" | "vector_store_config">;

const DOCUMENTS = `SELECT d.id, d.seq, d.namespace_id, d.tenant_id, n.vector_store_config
  FROM documents d JOIN namespaces n ON n.id = d.namespace_id`;

export async function runDeleteDocument(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<boolean> {
  const [document] = await engine.database.read<DocumentRef>({
    sql: `${DOCUMENTS} WHERE d.id = ?`,
    parameters: [task.subject],
  });
  if (document) await removeDocument(engine, task, document, { signal });
  return true;
}

export async function runDeleteJob(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<boolean> {
  await removeJob(engine, task, task.subject, { signal });
  return true;
}

export async function runDeleteNamespace(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<boolean> {
  const { database } = engine;
  const namespaceId = task.subject;
  const jobs = await database.read<{ id: string }>({
    sql: "SELECT id FROM ingest_jobs WHERE namespace_id = ?",
    parameters: [namespaceId],
  });
  for (const { id } of jobs) {
    signal.throwIfAborted();
    await database.change("deleteJob", { jobId: id, ...placeOf(engine, task) });
    engine.events.jobStopped(id);
  }
  await emptyStore(engine, task, signal);
  for (const { id } of jobs) await removeJob(engine, task, id, { signal, emptied: true });
  const uploads = await database.read<{ key: string }>({
    sql: "SELECT key FROM uploads WHERE namespace_id = ?",
    parameters: [namespaceId],
  });
  for (const { key } of uploads) await removeUpload(engine, key);
  return database.change("removeNamespace", { lease: task.lease, namespaceId });
}

/**
 * Removes a generation that has been replaced or abandoned. While the document is ingested again, of the abandoned ones the one with most
 * chunks waits: the vectors of its texts are forgotten with it, and would have to be computed again.
 */
export async function runPurge(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<boolean> {
  const [documentId, generation] = generationOf(task);
  const [document] = await engine.database.read<DocumentRef>({
    sql: `${DOCUMENTS} WHERE d.id = ?`,
    parameters: [documentId],
  });
  if (!document) return true;
  const [remembered] = await engine.database.read<{ generation: number }>({
    sql: `SELECT c.generation FROM documents d JOIN chunks c ON c.document_seq = d.seq
      WHERE d.seq = ? AND d.building > 0 AND d.status IN ('QUEUED', 'QUEUED_FOR_RESYNC', 'PRE_PROCESSING', 'PROCESSING')
      AND c.generation NOT IN (d.generation, d.building)
      GROUP BY c.generation ORDER BY count(*) DESC, c.generation DESC LIMIT 1`,
    parameters: [document.seq],
  });
  if (remembered?.generation === generation) return false;
  const [unpublished] = await engine.database.read({
    sql: "SELECT 1 FROM unpublished_vectors WHERE document_id = ? AND generation = ?",
    parameters: [documentId, generation],
  });
  // Those have a task of their own.
  if (!unpublished) await removeVectors(engine, task, document, { generation, signal });
  await purgeChunks(engine, task.lease, document.seq, generation, signal);
  return true;
}

interface UnpublishedVectors extends StorePlace {
  readonly chunks: number;
  readonly deleted_at: number | null;
}

/** Removes from a store outside the database what was never published there, whether or not there is still a document of it. */
export async function runRemoveVectors(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<boolean> {
  const [documentId, generation] = generationOf(task);
  const [vectors] = await engine.database.read<UnpublishedVectors>({
    sql: `SELECT u.namespace_id, u.tenant_id, u.chunks, n.vector_store_config, n.deleted_at
      FROM unpublished_vectors u JOIN namespaces n ON n.id = u.namespace_id WHERE u.document_id = ? AND u.generation = ?`,
    parameters: [documentId, generation],
  });
  if (!vectors) return true;
  const store = await storeOf(engine, task, vectors);
  const ids = Array.from({ length: vectors.chunks }, (_, ordinal) => storedChunkId(documentId, generation, ordinal));
  // A write after its scope was emptied may have made the scope anew.
  const target = vectors.deleted_at === null ? { documentId, generation, ids } : "all";
  await store.delete(scopeOf(task, vectors), target, { signal });
  await engine.database.change("vectorsRemoved", { lease: task.lease, documentId, generation });
  return true;
}

/** Of a task whose subject is `<documentId>.<generation>`. */
function generationOf({ subject }: ClaimedTask): readonly [documentId: string, generation: number] {
  const [documentId, generation] = subject.split(".") as [string, string];
  return [documentId, Number(generation)];
}

interface Removal {
  readonly signal: AbortSignal;
  /** Whether the vector store has nothing of it any more. @default false */
  readonly emptied?: boolean;
}

/** Everything that a namespace has in a store that is not in the database, scope by scope: it takes no more from now on. */
async function emptyStore(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<void> {
  const scopes = await engine.database.read<StorePlace>({
    sql: `SELECT s.namespace_id, s.tenant_id, n.vector_store_config FROM scopes s JOIN namespaces n ON n.id = s.namespace_id
      WHERE n.id = ?`,
    parameters: [task.subject],
  });
  for (const scope of scopes) {
    const store = await storeOf(engine, task, scope);
    if (!store.inDatabase) await store.delete(scopeOf(task, scope), "all", { signal });
  }
}

async function removeJob(engine: Engine, task: ClaimedTask, jobId: string, removal: Removal): Promise<void> {
  const { lease } = task;
  await engine.database.change("startDeleting", { lease, table: "ingest_jobs", id: jobId, now: engine.now() });
  const documents = await engine.database.read<DocumentRef>({
    sql: `${DOCUMENTS} WHERE d.ingest_job_id = ?`,
    parameters: [jobId],
  });
  for (const document of documents) await removeDocument(engine, task, document, removal);
  while (await engine.database.change("removeCrawlPages", { lease, jobId })) removal.signal.throwIfAborted();
  await engine.database.change("removeJob", { lease, jobId, ...placeOf(engine, task) });
  engine.events.workAdded();
}

async function removeDocument(
  engine: Engine,
  task: ClaimedTask,
  document: DocumentRef,
  { signal, emptied = false }: Removal,
): Promise<void> {
  signal.throwIfAborted();
  const { lease } = task;
  await engine.database.change("startDeleting", { lease, table: "documents", id: document.id, now: engine.now() });
  const inStore = !emptied || (await storeOf(engine, task, document)).inDatabase;
  if (inStore) await removeVectors(engine, task, document, { signal });
  await purgeChunks(engine, lease, document.seq, "all", signal);
  const unusedUpload = await engine.database.change("removeDocument", { lease, documentId: document.id });
  if (unusedUpload !== null) await removeUpload(engine, unusedUpload);
}

/** Before the chunks: they are all that says which ids a store outside the database may have, seen by its queries or not. */
async function removeVectors(
  engine: Engine,
  task: ClaimedTask,
  document: DocumentRef,
  { generation, signal }: { readonly generation?: number; readonly signal: AbortSignal },
): Promise<void> {
  const store = await storeOf(engine, task, document);
  const target = { documentId: document.id, ...(generation !== undefined && { generation }) };
  const ids = store.inDatabase ? null : await idsOf(engine, document, generation);
  await store.delete(scopeOf(task, document), ids ? { ...target, ids } : target, { signal });
}

async function idsOf(engine: Engine, document: DocumentRef, generation: number | undefined): Promise<string[]> {
  const chunks = await engine.database.read<{ generation: number; ordinal: number }>({
    sql: "SELECT generation, ordinal FROM chunks WHERE document_seq = ? AND generation = coalesce(?, generation)",
    parameters: [document.seq, generation ?? null],
  });
  return chunks.map((chunk) => storedChunkId(document.id, chunk.generation, chunk.ordinal));
}

async function purgeChunks(
  engine: Engine,
  lease: Lease,
  documentSeq: number,
  generation: number | "all",
  signal: AbortSignal,
): Promise<void> {
  while (await engine.database.change("purgeChunks", { lease, documentSeq, generation })) signal.throwIfAborted();
}

function storeOf(engine: Engine, task: ClaimedTask, place: StorePlace): Promise<VectorStore> {
  return vectorStoreOf(engine, scopeOf(task, place), JSON.parse(place.vector_store_config) as VectorStoreConfig);
}

function placeOf(engine: Engine, { organizationId }: ClaimedTask) {
  return { organizationId, capacity: engine.options.limits.activeJobs, now: engine.now() };
}

function scopeOf(
  { organizationId }: ClaimedTask,
  { namespace_id: namespaceId, tenant_id: tenantId }: Pick<DocumentRef, "namespace_id" | "tenant_id">,
): Scope {
  return { organizationId, namespaceId, tenantId };
}
