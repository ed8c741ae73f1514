import { getErrorMessage, isAbortError } from "../errors.js";
import type { PreparedDocument } from "../parse-workers/preparer.js";
import { unitVector } from "../storage/unit-vector.js";
import { chunkArray } from "../util/chunk-array.js";
import { vectorToBytes } from "../util/float32-bytes.js";
import { DEFAULT_BATCH_SIZE } from "./batching-embedder.js";
import { embedChunks } from "./embed-chunks.js";
import type { JobContext, SecondSet } from "./job-context.js";
import { sendExternal, type Target, toVectorRecords, waitUntilVisible } from "./write-batch.js";

/** The second set, unless the job goes on without it. */
export function secondSetOf({ secondSet }: JobContext): SecondSet | null {
  return secondSet?.isGivenUp ? null : secondSet;
}

/**
 * Writes a document's vectors of the second set too, so that a cut-over need not wait for them. If its model or its
 * vector store fails, the vectors are written before the next cut-over, and the job goes on without it: each document
 * would wait for the same failure.
 */
export async function writeSecondVectors(
  job: JobContext,
  secondSet: SecondSet,
  target: Target,
  prepared: PreparedDocument,
): Promise<void> {
  const { lease, scope, engine } = job;
  const { vectorSet, vectors } = secondSet;
  const { reembeddings } = engine.storage;
  const { document, generation } = target;
  const set = { lease, namespaceId: scope.namespaceId, vectorSet };
  const write = async (): Promise<boolean> => {
    if (vectors.kind === "index") {
      for await (const batch of embedBatches(job, secondSet, prepared)) {
        const rows = batch.map(({ chunk: { ordinal }, vector }) => {
          return { documentSeq: document.seq, generation, ordinal, vector: vectorToBytes(unitVector(vector)) };
        });
        if (!(await reembeddings.write({ ...set, vectors: rows }))) return false;
      }
      return true;
    }
    const { store } = vectors;
    if (!(await reembeddings.sendOfGeneration({ ...set, documentId: document.id, generation }))) return false;
    const sent: { readonly id: string; readonly ordinal: number }[] = [];
    for await (const batch of embedBatches(job, secondSet, prepared)) {
      const records = toVectorRecords(
        ...[scope, target],
        batch.map(({ chunk }) => chunk),
        batch.map(({ vector }) => vector),
      );
      await ofService(sendExternal(job, target, (signal) => store.upsert(scope, records, { signal })));
      sent.push(...records.map(({ id }, index) => ({ id, ordinal: batch[index]!.chunk.ordinal })));
    }
    const ids = sent.map(({ id }) => id);
    await ofService(waitUntilVisible(job, store, ids));
    const chunks = sent.map(({ ordinal }) => ({ documentSeq: document.seq, generation, ordinal }));
    return reembeddings.recordStored({ ...set, chunks, now: engine.now() });
  };
  try {
    // The set was discarded, or searches use it by now: then the publication fails.
    if (!(await write())) secondSet.isGivenUp = true;
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    // Documents that were waiting for the same failure add no warning.
    if (secondSet.isGivenUp) return;
    secondSet.isGivenUp = true;
    const message =
      `Documents get vectors of one set only from ${document.id} on, because the model or the store of the other failed: ` +
      getErrorMessage(error.cause);
    engine.events.emit({ type: "warning", message });
  }
}

/** The failure of a model or a vector store, as opposed to that of the database. */
class ServiceFailure extends Error {}

async function ofService<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (cause) {
    if (isAbortError(cause)) throw cause;
    throw new ServiceFailure("", { cause });
  }
}

/**
 * Embeds a document in batches, each to be written at once, so that a failure costs no more than one, and no
 * transaction is long.
 */
async function* embedBatches(
  { engine, scope, slot, signal }: JobContext,
  { embedder }: SecondSet,
  { chunks }: PreparedDocument,
) {
  const { maxInputTokens: limit, maxBatchSize = DEFAULT_BATCH_SIZE, hosted } = embedder.embedder;
  const batchSize = maxBatchSize * (hosted?.concurrency ?? 1);
  for (const [index, batch] of chunkArray(chunks, batchSize).entries()) {
    // Tokens are counted only if there can be too many.
    const texts = batch.map(({ indexText }) => ({ indexText, tokens: limit === null ? 0 : null }));
    const embed = () => embedChunks(engine.storage, embedder, scope.namespaceId, texts, { signal });
    const embedded = await ofService(hosted ? slot.pauseWork("service", embed, signal) : embed());
    // The re-embedding reports chunks that are too long for the model.
    yield batch.flatMap((chunk, position) =>
      limit !== null && embedded.tokenCounts[position]! > limit
        ? []
        : [{ chunk: { ...chunk, ordinal: index * batchSize + position }, vector: embedded.vectors[position]! }],
    );
  }
}
