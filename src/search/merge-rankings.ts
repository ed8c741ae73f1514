import type { RankedChunk } from "./ranked-chunk.js";

/** The ranking of one wording of a query. */
export interface WordingRanking {
  readonly query: string;
  readonly ranking: readonly RankedChunk[];
}

/**
 * Merges the rankings of several wordings: each chunk has the evidence and the score of the wording with its best one.
 * The first `n` are those of the complete rankings if each ranking has its first `n`. Ties keep the order of the wordings.
 */
export function mergeRankings(rankings: readonly WordingRanking[]): readonly RankedChunk[] {
  const best = new Map<string, RankedChunk>();
  for (const { query, ranking } of rankings)
    for (const chunk of ranking) {
      const other = best.get(chunk.id);
      if (!other || chunk.score > other.score) best.set(chunk.id, { ...chunk, query });
    }
  return [...best.values()].sort((a, b) => b.score - a.score).map((chunk, index) => ({ ...chunk, rank: index + 1 }));
}
