import { setTimeout as sleep } from "node:timers/promises";
import { checkVectorSet } from "../engine/check-vector-set.js";
import type { Engine } from "../engine/engine.js";
import { embedderOf, vectorLocationOf } from "../engine/namespace-drivers.js";
import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import type { VectorLocation } from "../providers/vectors.js";
import { type ConfigField, maskedNames, sealedField } from "../secrets/config-secrets.js";
import { vectorHash } from "../storage/content-hash.js";
import type { ChunkCursor, UnembeddedChunk } from "../storage/records/missing-vectors.js";
import type { WorkerReembedding } from "../storage/records/reembeddings.js";
import type { ClaimedTask } from "../storage/records/tasks.js";
import { unitVector } from "../storage/unit-vector.js";
import { bytesToVector, vectorToBytes } from "../util/float32-bytes.js";
import { createBatchingEmbedder, DEFAULT_BATCH_SIZE } from "./batching-embedder.js";
import { embedChunks } from "./embed-chunks.js";
import { generationsOf, sendChunks } from "./send-chunks.js";
import type { TaskSlot } from "./task-slot.js";

/**
 * A batch waits until no search runs in this process, but no longer than this many times what the last batch has
 * worked: if searches never end, a re-embedding has a quarter of the time.
 */
const SEARCH_SHARE = 3;

/** How long a task runs before it yields to waiting tasks, between two batches. */
const SLICE_MS = 2000;

/** How long a discarded set waits for ingests that may still send vectors to its store. */
const WRITERS_WAIT_MS = 500;

interface RunOptions {
  /** The task's work slot, held at the start. */
  readonly slot: TaskSlot;
  /** Aborted when the engine closes. */
  readonly closing: AbortSignal;
}

/**
 * Writes the vectors that a namespace lacks of its second model, or removes those that were discarded: until the work
 * is done, or for a time slice. Then removes or releases the task. Each batch is one transaction, so a process that
 * dies loses the batches in flight.
 */
export async function runReembedding(engine: Engine, task: ClaimedTask, options: RunOptions): Promise<void> {
  const { lease, subject: namespaceId } = task;
  const { reembeddings, tasks } = engine.storage;
  const until = performance.now() + SLICE_MS;
  const run = new ReembeddingRun(engine, task, options);
  // What a worker had sent to a vector store before it died.
  await reembeddings.settleSent({ lease, namespaceId, now: engine.now() });
  let outcome: StepOutcome = "more";
  while (outcome === "more" && performance.now() < until) {
    options.closing.throwIfAborted();
    const reembedding = await reembeddings.getForWorker({ namespaceId });
    if (!reembedding) return tasks.complete({ lease });
    outcome = await run.step(reembedding);
  }
  const delayMs = outcome === "wait" ? WRITERS_WAIT_MS : 0;
  if (outcome !== "ended")
    await tasks.release({ lease, now: engine.now(), delayMs, error: null, countsAsAttempt: false });
  const reembedding = await reembeddings.get({ namespaceId });
  if (reembedding) {
    const { state, embedded, total, error } = reembedding;
    engine.events.emit({ type: "reembedding.progress", namespaceId, state, embedded, total, error });
  }
  engine.events.emitWorkAdded();
}

/** What a step has left to do: more, more after a while, or nothing, and the task is removed. */
type StepOutcome = "more" | "wait" | "ended";

interface Batch {
  readonly chunkCount: number;
  /** How long a hosted model took. */
  readonly waitedMs: number;
}

class ReembeddingRun {
  readonly #engine: Engine;
  readonly #task: ClaimedTask;
  readonly #options: RunOptions;

  constructor(engine: Engine, task: ClaimedTask, options: RunOptions) {
    this.#engine = engine;
    this.#task = task;
    this.#options = options;
  }

