import { rm } from "node:fs/promises";
import { storedChunkId } from "../domain/ids.js";
import { parseSource } from "../domain/parse-source.js";
import { publicMetadata } from "../domain/passage-metadata.js";
import { getErrorMessage, isAbortError, KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { ParseConfig } from "../interfaces/parser.js";
import type { PreparedChunk, PreparedDocument } from "../parse-workers/preparer.js";
import type { VectorLocation } from "../providers/vectors.js";
import { chunkMetadata, type NewTextPart } from "../storage/records/chunks.js";
import type { DocumentPublication, RunnableDocument } from "../storage/records/documents.js";
import type { Lease } from "../storage/records/lease.js";
import type { PendingVectors } from "../storage/records/pending-vectors.js";
import type { IndexedChunks } from "../storage/search-index.js";
import { unitVector } from "../storage/unit-vector.js";
import { traced } from "../telemetry/traced.js";
import { stemmingFor } from "../text-analysis/language.js";
import type { Stemming } from "../text-analysis/stemming.js";
import type { DocumentSource, IngestConfig, Metadata, Scope } from "../types.js";
import { vectorToBytes } from "../util/float32-bytes.js";
import { resolveChunkSizes } from "../validation/ingest-config-schema.js";
import { awaitVisible } from "./await-visible.js";
import { type BatchingEmbedder, DEFAULT_BATCH_SIZE } from "./batching-embedder.js";
import { startDetachedWrite } from "./detached-write.js";
import { type EmbeddedChunks, embedChunks } from "./embed-chunks.js";
import { toHashedFile } from "./hashed-file.js";
import type { IngestEngine } from "./ingest-engine.js";
import type { LoadContext, LoadedSource } from "./load-context.js";
import { fetchSource, isRemote, loadSource, type RemoteSource } from "./load-source.js";
import { missingTextWarning } from "./missing-text-warning.js";
import type { TaskSlot } from "./task-slot.js";
import { tracePreparation } from "./trace-preparation.js";

/** The job whose documents are ingested, and what its documents share. */
export interface JobContext {
  readonly engine: IngestEngine;
  readonly jobId: string;
  readonly lease: Lease;
  readonly scope: Scope;
  readonly embedder: BatchingEmbedder;
  readonly vectors: VectorLocation;
  /** The set of vectors that the embedder's vectors belong to. */
  readonly vectorSet: number;
  /** The other model of a namespace that is embedded again; `null` if there is none. */
  readonly secondModel: SecondModel | null;
  readonly signal: AbortSignal;
  /** The work slot of the job, released while all its documents wait for the network. */
  readonly slot: TaskSlot;
  /** Aborted when the engine closes. */
  readonly closing: AbortSignal;
  /** Keeps the engine from closing until work that outlives its document has ended. */
  waitUntil(work: Promise<void>): void;
}

/** A second model of a namespace, whose vectors searches don't use. */
export interface SecondModel {
  readonly embedder: BatchingEmbedder;
  readonly vectorSet: number;
  /** Whether the remaining documents of the job are embedded without it. The re-embedding writes their vectors. */
  isGivenUp: boolean;
}

/**
 * Ingests one document: loads, parses, chunks, embeds, stores and publishes it. Every step is idempotent, and fails
 * once the document is deleted, the job is cancelled or the lease is lost. Returns false if the document is no longer
 * wanted.
 */
export async function ingestDocument(job: JobContext, document: RunnableDocument): Promise<boolean> {
  const source = sourceOf(document);
  const attributes = {
    "lorebase.document.id": document.id,
    "lorebase.namespace.id": job.scope.namespaceId,
    "lorebase.document.type": source.type,
  };
  return traced("lorebase.ingest.document", attributes, () => ingestSource(job, document, source));
}

async function ingestSource(job: JobContext, document: RunnableDocument, source: DocumentSource): Promise<boolean> {
  const { engine, lease, slot, signal } = job;
  const { seq } = document;
  const config: IngestConfig = JSON.parse(document.config);
  const markStarted = () => engine.storage.documents.move({ lease, seq, status: "PRE_PROCESSING", now: engine.now() });
  if (isRemote(source)) return (await markStarted()) && ingestRemote(job, document, source, config);
  const load = () => loadSource(loadContext(job, document), source);
  return slot.work(async () => {
    // Concurrently: if the status change is rejected, so is every later write. The slot is in use until both settle.
    const starting = markStarted();
    const preparing = prepare(job, source, config, load);
    await Promise.allSettled([starting, preparing]);
    return (await starting) && storeDocument(job, document, config, await preparing);
  }, signal);
}

/** Fetches a document while holding a fetch slot instead of a work slot, and ingests it. */
async function ingestRemote(
  job: JobContext,
  document: RunnableDocument,
  source: RemoteSource,
  config: IngestConfig,
): Promise<boolean> {
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
      // Counts all tokens now, because parsing the document again would require another fetch.
      const prepared = await prepare(job, source, config, fetched.load, { countAll: true });
      await rm(path, { force: true });
      release();
      return storeDocument(job, document, config, prepared);
    }, signal);
  } finally {
    await rm(path, { force: true });
    release();
  }
}

