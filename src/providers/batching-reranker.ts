import type { RankedPassage, Reranker, RerankOptions } from "../interfaces/reranker.js";
import { packBatches } from "../util/pack-batches.js";

/**
 * A reranker without limits of a call: passages beyond them are judged in several calls at a time, and their rankings made one. A score is
 * of its query and passage alone, so those of several calls compare. What a call has judged is told as it ends; one that fails ends the others.
 */
export function batchingReranker(reranker: Reranker): Reranker {
  if (reranker.maxBatchSize === undefined && reranker.maxBatchBytes === undefined) return reranker;
  return {
    model: reranker.model,
    ...(reranker.hosted && { hosted: reranker.hosted }),
    async rerank(query, passages, call) {
      const batches = batchesOf(reranker, query, passages);
      if (batches.length <= 1) return reranker.rerank(query, passages, call);
      const failed = new AbortController();
      const signal = call.signal ? AbortSignal.any([call.signal, failed.signal]) : failed.signal;
      const judging = batches.map(([start, end]) =>
        judge(reranker, query, { passages: passages.slice(start, end), start }, { ...call, signal }),
      );
      try {
        const ranked = (await Promise.all(judging)).flat();
        return ranked.sort((a, b) => b.score - a.score || a.index - b.index).slice(0, call.limit);
      } catch (error) {
        failed.abort();
        await Promise.allSettled(judging);
        throw error;
      }
    },
    close: async () => reranker.close?.(),
  };
}

async function judge(
  reranker: Reranker,
  query: string,
  { passages, start }: { readonly passages: readonly string[]; readonly start: number },
  { onScore, ...call }: RerankOptions,
): Promise<readonly RankedPassage[]> {
  const told = new Set<number>();
  const tell = (ranked: RankedPassage) => {
    if (told.has(ranked.index)) return;
    told.add(ranked.index);
    onScore?.(ranked);
  };
  const limit = Math.min(call.limit, passages.length);
  const ranked = await reranker.rerank(query, passages, {
    ...call,
    limit,
    onScore: ({ index, score }) => tell({ index: start + index, score }),
  });
  const placed = ranked.map(({ index, score }) => ({ index: start + index, score }));
  for (const one of placed) tell(one);
  return placed;
}

/** Where the passages are parted into calls, each as [start, end). A passage that alone is beyond the limit of bytes has a call of its own. */
function batchesOf(reranker: Reranker, query: string, passages: readonly string[]): ReturnType<typeof packBatches> {
  const { maxBatchSize: items = Number.POSITIVE_INFINITY, maxBatchBytes: weight = Number.POSITIVE_INFINITY } = reranker;
  const sizes = passages.map((passage) => reranker.countBytes?.(query, passage) ?? 0);
  return packBatches(sizes, { items, weight });
}
