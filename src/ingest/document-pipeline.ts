import { rm } from "node:fs/promises";
import { parseSource } from "../domain/parse-source.js";
import type { RunnableDocument } from "../storage/records/documents.js";
import { traced } from "../telemetry/traced.js";
import { stemmingFor } from "../text-analysis/language.js";
import type { DocumentSource, IngestConfig, Metadata } from "../types.js";
import { DocumentProgress } from "./document-progress.js";
import type { JobContext } from "./job-context.js";
import type { LoadContext, LoadedSource } from "./load-context.js";
import { fetchSource, isRemote, loadSource, type RemoteSource } from "./load-source.js";
import { missingTextWarning } from "./missing-text-warning.js";
import { isWhole, type PreparedSource, prepareSource } from "./prepare-source.js";
import { storeChunks } from "./store-chunks.js";
import type { Target } from "./write-batch.js";

/**
 * Ingests one document: loads, parses, chunks, embeds, stores and publishes it. Every step is idempotent, and fails
 * once the document is deleted, the job is cancelled or the lease is lost. Returns false if the document is no longer
 * wanted.
 */
export async function ingestDocument(job: JobContext, document: RunnableDocument): Promise<boolean> {
  const source = parseSource(document.source);
  const attributes = {
    "lorebase.document.id": document.id,
    "lorebase.namespace.id": job.scope.namespaceId,
    "lorebase.document.type": source.type,
  };
  const config: IngestConfig = JSON.parse(document.config);
  const progress = new DocumentProgress(job, document);
  const ingest: DocumentIngest = { job, document, source, config, progress };
  try {
    return await traced("lorebase.ingest.document", attributes, () => ingestSource(ingest));
  } finally {
    await progress.end();
  }
}

/** The ingest of one document. */
interface DocumentIngest {
  readonly job: JobContext;
  readonly document: RunnableDocument;
  readonly source: DocumentSource;
  readonly config: IngestConfig;
  readonly progress: DocumentProgress;
}

async function ingestSource(ingest: DocumentIngest): Promise<boolean> {
  const { job, document, source } = ingest;
  const { engine, lease, slot, signal } = job;
  const { seq } = document;
  const markStarted = () => engine.storage.documents.move({ lease, seq, status: "PRE_PROCESSING", now: engine.now() });
  if (isRemote(source)) return (await markStarted()) && ingestRemote(ingest, source);
  const load = () => loadSource(loadContext(job, document), source);
  return slot.work(async () => {
    // Concurrently: if the status change is rejected, so is every later write. The slot is in use until both settle.
    const starting = markStarted();
    const preparing = prepare(ingest, load, { firstPages: true });
    await Promise.allSettled([starting, preparing]);
    return (await starting) && storeDocument(ingest, await preparing, () => prepare(ingest, load));
  }, signal);
}

/** Fetches a document while holding a fetch slot instead of a work slot, and ingests it. */
async function ingestRemote(ingest: DocumentIngest, source: RemoteSource): Promise<boolean> {
  const { job, document } = ingest;
  const { engine, lease, scope, slot, signal } = job;
  const { seq } = document;
  const request = { organizationId: scope.organizationId, origin: new URL(remoteUrl(source)).origin };
  const path = await engine.fetching.downloads.newPath(lease.owner);
  let release = () => {};
  try {
    const fetched = await slot.wait("source", async () => {
      release = await engine.fetching.fetchLimiter.acquire(request, signal);
      return traced("lorebase.ingest.fetch", {}, () => fetchSource(loadContext(job, document), source, path));
    });
    if ("unchanged" in fetched) {
      return await engine.storage.documents.markUnchanged({
        lease,
        seq,
        version: fetched.unchanged,
        now: engine.now(),
      });
    }
    return await slot.work(async () => {
      // Counts all tokens now, because the file is removed once the document is parsed.
      const read = async (firstPages: boolean) => {
        const content = await prepare(ingest, fetched.load, { countAll: true, firstPages });
        if (!isWhole(content)) return content;
        await rm(path, { force: true });
        release();
        return content;
      };
      return storeDocument(ingest, await read(true), () => read(false));
    }, signal);
  } finally {
    await rm(path, { force: true });
    release();
  }
}