/** Embeds, stores and publishes a parsed document. Returns false if the document is no longer wanted. */
async function storeDocument(
  job: JobContext,
  document: RunnableDocument,
  config: IngestConfig,
  content: PreparedSource,
): Promise<boolean> {
  const { engine, lease, vectors, scope } = job;
  const { seq } = document;
  const generation = await engine.storage.documents.openGeneration({ lease, seq, now: engine.now() });
  if (generation === null) return false;
  const target: Target = {
    document,
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
      const source = sourceOf(document);
      const load = () => loadSource(loadContext(job, document), source);
      outcome = await storeChunks(job, target, await prepare(job, source, config, load, { countAll: true }));
    }
    published = outcome === true;
  } finally {
    if (!published) abandonVectors(job, target);
  }
  // The document may have been removed before its last vectors were written.
  if (!published && vectors.kind === "index")
    await engine.storage.index.removeVectors(scope, { documentId: document.id, generation });
  if (published) warnMissingText(job, document, content);
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

function publicationOf(
  { engine, lease, scope, vectorSet }: JobContext,
  { document, generation }: Target,
  { source, prepared }: PreparedSource,
  tokenCount: number,
): DocumentPublication {
  return {
    lease,
    organizationId: scope.organizationId,
    seq: document.seq,
    generation,
    vectorSet,
    name: (document.nameGiven ? null : source.fileName) ?? document.name ?? source.fileName ?? prepared.title,
    mimeType: prepared.mimeType,
    fileSize: source.fileSize,
    contentHash: source.contentHash,
    sourceVersion: source.sourceVersion,
    source: source.source === undefined ? null : JSON.stringify(source.source),
    warnings: prepared.warnings,
    chunks: prepared.chunks.length,
    tokens: tokenCount,
    characters: prepared.characters,
    pages: prepared.pages ?? 1,
    now: engine.now(),
  };
}

/** A parsed and chunked source, without its bytes. */
interface PreparedSource {
  readonly source: Omit<LoadedSource, "file"> & { readonly contentHash: string };
  readonly prepared: PreparedDocument;
}

function loadContext({ engine, jobId, scope, signal }: JobContext, document: RunnableDocument): LoadContext {
  return { engine, jobId, scope, signal, document };
}

function remoteUrl(source: RemoteSource): string {
  return source.type === "FILE" ? source.fileUrl : source.url;
}

function sourceOf(document: RunnableDocument): DocumentSource {
  return parseSource(document.source);
}

