import type { Lease } from "../database/procedures/lease.js";
import type { ClaimedTask } from "../database/procedures/tasks.js";
import type { Engine } from "../engine.js";
import { vectorStoreOf } from "../namespace-drivers.js";
import type { Scope, VectorStoreConfig } from "../types.js";

// Removal in small steps, each of which may be repeated: an interrupted one goes on where it was.

interface DocumentRef {
  readonly id: string;
  readonly seq: number;
  readonly namespace_id: string;
  readonly tenant_id: string | null;
  readonly vector_store_config: string;
}

const DOCUMENTS = `SELECT d.id, d.seq, d.namespace_id, d.tenant_id, n.vector_store_config
  FROM documents d JOIN namespaces n ON n.id = d.namespace_id`;

export async function runDeleteDocument(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<void> {
  const [document] = await engine.database.read<DocumentRef>({
    sql: `${DOCUMENTS} WHERE d.id = ?`,
    parameters: [task.subject],
  });
  if (document) await removeDocument(engine, task, document, signal);
}

export async function runDeleteJob(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<void> {
  await removeJob(engine, task, task.subject, signal);
}

export async function runDeleteNamespace(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<void> {
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
    await removeJob(engine, task, id, signal);
  }
  const uploads = await database.read<{ key: string }>({
    sql: "SELECT key FROM uploads WHERE namespace_id = ?",
    parameters: [namespaceId],
  });
  for (const { key } of uploads) await removeUpload(engine, key);
  await database.change("removeNamespace", { lease: task.lease, namespaceId });
}

/** Removes a generation that has been replaced or abandoned. */
export async function runPurge(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<void> {
  const [documentId, number] = task.subject.split(".");
  const generation = Number(number);
  const [document] = await engine.database.read<DocumentRef>({
    sql: `${DOCUMENTS} WHERE d.id = ?`,
    parameters: [documentId!],
  });
  if (!document) return;
  const store = await storeOf(engine, task, document);
  await store.delete(scopeOf(task, document), { documentId: document.id, generation }, { signal });
  await purgeChunks(engine, task.lease, document.seq, generation, signal);
}

async function removeJob(engine: Engine, task: ClaimedTask, jobId: string, signal: AbortSignal): Promise<void> {
  const { lease } = task;
  await engine.database.change("startDeleting", { lease, table: "ingest_jobs", id: jobId, now: engine.now() });
  const documents = await engine.database.read<DocumentRef>({
    sql: `${DOCUMENTS} WHERE d.ingest_job_id = ?`,
    parameters: [jobId],
  });
  for (const document of documents) await removeDocument(engine, task, document, signal);
  await engine.database.change("removeJob", { lease, jobId, ...placeOf(engine, task) });
  engine.events.workAdded();
}

async function removeDocument(
  engine: Engine,
  task: ClaimedTask,
  document: DocumentRef,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const { lease } = task;
  await engine.database.change("startDeleting", { lease, table: "documents", id: document.id, now: engine.now() });
  const store = await storeOf(engine, task, document);
  await store.delete(scopeOf(task, document), { documentId: document.id }, { signal });
  await purgeChunks(engine, lease, document.seq, "all", signal);
  const unusedUpload = await engine.database.change("removeDocument", { lease, documentId: document.id });
  if (unusedUpload !== null) await removeUpload(engine, unusedUpload);
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

/** The file first: should the process die in between, the record still says that there is one to remove. */
export async function removeUpload(engine: Engine, key: string): Promise<void> {
  await engine.blobs.delete(key);
  await engine.database.change("removeUpload", { key });
}

function storeOf(engine: Engine, task: ClaimedTask, document: DocumentRef) {
  const config = JSON.parse(document.vector_store_config) as VectorStoreConfig;
  return vectorStoreOf(engine, scopeOf(task, document), config);
}

function placeOf(engine: Engine, { organizationId }: ClaimedTask) {
  return { organizationId, capacity: engine.options.limits.activeJobs, now: engine.now() };
}

function scopeOf(task: ClaimedTask, document: DocumentRef): Scope {
  return { organizationId: task.organizationId, namespaceId: document.namespace_id, tenantId: document.tenant_id };
}
