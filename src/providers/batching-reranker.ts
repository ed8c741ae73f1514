import type { RankedPassage, Reranker, RerankOptions } from "../interfaces/reranker.js";
import { packBatches } from "../util/pack-batches.js";

interface Batch {
  readonly passages: readonly string[];
  /** Index of the batch's first passage in the request. */
  readonly start: number;
}

/**
 * Returns a reranker that splits requests over its limits into concurrent calls and merges their rankings. A score
 * depends only on the query and the passage, so scores from several calls are comparable. `onScore` is called as each
 * call ends; a failed call aborts the others.
 */
export function batchingReranker(reranker: Reranker): Reranker {
  if (reranker.maxBatchSize === undefined && reranker.maxBatchBytes === undefined) return reranker;
  return {
    model: reranker.model,
    ...(reranker.hosted && { hosted: reranker.hosted }),
    async rerank(query, passages, options) {
      const ranges = toBatchRanges(reranker, query, passages);
      if (ranges.length <= 1) return reranker.rerank(query, passages, options);
      const controller = new AbortController();
      const signal = options.signal ? AbortSignal.any([options.signal, controller.signal]) : controller.signal;
      const calls = ranges.map(([start, end]) =>
        rerankBatch(reranker, query, { passages: passages.slice(start, end), start }, { ...options, signal }),
      );
      try {
        const ranked = (await Promise.all(calls)).flat();
        return ranked.sort((a, b) => b.score - a.score || a.index - b.index).slice(0, options.limit);
      } catch (error) {
        controller.abort();
        await Promise.allSettled(calls);
        throw error;
      }
    },
    close: async () => reranker.close?.(),
  };
}

async function rerankBatch(
  reranker: Reranker,
  query: string,
  { passages, start }: Batch,
  { onScore, ...options }: RerankOptions,
): Promise<readonly RankedPassage[]> {
  const reportedIndices = new Set<number>();
  const report = (ranked: RankedPassage) => {
    if (reportedIndices.has(ranked.index)) return;
    reportedIndices.add(ranked.index);
    onScore?.(ranked);
  };
  const limit = Math.min(options.limit, passages.length);
  const ranked = await reranker.rerank(query, passages, {
    ...options,
    limit,
    onScore: ({ index, score }) => report({ index: start + index, score }),
  });
  const reindexed = ranked.map(({ index, score }) => ({ index: start + index, score }));
  for (const passage of reindexed) report(passage);
  return reindexed;
}

/** Returns the range of passages of each call as [start, end). A passage over the byte limit gets its own call. */
function toBatchRanges(reranker: Reranker, query: string, passages: readonly string[]): ReturnType<typeof packBatches> {
  const { maxBatchSize: maxItems = Number.POSITIVE_INFINITY } = reranker;
  const { maxBatchBytes: maxWeight = Number.POSITIVE_INFINITY } = reranker;
  const sizes = passages.map((passage) => reranker.countBytes?.(query, passage) ?? 0);
  return packBatches(sizes, { maxItems, maxWeight });
}