async function prepare(
  job: JobContext,
  { type }: DocumentSource,
  config: IngestConfig,
  load: () => Promise<LoadedSource>,
  { countAll = false } = {},
): Promise<PreparedSource> {
  const { engine, embedder, slot, signal } = job;
  let loaded: { readonly source: Omit<LoadedSource, "file">; sha256(): string } | null = null;
  const read = async () => {
    const { file, ...source } = await load();
    const { contentHash } = source;
    const hashed = contentHash === undefined ? toHashedFile(file) : { file, sha256: () => contentHash };
    loaded = { source, sha256: hashed.sha256 };
    return hashed.file;
  };
  const run = () =>
    engine.preparer.prepare(read, {
      signal,
      countAll,
      parse: parseConfig(config),
      // Pages of a site share navigation, which is removed. A file that the caller chose is parsed completely.
      mainContent: type === "CRAWLED_PAGE",
      chunk: {
        ...resolveChunkSizes(config),
        delimiter: config.delimiter ?? null,
        maxTokens: embedder.embedder.maxInputTokens,
        countTokens: embedder.countTokens,
      },
    });
  const usesModel = config.useLlm === true && engine.options.languageModel !== undefined;
  const prepared = await tracePreparation(() => (usesModel ? slot.pauseWork("service", run, signal) : run()));
  const { source, sha256 } = loaded!;
  return { source: { ...source, contentHash: sha256() }, prepared };
}

