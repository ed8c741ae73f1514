import { storedChunkId } from "../domain/ids.js";
import { publicMetadata } from "../domain/passage-metadata.js";
import type { VectorRecord, VectorStore } from "../interfaces/vector-store.js";
import type { PreparedChunk, PreparedDocument } from "../parse-workers/preparer.js";
import { chunkMetadata, type NewTextPart } from "../storage/records/chunks.js";
import type { RunnableDocument } from "../storage/records/documents.js";
import type { PendingVectors } from "../storage/records/pending-vectors.js";
import type { IndexedChunks } from "../storage/search-index.js";
import type { Stemming } from "../text-analysis/stemming.js";
import type { Metadata, Scope } from "../types.js";
import { chunkArray } from "../util/chunk-array.js";
import { vectorToBytes } from "../util/float32-bytes.js";
import { awaitVisible } from "./await-visible.js";
import { DEFAULT_BATCH_SIZE } from "./batching-embedder.js";
import { startDetachedWrite } from "./detached-write.js";
import type { DocumentProgress } from "./document-progress.js";
import type { EmbeddedChunks } from "./embed-chunks.js";
import type { JobContext } from "./job-context.js";

/** The generation of a document that is being written. */
export interface Target {
  readonly document: RunnableDocument;
  readonly progress: DocumentProgress;
  readonly generation: number;
  /** The vectors that external stores may hold, and the end of the last write; `null` if none were sent. */
  external: { readonly vectors: PendingVectors; readonly written: Promise<void> } | null;
  /** How the document's words are stemmed. */
  readonly stemming: Stemming;
  /** The metadata of every chunk. */
  readonly metadata: Metadata;
  /** The metadata key of a chunk's start time in seconds. */
  readonly timeKey: string | undefined;
}

/** Chunks that are embedded and written together, and their share of the document's text. */
export interface Batch {
  readonly chunks: readonly PreparedChunk[];
  readonly texts: readonly NewTextPart[];
  /** The ordinal of the first chunk. */
  readonly firstOrdinal: number;
  /** The number of chunks in the document. */
  readonly totalChunks: number;
}

/** Vectors of a batch that an external store gets. */
export interface ExternalVectors {
  upsert(signal: AbortSignal): Promise<void>;
}

export function splitIntoBatches({ embedder }: JobContext, prepared: PreparedDocument): readonly Batch[] {
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

/** Returns the pieces of a document's text with their positions. */
function positionTexts({ text, pageStarts }: PreparedDocument): readonly NewTextPart[] {
  let start = 0;
  return text.map((piece, index) => {
    const positioned = { start, text: piece, pageStarts: index === 0 ? pageStarts : null };
    start += piece.length;
    return positioned;
  });
}

/** Returns what the search index and the document's text get of a batch, without the vectors of its chunks. */
export function indexedChunks(
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
export function writeBatch(
  job: JobContext,
  target: Target,
  batch: Batch,
  embedded: EmbeddedChunks,
): { readonly written: Promise<boolean>; readonly external: ExternalVectors | null } {
  const { document, generation } = target;
  const store = job.vectors.kind === "store" ? job.vectors.store : null;
  const hasStore = store !== null || job.secondSet?.vectors.kind === "store";
  const vectors = hasStore ? { ...job.scope, documentId: document.id, generation, chunks: batch.totalChunks } : null;
  const pendingVectors = vectors && { ...vectors, vectorSet: store ? job.vectorSet : null };
  if (vectors) target.external ??= { vectors, written: Promise.resolve() };
  const { storage } = job.engine;
  const content = indexedChunks(job, target, batch, embedded);
  const { chunks } = content;
  const chunksWritten = storage.documents.writeChunks({ lease: job.lease, ...content, pendingVectors });
  if (!store) {
    const indexed = chunks.map(({ ordinal }, index) => {
      return { documentId: document.id, generation, ordinal, vector: embedded.vectors[index]! };
    });
    // Concurrently, so that the search index's write joins the transaction that writes the chunks.
    const vectorsWritten = storage.index
      .writeVectors(indexed, { signal: job.signal, vectorSet: job.vectorSet })
      .then(() => true);
    return { written: allTrue([chunksWritten, vectorsWritten]), external: null };
  }
  const records = toVectorRecords(job.scope, target, chunks, embedded.vectors);
  const upsert = (signal: AbortSignal) => store.upsert(job.scope, records, { signal });
  // The upsert follows the chunks, so that after a crash the database knows every id that the store may hold.
  return { written: chunksWritten, external: { upsert } };
}

/** Returns what a vector store gets of chunks. */
export function toVectorRecords(
  scope: Scope,
  { document, generation, metadata, timeKey }: Target,
  chunks: readonly (PreparedChunk & { readonly ordinal: number })[],
  vectors: readonly Float32Array[],
): readonly VectorRecord[] {
  const json = JSON.stringify(metadata);
  const metadataOf = (chunk: PreparedChunk): string => {
    const own = chunkMetadata(metadata, chunk, timeKey);
    return own === metadata ? json : JSON.stringify(own);
  };
  return chunks.map((chunk, index) => ({
    id: storedChunkId(document.id, generation, chunk.ordinal),
    documentId: document.id,
    generation,
    vector: vectors[index]!,
    metadata: publicMetadata<Metadata>(scope, { ...chunk, documentId: document.id, metadata: metadataOf(chunk) }),
  }));
}

/** Waits until queries of an external store find the vectors with the given ids. */
export async function waitUntilVisible(
  { scope, slot, signal }: JobContext,
  store: VectorStore,
  ids: readonly string[],
): Promise<void> {
  if (!store.findMissing) return;
  await slot.pauseWork("service", () => awaitVisible(store, scope, ids, { signal }), signal);
}

/** Sends vectors to an external store. Records when the write ends, for the case that the generation is abandoned. */
export async function sendExternal(job: JobContext, target: Target, upsert: ExternalVectors["upsert"]): Promise<void> {
  const { outcome, ended } = startDetachedWrite(upsert, job);
  const { vectors, written } = target.external!;
  target.external = { vectors, written: Promise.all([written, ended]).then(() => {}) };
  await job.slot.pauseWork("service", () => outcome, job.signal);
}

/** Waits for all steps. Returns whether all return true, and rejects with the first rejection in their order. */
async function allTrue(steps: readonly Promise<boolean>[]): Promise<boolean> {
  const outcomes = await Promise.allSettled(steps);
  return outcomes.every((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}
