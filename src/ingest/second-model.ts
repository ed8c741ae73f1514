import { getErrorMessage, isAbortError } from "../errors.js";
import type { PreparedDocument } from "../parse-workers/preparer.js";
import { unitVector } from "../storage/unit-vector.js";
import { chunkArray } from "../util/chunk-array.js";
import { vectorToBytes } from "../util/float32-bytes.js";
import { DEFAULT_BATCH_SIZE } from "./batching-embedder.js";
import { type EmbeddedChunks, embedChunks } from "./embed-chunks.js";
import type { JobContext, SecondModel } from "./job-context.js";
import type { Target } from "./write-batch.js";

/** The second model, unless the job goes on without it. */
export function secondModelOf({ secondModel }: JobContext): SecondModel | null {
  return secondModel?.isGivenUp ? null : secondModel;
}

/**
 * Embeds a document by the second model too, so that a cut-over need not wait for it. If the model fails, the vectors are
 * written before the next cut-over, and the job goes on without it: each document would wait for the same failure.
 */
export async function writeSecondVectors(
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
