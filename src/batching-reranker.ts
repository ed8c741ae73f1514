import type { RankedPassage, Reranker, RerankOptions } from "./interfaces/reranker.js";

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
      const judging = batches.map((indexes) => judge(reranker, query, passages, indexes, { ...call, signal }));
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
  passages: readonly string[],
  indexes: readonly number[],
  { onScore, ...call }: RerankOptions,
): Promise<readonly RankedPassage[]> {
  const texts = indexes.map((index) => passages[index]!);
  const told = new Set<number>();
  const tell = (ranked: RankedPassage) => {
    if (told.has(ranked.index)) return;
    told.add(ranked.index);
    onScore?.(ranked);
  };
  const limit = Math.min(call.limit, texts.length);
  const ranked = await reranker.rerank(query, texts, {
    ...call,
    limit,
    onScore: ({ index, score }) => tell({ index: indexes[index]!, score }),
  });
  const placed = ranked.map(({ index, score }) => ({ index: indexes[index]!, score }));
  for (const one of placed) tell(one);
  return placed;
}

/** Indexes of the passages of each call, in order. A passage that alone is beyond the limit of bytes has a call of its own. */
function batchesOf(reranker: Reranker, query: string, passages: readonly string[]): readonly (readonly number[])[] {
  const { maxBatchSize = Number.POSITIVE_INFINITY, maxBatchBytes = Number.POSITIVE_INFINITY } = reranker;
  const batches: number[][] = [];
  let bytes = 0;
  for (const [index, passage] of passages.entries()) {
    const size = reranker.countBytes?.(query, passage) ?? 0;
    const last = batches.at(-1);
    if (!last || last.length >= maxBatchSize || bytes + size > maxBatchBytes) {
      batches.push([index]);
      bytes = size;
    } else {
      last.push(index);
      bytes += size;
    }
  }
  return batches;
}