function parseConfig(config: IngestConfig): ParseConfig {
  const { chunkSize, chunkOverlap, maxChunkSize, delimiter, metadata, ...parseOptions } = config;
  return parseOptions;
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

interface Target {
  readonly document: RunnableDocument;
  readonly generation: number;
  /** The vectors that an external store may hold, and the end of the last write; `null` if none were sent. */
  external: { readonly vectors: PendingVectors; readonly written: Promise<void> } | null;
  /** How the document's words are stemmed. */
  readonly stemming: Stemming;
  /** The metadata of every chunk. */
  readonly metadata: Metadata;
  /** The metadata key of a chunk's start time in seconds. */
  readonly timeKey: string | undefined;
}

/**
 * Embeds and writes a document in batches, and publishes it. Each batch is written, and its vectors are cached, as soon
 * as it is embedded, so that a crash or a failing batch costs only the calls in flight. Returns false if the document
 * is no longer wanted, and "too-long" if a chunk exceeds the model's token limit: the batch of that chunk is not
 * written.
 */
async function storeChunks(job: JobContext, target: Target, content: PreparedSource): Promise<boolean | "too-long"> {
  const { slot, signal } = job;
  // Another task may use the slot while a hosted service embeds.
  const pauseIfHosted = <Result>(wait: () => Promise<Result>, { embedder }: BatchingEmbedder = job.embedder) =>
    embedder.hosted ? slot.pauseWork("service", wait, signal) : wait();
  const batches = splitIntoBatches(job, content.prepared);
  const [first] = batches;
  // Most documents fit into one batch, which one operation writes and publishes.
  if (first && batches.length === 1 && job.vectors.kind === "index" && !secondModelOf(job)) {
    const embedded = await pauseIfHosted(() => embedBatch(job, first));
    if (embedded === "too-long") return embedded;
    const batch = indexedChunks(job, target, first, embedded);
    const chunks = batch.chunks.map((chunk, index) => {
      return { ...chunk, vector: vectorToBytes(unitVector(embedded.vectors[index]!)) };
    });
    const publication = publicationOf(job, target, content, sum(embedded.tokenCounts));
    return traced("lorebase.ingest.write", { "lorebase.chunks": chunks.length, "lorebase.publishes": true }, () =>
      job.engine.storage.documents.store({ content: { ...batch, chunks }, publication }),
    );
  }
  const pendingBatches: Promise<StoredBatch | false | "too-long">[] = [];
  const startBatch = (batch: Batch | undefined) => {
    if (!batch) return;
    const stored = storeBatch(job, target, batch);
    // If another batch fails first, nothing awaits this promise.
    stored.catch(() => {});
    pendingBatches.push(stored);
  };
  const concurrency = batchConcurrency(job.embedder.embedder);
  for (const batch of batches.slice(0, concurrency)) startBatch(batch);
  let embeddedCount = 0;
  let tokenCount = 0;
  try {
    for (const [index, batch] of batches.entries()) {
      const next = pendingBatches.shift()!;
      const stored = await pauseIfHosted(() => next);
      if (stored === false || stored === "too-long") return stored;
      startBatch(batches[index + concurrency]);
      tokenCount += stored.tokenCount;
      if (stored.external) await upsertExternal(job, target, stored.external);
      embeddedCount += batch.chunks.length;
      if (batches.length > 1) await emitProgress(job, target.document, embeddedCount, batch.totalChunks);
    }
  } finally {
    // After a failure, the calls in flight are completed, because they are already paid for: their vectors are cached.
    await Promise.allSettled(pendingBatches);
  }
  if (job.vectors.kind === "store" && job.vectors.store.findMissing) {
    const { store } = job.vectors;
    const waitUntilVisible = () => awaitVisible(store, job.scope, chunkIds(target, content.prepared), { signal });
    await slot.pauseWork("service", waitUntilVisible, signal);
  }
  const secondModel = secondModelOf(job);
  if (secondModel) {
    const write = () => writeSecondVectors(job, secondModel, target, content.prepared);
    await pauseIfHosted(write, secondModel.embedder);
  }
  return traced("lorebase.ingest.publish", {}, () =>
    job.engine.storage.documents.publish(publicationOf(job, target, content, tokenCount)),
  );
}

function secondModelOf({ secondModel }: JobContext): SecondModel | null {
  return secondModel?.isGivenUp ? null : secondModel;
}

/**
 * Embeds a document by the second model too, so that a cut-over need not wait for it. If the model fails, the vectors are
 * written before the next cut-over, and the job goes on without it: each document would wait for the same failure.
 */
async function writeSecondVectors(
  { engine, lease, scope, signal }: JobContext,
  secondModel: SecondModel,
  { document: { id, seq: documentSeq }, generation }: Target,
  { chunks }: PreparedDocument,
): Promise<void> {
  const { embedder, vectorSet } = secondModel;
  const { namespaceId } = scope;
  const { maxInputTokens: limit, maxBatchSize = DEFAULT_BATCH_SIZE, hosted } = embedder.embedder;
  // Each batch is written at once, so that a failure costs no more than one, and no transaction is long.
  const batchSize = maxBatchSize * (hosted?.concurrency ?? 1);
  for (const [index, batch] of chunkArray(chunks, batchSize).entries()) {
    // Tokens are counted only if there can be too many.
    const texts = batch.map(({ indexText }) => ({ indexText, tokens: limit === null ? 0 : null }));
    let embedded: EmbeddedChunks;
    try {
      embedded = await embedChunks(engine.storage, embedder, namespaceId, texts, { signal });
    } catch (error) {
      if (isAbortError(error)) throw error;
      // Documents that were waiting for the same failure add no warning.
      if (secondModel.isGivenUp) return;
      secondModel.isGivenUp = true;
      const message = `Documents are embedded by one model only from ${id} on, because the other failed: ${getErrorMessage(error)}`;
      engine.events.emit({ type: "warning", message });
      return;
    }
    const isWanted = await engine.storage.reembeddings.write({
      ...{ lease, namespaceId, vectorSet },
      // The re-embedding reports chunks that are too long for the model.
      vectors: embedded.vectors.flatMap((vector, position) =>
        limit !== null && embedded.tokenCounts[position]! > limit
          ? []
          : [
              {
                ...{ documentSeq, generation, ordinal: index * batchSize + position },
                vector: vectorToBytes(unitVector(vector)),
              },
            ],
      ),
    });
    // The set was discarded, or searches use it by now: then the publication fails.
    if (!isWanted) {
      secondModel.isGivenUp = true;
      return;
    }
  }
}

/**
 * Returns how many batches of a document are embedded and written concurrently. Without a cache, two, so that embedding
 * and writing overlap; with a cache, one, so that a crash loses less.
 */
function batchConcurrency({ hosted, cacheable }: Embedder): number {
  return hosted?.concurrency ?? (cacheable === false ? 2 : 1);
}

function splitIntoBatches({ embedder }: JobContext, prepared: PreparedDocument): readonly Batch[] {
  const totalChunks = prepared.chunks.length;
  const size = embedder.embedder.maxBatchSize ?? DEFAULT_BATCH_SIZE;
  const batches = chunkArray(prepared.chunks, size);
  const texts = chunkArray(positionTexts(prepared), Math.ceil(prepared.text.length / batches.length) || 1);
  return batches.map((chunks, index) => ({
    chunks,
    texts: texts[index] ?? [],
    firstOrdinal: index * size,
    totalChunks,
  }));
}

async function embedBatch(job: JobContext, { chunks }: Batch): Promise<EmbeddedChunks | "too-long"> {
  const { engine, embedder, scope, signal } = job;
  const embedded = await traced("lorebase.ingest.embed", { "lorebase.chunks": chunks.length }, () =>
    embedChunks(engine.storage, embedder, scope.namespaceId, chunks, { signal }),
  );
  const limit = embedder.embedder.maxInputTokens ?? Number.POSITIVE_INFINITY;
  const isTooLong = chunks.some(({ tokens }, index) => tokens === null && embedded.tokenCounts[index]! > limit);
  return isTooLong ? "too-long" : embedded;
}

interface StoredBatch {
  readonly tokenCount: number;
  /** Vectors to send to an external store; `null` if they are in the search index. */
  readonly external: ExternalVectors | null;
}

async function storeBatch(job: JobContext, target: Target, batch: Batch): Promise<StoredBatch | false | "too-long"> {
  const embedded = await embedBatch(job, batch);
  if (embedded === "too-long") return embedded;
  const attributes = { "lorebase.chunks": batch.chunks.length };
  const { isWritten, external } = await traced("lorebase.ingest.write", attributes, async () => {
    const { written, ...batchWrite } = writeBatch(job, target, batch, embedded);
    return { isWritten: await written, ...batchWrite };
  });
  return isWritten && { tokenCount: sum(embedded.tokenCounts), external };
}

function chunkIds({ document, generation }: Target, { chunks }: PreparedDocument): readonly string[] {
  return chunks.map((_, ordinal) => storedChunkId(document.id, generation, ordinal));
}

/** Waits for all steps. Returns whether all return true, and rejects with the first rejection in their order. */
async function allTrue(steps: readonly Promise<boolean>[]): Promise<boolean> {
  const outcomes = await Promise.allSettled(steps);
  return outcomes.every((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}

/** Returns the pieces of a document's text with their positions. */
function positionTexts({ text, pageStarts }: PreparedDocument): readonly NewTextPart[] {
  let start = 0;
  return text.map((piece, index) => {
    const positioned = { start, text: piece, pageStarts: index === 0 ? pageStarts : null };
    start += piece.length;
    return positioned;
  });
}

interface Batch {
  readonly chunks: readonly PreparedChunk[];
  readonly texts: readonly NewTextPart[];
  /** The ordinal of the first chunk. */
  readonly firstOrdinal: number;
  /** The number of chunks in the document. */
  readonly totalChunks: number;
}

interface ExternalVectors {
  readonly vectors: PendingVectors;
  upsert(signal: AbortSignal): Promise<void>;
}

/** Returns what the search index and the document's text get of a batch, without the vectors of its chunks. */
function indexedChunks(
  job: JobContext,
  { document, generation, stemming, metadata, timeKey }: Target,
  batch: Batch,
  embedded: EmbeddedChunks,
): IndexedChunks & { readonly texts: readonly NewTextPart[] } {
  const entries = embedded.computedIndexes.map((index) => ({
    key: embedded.keys[index]!,
    vector: vectorToBytes(embedded.vectors[index]!),
  }));
  return {
    documentSeq: document.seq,
    scopeId: document.scopeId,
    generation,
    vectorSet: job.vectorSet,
    metadata,
    timeKey,
    chunks: batch.chunks.map((chunk, index) => ({
      ...chunk,
      tokens: embedded.tokenCounts[index]!,
      ordinal: batch.firstOrdinal + index,
      embeddingKey: embedded.keys[index]!,
    })),
    texts: batch.texts,
    stemming,
    cache: entries.length > 0 ? { namespaceId: job.scope.namespaceId, entries } : null,
  };
}

/** Writes a batch to the database, and its vectors if they are in the search index. */
function writeBatch(
  job: JobContext,
  target: Target,
  batch: Batch,
  embedded: EmbeddedChunks,
): { readonly written: Promise<boolean>; readonly external: ExternalVectors | null } {
  const { document, generation, metadata, timeKey } = target;
  const store = job.vectors.kind === "store" ? job.vectors.store : null;
  const vectors = store && { ...job.scope, documentId: document.id, generation, chunks: batch.totalChunks };
  if (vectors) target.external ??= { vectors, written: Promise.resolve() };
  const { storage } = job.engine;
  const content = indexedChunks(job, target, batch, embedded);
  const { chunks } = content;
  const chunksWritten = storage.documents.writeChunks({ lease: job.lease, ...content, pendingVectors: vectors });
  if (!store || !vectors) {
    const indexed = chunks.map(({ ordinal }, index) => {
      return { documentId: document.id, generation, ordinal, vector: embedded.vectors[index]! };
    });
    // Concurrently, so that the search index's write joins the transaction that writes the chunks.
    const vectorsWritten = storage.index
      .writeVectors(indexed, { signal: job.signal, vectorSet: job.vectorSet })
      .then(() => true);
    return { written: allTrue([chunksWritten, vectorsWritten]), external: null };
  }
  const json = JSON.stringify(metadata);
  const metadataOf = (chunk: (typeof chunks)[number]): string => {
    const own = chunkMetadata(metadata, chunk, timeKey);
    return own === metadata ? json : JSON.stringify(own);
  };
  const records = chunks.map((chunk, index) => ({
    id: storedChunkId(document.id, generation, chunk.ordinal),
    documentId: document.id,
    generation,
    vector: embedded.vectors[index]!,
    metadata: publicMetadata<Metadata>(job.scope, {
      ...chunk,
      documentId: document.id,
      metadata: metadataOf(chunk),
    }),
  }));
  const upsert = (signal: AbortSignal) => store.upsert(job.scope, records, { signal });
  // The upsert follows the chunks, so that after a crash the database knows every id that the store may hold.
  return { written: chunksWritten, external: { vectors, upsert } };
}

async function upsertExternal(job: JobContext, target: Target, { vectors, upsert }: ExternalVectors): Promise<void> {
  const { outcome, ended } = startDetachedWrite(upsert, job);
  target.external = { vectors, written: ended };
  await job.slot.pauseWork("service", () => outcome, job.signal);
}

async function emitProgress(
  job: JobContext,
  document: RunnableDocument,
  embedded: number,
  total: number,
): Promise<void> {
  const { storage, events } = job.engine;
  const counts = await storage.jobs.getCounts({ jobId: job.jobId });
  if (!counts) throw new KnowledgeBaseError("not_found", "The job has been deleted.");
  events.emit({
    type: "document.progress",
    jobId: job.jobId,
    documentId: document.id,
    documentName: document.name,
    chunks: { embedded, total },
    counts: { ...counts, embedded: counts.embedded + embedded },
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function chunkArray<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