/** With `firstPages`, parses only the first pages of a long document of which nothing is published yet. */
function prepare(
  { job, document, source, config, progress }: DocumentIngest,
  load: () => Promise<LoadedSource>,
  { countAll = false, firstPages = false } = {},
): Promise<PreparedSource> {
  return prepareSource(job, source, config, load, {
    progress,
    countAll,
    firstPages: firstPages && document.generation === 0,
  });
}

/**
 * Stores and publishes a parsed document. If only its first pages are parsed, publishes them, parses the whole document,
 * and replaces them. Returns false if the document is no longer wanted.
 */
async function storeDocument(
  ingest: DocumentIngest,
  content: PreparedSource,
  prepareWhole: () => Promise<PreparedSource>,
): Promise<boolean> {
  const { engine, lease } = ingest.job;
  const start = { lease, seq: ingest.document.seq, now: engine.now() };
  const generation = await engine.storage.documents.openGeneration(start);
  if (generation === null) return false;
  if (isWhole(content)) return storeGeneration(ingest, generation, content);
  if (content.prepared.chunks.length === 0) return storeGeneration(ingest, generation, await prepareWhole());
  if (!(await storeGeneration(ingest, generation, content))) return false;
  return storeGeneration(ingest, generation + 1, await prepareWhole());
}

/** Embeds, stores and publishes a generation. Returns false if the document is no longer wanted. */
async function storeGeneration(ingest: DocumentIngest, generation: number, content: PreparedSource): Promise<boolean> {
  const { job, document, source, config, progress } = ingest;
  const { engine, vectors, scope } = job;
  const target: Target = {
    document,
    progress,
    generation,
    external: null,
    stemming: stemmingFor(content.prepared.text[0] ?? "", config.languageCode),
    metadata: documentMetadata(config, content.source),
    timeKey: content.source.timeKey,
  };
  let published = false;
  try {
    let outcome = await storeChunks(job, target, content);
    if (outcome === "too-long") {
      const load = () => loadSource(loadContext(job, document), source);
      const counted = await prepare(ingest, load, { countAll: true, firstPages: !isWhole(content) });
      outcome = await storeChunks(job, target, counted);
    }
    published = outcome === true;
  } finally {
    if (!published) abandonVectors(job, target);
  }
  // The document may have been removed before its last vectors were written.
  if (!published && vectors.kind === "index")
    await engine.storage.index.removeVectors(scope, { documentId: document.id, generation });
  if (published && isWhole(content)) warnMissingText(job, document, content);
  return published;
}

function warnMissingText(
  { engine }: JobContext,
  document: RunnableDocument,
  { source, prepared }: PreparedSource,
): void {
  const name = document.name ?? source.fileName;
  const message = missingTextWarning({
    id: document.id,
    name,
    chunkCount: prepared.chunks.length,
    warnings: prepared.warnings,
  });
  if (message !== null) engine.events.emit({ type: "warning", message });
}

/**
 * Queues the removal of the vectors from an external store once no more writes are in flight. The document may have
 * been deleted by then.
 */
function abandonVectors({ engine, waitUntil }: JobContext, { external }: Target): void {
  if (!external) return;
  const { vectors, written } = external;
  const abandoned = written.then(async () => {
    await engine.storage.documents.abandonVectors({ ...vectors, now: engine.now() });
    engine.events.emitWorkAdded();
  });
  waitUntil(abandoned);
}

function loadContext({ engine, jobId, scope, signal }: JobContext, document: RunnableDocument): LoadContext {
  return { engine, jobId, scope, signal, document };
}

function remoteUrl(source: RemoteSource): string {
  return source.type === "FILE" ? source.fileUrl : source.url;
}

/** Returns the metadata of every chunk. The caller's keys take precedence over the source's. */
function documentMetadata(config: IngestConfig, source: PreparedSource["source"]): Metadata {
  return {
    ...(source.fileName === null ? {} : { filename: source.fileName }),
    ...(source.url === null ? {} : { url: source.url }),
    ...source.metadata,
    ...config.metadata,
  };
}