  /** Embeds and writes a batch, or removes some vectors. */
  async step(reembedding: WorkerReembedding): Promise<StepOutcome> {
    const { slot, closing } = this.#options;
    if (reembedding.state === "discarding") return this.#discardSome(reembedding);
    let startedAt = 0;
    const outcome = await slot.work(() => {
      // The wait for the slot is no work.
      startedAt = performance.now();
      return this.#embedBatch(reembedding);
    }, closing);
    if (typeof outcome === "boolean") return outcome ? "ended" : "more";
    const { chunkCount, waitedMs } = outcome;
    const elapsedMs = performance.now() - startedAt;
    const { chunksPerSecond } = reembedding;
    const restMs = chunksPerSecond === null ? 0 : (chunkCount * 1000) / chunksPerSecond - elapsedMs;
    if (restMs > 0) await slot.wait("service", () => sleep(restMs, undefined, { signal: closing }));
    const maxMs = (elapsedMs - waitedMs) * SEARCH_SHARE;
    await slot.wait("service", () => this.#engine.searches.waitForNone(maxMs, { signal: closing }));
    return "more";
  }

  /**
   * Removes the vectors of the set or their markers, and at last empties its vector store, unless that is given up: an
   * attempt that fails, or a time slice that ends, doesn't empty it again for each transaction.
   */
  async #discardSome(reembedding: WorkerReembedding): Promise<StepOutcome> {
    const { lease, subject: namespaceId } = this.#task;
    const { reembeddings } = this.#engine.storage;
    const { embeddingConfig, vectorStoreConfig, vectorSet } = reembedding;
    const secretFields = Object.entries({ embeddingConfig, vectorStoreConfig }).flatMap(([field, config]) =>
      maskedNames(config).map((name) => `${sealedField(field as ConfigField, vectorSet)}.${name}`),
    );
    const purge = (isStoreEmptied: boolean) => reembeddings.purge({ lease, namespaceId, secretFields, isStoreEmptied });
    const remains = await purge(false);
    if (remains !== "store") return remains === "more" ? "more" : "ended";
    if (!reembedding.abandonsStore) {
      try {
        if (!(await this.#emptyStore(reembedding))) return "wait";
      } catch (error) {
        // It may have been given up while it was asked.
        if (!(await reembeddings.getForWorker({ namespaceId }))?.abandonsStore) throw error;
      }
    }
    while ((await purge(true)) === "more") this.#options.closing.throwIfAborted();
    return "ended";
  }

  /** Empties the vector store of a discarded set. Returns false, and does nothing, while an ingest may send anything to it. */
  async #emptyStore(reembedding: WorkerReembedding): Promise<boolean> {
    const { lease, subject: namespaceId, organizationId } = this.#task;
    const { reembeddings, namespaces } = this.#engine.storage;
    const { vectorSet } = reembedding;
    // What this task has sent of a document that was deleted meanwhile.
    await reembeddings.settleSent({ lease, namespaceId, now: this.#engine.now() });
    if (await reembeddings.isBeingSent({ namespaceId, vectorSet })) return false;
    const owner = { organizationId, namespaceId };
    const location = await vectorLocationOf(this.#engine, owner, reembedding);
    if (location.kind === "store") {
      const { slot, closing: signal } = this.#options;
      for (const { tenantId } of await namespaces.listScopes({ namespaceId })) {
        const scope = { ...owner, tenantId };
        await slot.wait("service", () => location.store.delete(scope, "all", { signal }));
      }
    }
    return true;
  }

  /** If there was nothing to embed, or an error, returns whether the task has ended. */
  async #embedBatch(reembedding: WorkerReembedding): Promise<Batch | boolean> {
    const { lease, subject: namespaceId, organizationId } = this.#task;
    const { reembeddings } = this.#engine.storage;
    const { slot, closing } = this.#options;
    const { vectorSet, cursor, chunksPerSecond } = reembedding;
    const now = () => this.#engine.now();
    const set = { lease, namespaceId, vectorSet };
    let chunks: readonly UnembeddedChunk[];
    let next: ChunkCursor;
    let vectors: readonly Float32Array[];
    let location: VectorLocation;
    let waitedMs = 0;
    try {
      const owner = { organizationId, namespaceId };
      const embedder = await embedderOf(this.#engine, owner, reembedding);
      location = await vectorLocationOf(this.#engine, owner, reembedding);
      // Vectors in a store are removed by what is published, so those of later generations are left to their ingests.
      const isPublished = location.kind === "store";
      const { maxBatchSize = DEFAULT_BATCH_SIZE, maxInputTokens, hosted } = embedder;
      const limit = Math.min(maxBatchSize * (hosted?.concurrency ?? 1), chunksPerSecond ?? Number.POSITIVE_INFINITY);
      const step = await reembeddings.readChunks({ namespaceId, vectorSet, cursor, limit, isPublished });
      if (step.chunks.length === 0 && step.cursor === null) {
        const check = await checkVectorSet(this.#engine.storage, namespaceId, { signal: closing });
        return await reembeddings.complete({ lease, namespaceId, check, now: now() });
      }
      chunks = step.chunks;
      next = step.cursor ?? chunks.at(-1)!;
      const batching = createBatchingEmbedder(embedder, { signal: closing });
      const copied = chunks.map(copiedVector);
      const uncopied = chunks.filter((_, index) => !copied[index]);
      // Tokens are counted only if there can be too many.
      const texts = uncopied.map(({ text }) => ({ indexText: text, tokens: maxInputTokens === null ? 0 : null }));
      const embed = () => embedChunks(this.#engine.storage, batching, namespaceId, texts, { signal: closing });
      const calledAt = performance.now();
      const embedded = await (hosted ? slot.pauseWork("service", embed, closing) : embed());
      if (hosted) waitedMs = performance.now() - calledAt;
      requireFitting(uncopied, embedded.tokenCounts, maxInputTokens);
      const computed = new Map(uncopied.map((chunk, index) => [chunk, embedded.vectors[index]!]));
      vectors = chunks.map((chunk, index) => copied[index] ?? computed.get(chunk)!);
      if (location.kind === "store" && chunks.length > 0) {
        const generations = generationsOf(owner, chunks);
        if (!(await reembeddings.sendBatch({ ...set, generations }))) return false;
        const { store } = location;
        const sentAt = performance.now();
        await slot.pauseWork("service", () => sendChunks(store, owner, chunks, vectors, { signal: closing }), closing);
        waitedMs += performance.now() - sentAt;
      }
    } catch (error) {
      // Another attempt would end the same way, and may cost as much.
      if (!KnowledgeBaseError.is(error) || !STOPPING.has(error.code) || error.retryable) throw error;
      this.#engine.events.emit({ type: "error", error });
      return await reembeddings.stop({ lease, namespaceId, error: getErrorMessage(error), now: now() });
    }
    if (location.kind === "store") {
      await reembeddings.recordStored({ ...set, cursor: next, chunks, now: now() });
      return { chunkCount: chunks.length, waitedMs };
    }
    await reembeddings.write({
      ...{ ...set, cursor: next },
      vectors: chunks.map((chunk, index) => ({ ...chunk, vector: vectorToBytes(unitVector(vectors[index]!)) })),
    });
    return { chunkCount: chunks.length, waitedMs };
  }
}

/** The errors of an embedder or a vector store that stop a re-embedding, unless they are retryable. */
const STOPPING: ReadonlySet<string> = new Set([
  ...["provider_failed", "store_failed", "invalid_input", "unsupported", "not_ready"],
]);

/** Returns the vector of the same model that searches use; `null` if there is none, or it is damaged. */
function copiedVector({ vector, vectorHash: hash }: UnembeddedChunk): Float32Array | null {
  if (vector === null || (hash !== null && hash !== vectorHash(vector))) return null;
  return bytesToVector(vector);
}

/** @throws KnowledgeBaseError `invalid_input` if a chunk has more tokens than the model takes */
function requireFitting(chunks: readonly UnembeddedChunk[], tokens: readonly number[], limit: number | null) {
  const index = limit === null ? -1 : tokens.findIndex((count) => count > limit);
  if (index < 0) return;
  const { text } = chunks[index]!;
  const message =
    `A chunk has ${tokens[index]} tokens, but the model takes ${limit}: ingest its document again with a smaller ` +
    `maxChunkSize, then resume. It begins with ${JSON.stringify(text.slice(0, 80))}.`;
  throw new KnowledgeBaseError("invalid_input", message);
}
