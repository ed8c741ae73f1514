import { rm } from "node:fs/promises";
import { storedChunkId } from "../domain/ids.js";
import { shownMetadata } from "../domain/passage-metadata.js";
import { KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { ParseConfig } from "../interfaces/parser.js";
import type { VectorStore } from "../interfaces/vector-store.js";
import type { PreparedChunk, PreparedDocument } from "../parse-workers/preparer.js";
import { chunkMetadata, type NewText } from "../storage/records/chunks.js";
import type { RunnableDocument } from "../storage/records/documents.js";
import { toCounts } from "../storage/records/ingest-counts.js";
import type { Lease } from "../storage/records/lease.js";
import type { UnpublishedVectors } from "../storage/records/unpublished-vectors.js";
import { isEnglish } from "../text-analysis/language.js";
import type { DocumentSource, IngestConfig, Metadata, Scope } from "../types.js";
import { toBlob } from "../util/float32-bytes.js";
import { chunkSizes } from "../validation/schemas.js";
import { awaitVisible } from "./await-visible.js";
import type { BatchingEmbedder } from "./batching-embedder.js";
import { lateWrite } from "./detached-write.js";
import { type EmbeddedChunks, embedChunks } from "./embed-chunks.js";
import { hashedFile } from "./hashed-file.js";
import type { IngestEngine } from "./ingest-engine.js";
import type { LoadContext, LoadedSource } from "./load-context.js";
import { fetchSource, isOutside, loadSource } from "./load-source.js";
import { missingTextWarning } from "./missing-text-warning.js";
import type { TaskSlot } from "./task-slot.js";

const DEFAULT_EMBED_BATCH = 64;

/** The job that documents are ingested for, with everything that they share. */
export interface JobContext {
  readonly engine: IngestEngine;
  readonly jobId: string;
  readonly lease: Lease;
  readonly scope: Scope;
  readonly embedder: BatchingEmbedder;
  readonly vectorStore: VectorStore;
  readonly signal: AbortSignal;
  /** The job's, which is given back while all its documents wait for the network. */
  readonly slot: TaskSlot;
  /** Aborted when the process ends. */
  readonly closing: AbortSignal;
  /** Takes what goes on after the document has been let go of: the process ends no sooner. */
  linger(work: Promise<void>): void;
}

/**
 * Takes one document from its source to its publication: load, parse and chunk, embed, store, publish. Every step may be repeated
 * without harm, and each is refused once the document is deleted, the job cancelled or the lease lost.
 * Returns false where the document is no longer wanted.
 */
export async function ingestDocument(job: JobContext, document: RunnableDocument): Promise<boolean> {
  const { engine, lease, slot, signal } = job;
  const { seq } = document;
  const config: IngestConfig = JSON.parse(document.config);
  const source = sourceOf(document);
  const start = () => engine.storage.documents.move({ lease, seq, status: "PRE_PROCESSING", now: engine.now() });
  if (isOutside(source)) return (await start()) && ingestOutside(job, document, source, config);
  const load = () => loadSource(loadContext(job, document), source);
  return slot.work(async () => {
    // Both at once: every later write is refused should this one be. The slot is in use until both have settled.
    const starting = start();
    const preparing = prepare(job, source, config, load);
    await Promise.allSettled([starting, preparing]);
    return (await starting) && storeDocument(job, document, config, await preparing);
  }, signal);
}

/** Fetches a document, without a slot of its job and with a turn of its own, and ingests what it has got. */
async function ingestOutside(
  job: JobContext,
  document: RunnableDocument,
  source: OutsideSource,
  config: IngestConfig,
): Promise<boolean> {
  const { engine, lease, scope, slot, signal } = job;
  const { seq } = document;
  const turn = { organizationId: scope.organizationId, origin: new URL(addressOf(source)).origin };
  const path = await engine.outside.downloads.newPath(lease.owner);
  let leave = () => {};
  try {
    const fetched = await slot.wait("source", async () => {
      leave = await engine.outside.fetchTurns.take(turn, signal);
      return fetchSource(loadContext(job, document), source, path);
    });
    if ("unchanged" in fetched) {
      return await engine.storage.documents.keep({ lease, seq, origin: fetched.unchanged, now: engine.now() });
    }
    return await slot.work(async () => {
      // All tokens are counted at once: it would have to be fetched again.
      const prepared = await prepare(job, source, config, fetched.load, { countAll: true });
      await rm(path, { force: true });
      leave();
      return storeDocument(job, document, config, prepared);
    }, signal);
  } finally {
    await rm(path, { force: true });
    leave();
  }
}

/** Embeds, stores and publishes a document that has been parsed. Returns false where it is no longer wanted. */
async function storeDocument(
  job: JobContext,
  document: RunnableDocument,
  config: IngestConfig,
  first: Prepared,
): Promise<boolean> {
  const { engine, lease, vectorStore, scope } = job;
  const { seq } = document;
  const generation = await engine.storage.documents.openGeneration({ lease, seq, now: engine.now() });
  if (generation === null) return false;
  const target: Target = {
    document,
    generation,
    outside: null,
    stemmed: isEnglish(first.prepared.text[0] ?? "", config.languageCode),
    metadata: documentMetadata(config, first.source),
    timeKey: first.source.timeKey,
  };
  let published = false;
  try {
    let outcome = await storeChunks(job, target, first);
    if (outcome === "too-long") {
      const source = sourceOf(document);
      const load = () => loadSource(loadContext(job, document), source);
      outcome = await storeChunks(job, target, await prepare(job, source, config, load, { countAll: true }));
    }
    published = outcome === true;
  } finally {
    if (!published) abandonVectors(job, target);
  }
  // What removed the document may have been there before our last vectors came.
  if (!published && vectorStore.inDatabase) await vectorStore.delete(scope, { documentId: document.id, generation });
  if (published) tellMissingText(job, document, first);
  return published;
}

function tellMissingText({ engine }: JobContext, document: RunnableDocument, { source, prepared }: Prepared): void {
  const name = document.name ?? source.fileName;
  const message = missingTextWarning({
    id: document.id,
    name,
    chunks: prepared.chunks.length,
    warnings: prepared.warnings,
  });
  if (message !== null) engine.events.emit({ type: "warning", message });
}

/** Leaves to the queue what a store outside the database may have, once nothing more is on its way there: the document may be gone by then. */
function abandonVectors({ engine, linger }: JobContext, { outside }: Target): void {
  if (!outside) return;
  const { vectors, written } = outside;
  const abandoned = written.then(async () => {
    await engine.storage.documents.abandonVectors({ ...vectors, now: engine.now() });
    engine.events.workAdded();
  });
  linger(abandoned);
}

function publishDocument(
  { engine, lease, scope }: JobContext,
  { document, generation }: Target,
  { source, prepared }: Prepared,
  { tokens, early }: { readonly tokens: number; readonly early: boolean },
): Promise<boolean> {
  return engine.storage.documents.publish({
    lease,
    organizationId: scope.organizationId,
    seq: document.seq,
    generation,
    name: (document.nameGiven ? null : source.fileName) ?? document.name ?? source.fileName ?? prepared.title,
    mimeType: prepared.mimeType,
    fileSize: source.fileSize,
    contentHash: source.contentHash,
    origin: source.origin,
    source: source.source === undefined ? null : JSON.stringify(source.source),
    warnings: prepared.warnings,
    chunks: prepared.chunks.length,
    tokens,
    characters: prepared.characters,
    pages: prepared.pages ?? 1,
    early,
    now: engine.now(),
  });
}

/** A source that has been parsed and chunked; its bytes are no longer kept. */
interface Prepared {
  readonly source: Omit<LoadedSource, "file"> & { readonly contentHash: string };
  readonly prepared: PreparedDocument;
}

function loadContext({ engine, jobId, scope, signal }: JobContext, document: RunnableDocument): LoadContext {
  return { engine, jobId, scope, signal, document };
}

type OutsideSource = DocumentSource & { readonly type: "FILE" | "YOUTUBE_VIDEO" };

function addressOf(source: OutsideSource): string {
  return source.type === "FILE" ? source.fileUrl : source.url;
}

function sourceOf(document: RunnableDocument): DocumentSource {
  return JSON.parse(document.source);
}

async function prepare(
  job: JobContext,
  { type }: DocumentSource,
  config: IngestConfig,
  load: () => Promise<LoadedSource>,
  { countAll = false } = {},
): Promise<Prepared> {
  const { engine, embedder, slot, signal } = job;
  let loaded: { readonly source: Omit<LoadedSource, "file">; sha256(): string } | null = null;
  const read = async () => {
    const { file, ...source } = await load();
    const { contentHash } = source;
    const hashed = contentHash === undefined ? hashedFile(file) : { file, sha256: () => contentHash };
    loaded = { source, sha256: hashed.sha256 };
    return hashed.file;
  };
  const run = () =>
    engine.preparer.prepare(read, {
      signal,
      countAll,
      parse: parseConfig(config),
      // Pages of a site share what leads about it; a file that somebody chose is read as it is.
      mainContent: type === "CRAWLED_PAGE",
      chunk: {
        ...chunkSizes(config),
        delimiter: config.delimiter ?? null,
        maxTokens: embedder.embedder.maxInputTokens,
        countTokens: embedder.countTokens,
      },
    });
  const asksModel = config.useLlm === true && engine.options.languageModel !== undefined;
  const prepared = await (asksModel ? slot.pauseWork("service", run, signal) : run());
  const { source, sha256 } = loaded!;
  return { source: { ...source, contentHash: sha256() }, prepared };
}

function parseConfig(config: IngestConfig): ParseConfig {
  const { chunkSize, chunkOverlap, maxChunkSize, delimiter, metadata, ...switches } = config;
  return switches;
}

/** What every chunk of a document carries: the caller's keys, and the engine's where the caller has not set them. */
function documentMetadata(config: IngestConfig, source: Prepared["source"]): Metadata {
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
  /** What a store outside the database may have of it; null where nothing was sent to one. */
  outside: { readonly vectors: UnpublishedVectors; readonly written: Promise<void> } | null;
  /** Whether its words may be stemmed by English rules. */
  readonly stemmed: boolean;
  /** Of every chunk. */
  readonly metadata: Metadata;
  /** The key of the second that a chunk begins at. */
  readonly timeKey: string | undefined;
}

/**
 * Embeds and writes in batches, and publishes what it wrote. Each batch is written, and its vectors remembered, as soon as it has been
 * embedded: a process that dies, or a later batch that fails, costs only the calls that were under way. Returns false where the document
 * is no longer wanted, and "too-long", with nothing written, where its one chunk has more tokens than the model reads.
 */
async function storeChunks(job: JobContext, target: Target, document: Prepared): Promise<boolean | "too-long"> {
  const { slot, signal } = job;
  const isHosted = job.embedder.embedder.hosted !== undefined;
  // While a service embeds, the slot is another task's.
  const paused = <Result>(wait: () => Promise<Result>) => (isHosted ? slot.pauseWork("service", wait, signal) : wait());
  const batches = batchesOf(job, document.prepared);
  const [only] = batches;
  // Most documents are one batch: where the order is kept, its publication goes with it, in one message and one commit.
  if (only && batches.length === 1 && job.vectorStore.inDatabase) {
    const embedded = await paused(() => embedBatch(job, only));
    if (embedded === "too-long") return embedded;
    const { written } = writeBatch(job, target, only, embedded);
    return all([written, publishDocument(job, target, document, { tokens: sum(embedded.tokens), early: true })]);
  }
  const upcoming: Promise<StoredBatch | false | "too-long">[] = [];
  const begin = (batch: Batch | undefined) => {
    if (!batch) return;
    const stored = storeBatch(job, target, batch);
    // Should another batch fail first, nobody looks at this one's failure.
    stored.catch(() => {});
    upcoming.push(stored);
  };
  const ahead = batchesAhead(job.embedder.embedder);
  for (const batch of batches.slice(0, ahead)) begin(batch);
  let embedded = 0;
  let tokens = 0;
  try {
    for (const [index, batch] of batches.entries()) {
      const next = upcoming.shift()!;
      const stored = await paused(() => next);
      if (stored === false || stored === "too-long") return stored;
      begin(batches[index + ahead]);
      tokens += stored.tokens;
      if (stored.outside) await sendOutside(job, target, stored.outside);
      embedded += batch.chunks.length;
      if (batches.length > 1) await tellProgress(job, target.document, embedded, batch.total);
    }
  } finally {
    // Where one has failed, the others' calls are paid for already: what they return is still remembered.
    await Promise.allSettled(upcoming);
  }
  if (job.vectorStore.findMissing) {
    const seen = () => awaitVisible(job.vectorStore, job.scope, chunkIds(target, document.prepared), { signal });
    await slot.pauseWork("service", seen, signal);
  }
  return publishDocument(job, target, document, { tokens, early: false });
}

/**
 * How many batches of a document are embedded and written at a time. Where vectors are not remembered, nothing is lost by embedding one
 * while another is written.
 */
function batchesAhead({ hosted, cacheable }: Embedder): number {
  return hosted?.concurrency ?? (cacheable === false ? 2 : 1);
}

function batchesOf({ embedder }: JobContext, prepared: PreparedDocument): readonly Batch[] {
  const total = prepared.chunks.length;
  const size = embedder.embedder.maxBatchSize ?? DEFAULT_EMBED_BATCH;
  const batches = inBatches(prepared.chunks, size);
  const texts = inBatches(placedPieces(prepared), Math.ceil(prepared.text.length / batches.length) || 1);
  return batches.map((chunks, index) => ({ chunks, texts: texts[index] ?? [], first: index * size, total }));
}

async function embedBatch(job: JobContext, { chunks }: Batch): Promise<EmbeddedChunks | "too-long"> {
  const { engine, embedder, scope, signal } = job;
  const embedded = await embedChunks(engine.storage, embedder, scope.namespaceId, chunks, { signal });
  const limit = embedder.embedder.maxInputTokens ?? Number.POSITIVE_INFINITY;
  const tooLong = chunks.some(({ tokens }, at) => tokens === null && embedded.tokens[at]! > limit);
  return tooLong ? "too-long" : embedded;
}

interface StoredBatch {
  readonly tokens: number;
  /** What a store outside the database is still to be sent; null where there is none. */
  readonly outside: OutsideVectors | null;
}

async function storeBatch(job: JobContext, target: Target, batch: Batch): Promise<StoredBatch | false | "too-long"> {
  const embedded = await embedBatch(job, batch);
  if (embedded === "too-long") return embedded;
  const { written, outside } = writeBatch(job, target, batch, embedded);
  return (await written) && { tokens: sum(embedded.tokens), outside };
}

function chunkIds({ document, generation }: Target, { chunks }: PreparedDocument): readonly string[] {
  return chunks.map((_, ordinal) => storedChunkId(document.id, generation, ordinal));
}

/** Whether all steps say yes. Waits for each, and fails as the first that fails. */
async function all(steps: readonly Promise<boolean>[]): Promise<boolean> {
  const outcomes = await Promise.allSettled(steps);
  return outcomes.every((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}

/** The pieces of a document's text with their places in it. */
function placedPieces({ text, pageStarts }: PreparedDocument): readonly NewText[] {
  let start = 0;
  return text.map((piece, index) => {
    const placed = { start, text: piece, pageStarts: index === 0 ? pageStarts : null };
    start += piece.length;
    return placed;
  });
}

interface Batch {
  readonly chunks: readonly PreparedChunk[];
  readonly texts: readonly NewText[];
  /** The number of its first chunk. */
  readonly first: number;
  /** Chunks of the whole document. */
  readonly total: number;
}

interface OutsideVectors {
  readonly vectors: UnpublishedVectors;
  upsert(signal: AbortSignal): Promise<void>;
}

/** Writes a batch to the database, and its vectors to the store where that is there. */
function writeBatch(
  job: JobContext,
  target: Target,
  batch: Batch,
  embedded: EmbeddedChunks,
): { readonly written: Promise<boolean>; readonly outside: OutsideVectors | null } {
  const { document, generation, stemmed, metadata, timeKey } = target;
  const { namespaceId } = job.scope;
  const { inDatabase = false } = job.vectorStore;
  const vectors = inDatabase ? null : { ...job.scope, documentId: document.id, generation, chunks: batch.total };
  const chunks = batch.chunks.map((chunk, index) => ({
    ...chunk,
    tokens: embedded.tokens[index]!,
    ordinal: batch.first + index,
    embeddingKey: embedded.keys[index]!,
  }));
  if (vectors) target.outside ??= { vectors, written: Promise.resolve() };
  const entries = embedded.computed.map((index) => ({
    key: embedded.keys[index]!,
    vector: toBlob(embedded.vectors[index]!),
  }));
  const writing = job.engine.storage.documents.writeChunks({
    lease: job.lease,
    documentSeq: document.seq,
    scopeId: document.scopeId,
    generation,
    metadata,
    timeKey,
    chunks,
    texts: batch.texts,
    stemmed,
    cache: entries.length > 0 ? { namespaceId, entries } : null,
    outside: vectors,
  });
  const stored = JSON.stringify(metadata);
  const records = chunks.map((chunk, index) => ({
    id: storedChunkId(document.id, generation, chunk.ordinal),
    documentId: document.id,
    generation,
    vector: embedded.vectors[index]!,
    metadata: shownMetadata<Metadata>(job.scope, {
      ...chunk,
      documentId: document.id,
      metadata: chunk.startSeconds === undefined ? stored : JSON.stringify(chunkMetadata(metadata, chunk, timeKey)),
    }),
  }));
  const upsert = (signal: AbortSignal) => job.vectorStore.upsert(job.scope, records, { signal });
  // One after the other: so the database has the id of everything that another store may have, whenever this process ends.
  if (vectors) return { written: writing, outside: { vectors, upsert } };
  // Side by side: the embedded store's write joins the chunks' transaction behind them.
  return { written: all([writing, upsert(job.signal).then(() => true)]), outside: null };
}

async function sendOutside(job: JobContext, target: Target, { vectors, upsert }: OutsideVectors): Promise<void> {
  const { outcome, ended } = lateWrite(upsert, job);
  target.outside = { vectors, written: ended };
  await job.slot.pauseWork("service", () => outcome, job.signal);
}

async function tellProgress(
  job: JobContext,
  document: RunnableDocument,
  embedded: number,
  total: number,
): Promise<void> {
  const { storage, events } = job.engine;
  const row = await storage.jobs.counts({ jobId: job.jobId });
  if (!row) throw new KnowledgeBaseError("not_found", "The job has been deleted.");
  events.emit({
    type: "document.progress",
    jobId: job.jobId,
    documentId: document.id,
    documentName: document.name,
    chunks: { embedded, total },
    counts: toCounts({ ...row, embedded: row.embedded + embedded }),
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function inBatches<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
