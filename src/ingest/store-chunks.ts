import { storedChunkId } from "../domain/ids.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { PreparedDocument } from "../parse-workers/preparer.js";
import type { DocumentPublication } from "../storage/records/documents.js";
import { unitVector } from "../storage/unit-vector.js";
import { traced } from "../telemetry/traced.js";
import { vectorToBytes } from "../util/float32-bytes.js";
import { type EmbeddedChunks, embedChunks } from "./embed-chunks.js";
import type { JobContext } from "./job-context.js";
import { isWhole, type PreparedSource } from "./prepare-source.js";
import { secondSetOf, writeSecondVectors } from "./second-set.js";
import {
  type Batch,
  type ExternalVectors,
  indexedChunks,
  sendExternal,
  splitIntoBatches,
  type Target,
  waitUntilVisible,
  writeBatch,
} from "./write-batch.js";

/**
 * Embeds and writes a document in batches, and publishes it. Each batch is written, and its vectors are cached, as soon
 * as it is embedded, so that a crash or a failing batch costs only the calls in flight. Returns false if the document
 * is no longer wanted, and "too-long" if a chunk exceeds the model's token limit: the batch of that chunk is not
 * written.
 */
export async function storeChunks(
  job: JobContext,
  target: Target,
  content: PreparedSource,
): Promise<boolean | "too-long"> {
  const { slot, signal } = job;
  // Another task may use the slot while a hosted service embeds.
  const pauseIfHosted = <Result>(wait: () => Promise<Result>) =>
    job.embedder.embedder.hosted ? slot.pauseWork("service", wait, signal) : wait();
  const batches = splitIntoBatches(job, content.prepared);
  const [first] = batches;
  // Most documents fit into one batch, which one operation writes and publishes.
  const whole = isWhole(content);
  if (first && batches.length === 1 && whole && job.vectors.kind === "index" && !secondSetOf(job)) {
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
      if (stored.external) await sendExternal(job, target, stored.external.upsert);
      embeddedCount += batch.chunks.length;
      if (batches.length > 1 && whole) await target.progress.embedded(embeddedCount, batch.totalChunks);
    }
  } finally {
    // After a failure, the calls in flight are completed, because they are already paid for: their vectors are cached.
    await Promise.allSettled(pendingBatches);
  }
  if (job.vectors.kind === "store") await waitUntilVisible(job, job.vectors.store, chunkIds(target, content.prepared));
  const secondSet = secondSetOf(job);
  if (secondSet) {
    await writeSecondVectors(job, secondSet, target, content.prepared);
  }
  const { documents } = job.engine.storage;
  const publication = publicationOf(job, target, content, tokenCount);
  return traced("lorebase.ingest.publish", { "lorebase.whole": whole }, () =>
    whole ? documents.publish(publication) : documents.publishFirstPages(publication),
  );
}

function publicationOf(
  { engine, lease, scope, vectors, vectorSet }: JobContext,
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
    isInStore: vectors.kind === "store",
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
    pages: prepared.readPages ?? prepared.pages ?? 1,
    now: engine.now(),
  };
}

/**
 * Returns how many batches of a document are embedded and written concurrently. Without a cache, two, so that embedding
 * and writing overlap; with a cache, one, so that a crash loses less.
 */
function batchConcurrency({ hosted, cacheable }: Embedder): number {
  return hosted?.concurrency ?? (cacheable === false ? 2 : 1);
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
