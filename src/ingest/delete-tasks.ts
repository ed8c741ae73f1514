import { storedChunkId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import { allVectorLocationsOf, deleteVectors } from "../engine/namespace-drivers.js";
import { removeUpload } from "../engine/remove-upload.js";
import { KnowledgeBaseError } from "../errors.js";
import type { RemovableDocument } from "../storage/records/document-queries.js";
import type { Lease } from "../storage/records/lease.js";
import type { ClaimedTask } from "../storage/records/tasks.js";
import type { Scope, Status } from "../types.js";

// Tasks that remove data in small, idempotent steps, so that an interrupted removal continues where it stopped. Each
// exported function returns true once the removal is complete, and false if the removal has to wait for another task.

export async function runDeleteDocument(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<boolean> {
  const document = await engine.storage.documents.getRemovable({ documentId: task.subject });
  if (document) await removeDocument(engine, task, document, { signal });
  return true;
}

export async function runDeleteJob(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<boolean> {
  await removeJob(engine, task, task.subject, { signal });
  return true;
}

export async function runDeleteNamespace(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<boolean> {
  const { storage } = engine;
  const namespaceId = task.subject;
  const jobs = await storage.jobs.listOfNamespace({ namespaceId });
  for (const { id } of jobs) {
    signal.throwIfAborted();
    await storage.jobs.delete({ jobId: id, ...queueFields(engine, task) }).catch(unlessRemoved);
    engine.events.emitJobStopped(id);
  }
  await emptyStores(engine, task, signal);
  for (const { id } of jobs) await removeJob(engine, task, id, { signal, areStoresEmptied: true });
  const uploads = await storage.uploads.listOfNamespace({ namespaceId });
  for (const { key } of uploads) await removeUpload(engine, key);
  while (await storage.feedback.purge({ lease: task.lease, namespaceId })) signal.throwIfAborted();
  while (await storage.clicks.purge({ lease: task.lease, namespaceId })) signal.throwIfAborted();
  while (await storage.goldenQuestions.purge({ lease: task.lease, namespaceId })) signal.throwIfAborted();
  while (await storage.evaluations.purge({ lease: task.lease, namespaceId })) signal.throwIfAborted();
  return storage.namespaces.remove({ lease: task.lease, namespaceId });
}

/** Another worker may remove a job whose removal was queued before that of its namespace. */
function unlessRemoved(error: unknown): void {
  if (!KnowledgeBaseError.is(error, "not_found")) throw error;
}

/**
 * Removes a replaced or abandoned generation. While the document is ingested again, the abandoned generation with the
 * most chunks is kept, because the cached vectors of its texts are removed with it and would have to be computed again.
 */
export async function runPurge(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<boolean> {
  const [documentId, generation] = parseSubject(task);
  const document = await engine.storage.documents.getRemovable({ documentId });
  if (!document) return true;
  if ((await findReusableGeneration(engine, document)) === generation) return false;
  // A separate task removes the vectors of unpublished generations from external stores.
  const unpublished = await engine.storage.documents.getPendingVectors({ documentId, generation });
  if (!unpublished) await removeVectors(engine, task, document, { generation, signal });
  await purgeChunks(engine, task.lease, document.seq, generation, signal);
  return true;
}

const IN_PROGRESS: readonly Status[] = ["QUEUED", "QUEUED_FOR_RESYNC", "PRE_PROCESSING", "PROCESSING"];

/** Returns the abandoned generation with the most chunks if its document is being ingested again; otherwise `null`. */
async function findReusableGeneration(engine: Engine, document: RemovableDocument): Promise<number | null> {
  const { seq: documentSeq, status, generation, building } = document;
  if (building === 0 || !IN_PROGRESS.includes(status)) return null;
  const generations = await engine.storage.index.chunkGenerations({ documentSeq });
  const abandoned = generations.filter((other) => other.generation !== generation && other.generation !== building);
  const [largest] = abandoned.toSorted((a, b) => b.chunks - a.chunks || b.generation - a.generation);
  return largest?.generation ?? null;
}

/** Removes unpublished vectors from the external stores, even if their document no longer exists. */
export async function runRemoveVectors(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<boolean> {
  const [documentId, generation] = parseSubject(task);
  const pending = await engine.storage.documents.getPendingVectors({ documentId, generation });
  if (!pending) return true;
  const scope = scopeOf(task, pending);
  const locations = await allVectorLocationsOf(engine, scope, { withDiscarded: pending.isNamespaceDeleted });
  const ids = Array.from({ length: pending.chunks }, (_, ordinal) => storedChunkId(documentId, generation, ordinal));
  // A late write may have recreated the scope in the store, so all of the scope is removed.
  const target = pending.isNamespaceDeleted ? "all" : { documentId, generation, ids };
  const stores = locations.filter(({ kind }) => kind === "store");
  await deleteVectors(engine, stores, scope, target, { signal });
  await engine.storage.documents.recordVectorRemoval({ lease: task.lease, documentId, generation });
  return true;
}

/** Parses the subject of a task, `<documentId>.<generation>`. */
function parseSubject({ subject }: ClaimedTask): readonly [documentId: string, generation: number] {
  const [documentId, generation] = subject.split(".") as [string, string];
  return [documentId, Number(generation)];
}

interface RemovalOptions {
  readonly signal: AbortSignal;
  /** Whether the vectors have already been removed from the external stores. @default false */
  readonly areStoresEmptied?: boolean;
}

/** Removes all vectors of a namespace that accepts no more writes from its external stores, scope by scope. */
async function emptyStores(engine: Engine, task: ClaimedTask, signal: AbortSignal): Promise<void> {
  const { organizationId, subject: namespaceId } = task;
  const owner = { organizationId, namespaceId };
  const listStores = async () =>
    (await allVectorLocationsOf(engine, owner, { withDiscarded: true })).filter(({ kind }) => kind === "store");
  const stores = await listStores();
  try {
    for (const { tenantId } of await engine.storage.namespaces.listScopes({ namespaceId }))
      await deleteVectors(engine, stores, { ...owner, tenantId }, "all", { signal });
  } catch (error) {
    // They may have been given up while they were asked.
    if ((await listStores()).length > 0) throw error;
  }
}

async function removeJob(engine: Engine, task: ClaimedTask, jobId: string, options: RemovalOptions): Promise<void> {
  const { lease } = task;
  await engine.storage.documents.startDeleting({ lease, table: "ingest_jobs", id: jobId, now: engine.now() });
  const documents = await engine.storage.documents.listRemovableOfJob({ jobId });
  for (const document of documents) await removeDocument(engine, task, document, options);
  while (await engine.storage.crawl.removePages({ lease, jobId })) options.signal.throwIfAborted();
  await engine.storage.jobs.remove({ lease, jobId, ...queueFields(engine, task) });
  engine.events.emitWorkAdded();
}

async function removeDocument(
  engine: Engine,
  task: ClaimedTask,
  document: RemovableDocument,
  { signal, areStoresEmptied = false }: RemovalOptions,
): Promise<void> {
  signal.throwIfAborted();
  const { lease } = task;
  await engine.storage.documents.startDeleting({ lease, table: "documents", id: document.id, now: engine.now() });
  await removeVectors(engine, task, document, { signal, areStoresEmptied });
  await purgeChunks(engine, lease, document.seq, "all", signal);
  const unusedUpload = await engine.storage.documents.remove({ lease, documentId: document.id, now: engine.now() });
  if (unusedUpload !== null) await removeUpload(engine, unusedUpload);
}

/**
 * Removes vectors from all sets that the namespace has by now, except one whose discard empties its store. Must run
 * after the vectors were hidden, so that nothing sends them to another store unnoticed, and before the chunks are
 * removed, because deleting from an external store requires their ids.
 */
async function removeVectors(
  engine: Engine,
  task: ClaimedTask,
  document: RemovableDocument,
  { generation, signal, areStoresEmptied = false }: RemovalOptions & { readonly generation?: number },
): Promise<void> {
  const scope = scopeOf(task, document);
  const all = await allVectorLocationsOf(engine, scope, { withDiscarded: false });
  const locations = areStoresEmptied ? all.filter(({ kind }) => kind === "index") : all;
  const target = { documentId: document.id, ...(generation !== undefined && { generation }) };
  const hasStore = locations.some(({ kind }) => kind === "store");
  const ids = hasStore ? await listChunkIds(engine, document, generation) : null;
  await deleteVectors(engine, locations, scope, ids ? { ...target, ids } : target, { signal });
}

async function listChunkIds(
  engine: Engine,
  document: RemovableDocument,
  generation: number | undefined,
): Promise<string[]> {
  const chunks = await engine.storage.index.chunkOrdinals({ documentSeq: document.seq, generation });
  return chunks.map((chunk) => storedChunkId(document.id, chunk.generation, chunk.ordinal));
}

async function purgeChunks(
  engine: Engine,
  lease: Lease,
  documentSeq: number,
  generation: number | "all",
  signal: AbortSignal,
): Promise<void> {
  while (await engine.storage.documents.purgeChunks({ lease, documentSeq, generation })) signal.throwIfAborted();
}

function queueFields(engine: Engine, { organizationId }: ClaimedTask) {
  return { organizationId, capacity: engine.options.limits.activeJobs, now: engine.now() };
}

function scopeOf(
  { organizationId }: ClaimedTask,
  { namespaceId, tenantId }: Pick<RemovableDocument, "namespaceId" | "tenantId">,
): Scope {
  return { organizationId, namespaceId, tenantId };
}
