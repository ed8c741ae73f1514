/** Relevance of the judged documents of one query: document id to grade. A grade of 0 or less is "not relevant". */
export type Judgements = ReadonlyMap<string, number>;

/**
 * Normalised discounted cumulative gain of the first `depth` ranks, 0 to 1, as trec_eval counts it: the gain of a
 * document is its grade, the discount `log2(rank + 1)`. 0 where nothing is relevant.
 */
export function ndcg(ranking: readonly string[], judgements: Judgements, depth: number): number {
  const gains = ranking.slice(0, depth).map((id) => gainOf(judgements, id));
  const ideal = [...judgements.values()]
    .filter((grade) => grade > 0)
    .sort((a, b) => b - a)
    .slice(0, depth);
  return ideal.length === 0 ? 0 : discounted(gains) / discounted(ideal);
}

/** Share of the relevant documents that are among the first `depth`, 0 to 1. 0 where nothing is relevant. */
export function recall(ranking: readonly string[], judgements: Judgements, depth: number): number {
  const relevant = [...judgements].filter(([, grade]) => grade > 0).map(([id]) => id);
  const found = new Set(ranking.slice(0, depth));
  return relevant.length === 0 ? 0 : relevant.filter((id) => found.has(id)).length / relevant.length;
}

/** One over the rank of the first relevant document among the first `depth`; 0 where there is none. */
export function reciprocalRank(ranking: readonly string[], judgements: Judgements, depth: number): number {
  const first = ranking.slice(0, depth).findIndex((id) => gainOf(judgements, id) > 0);
  return first === -1 ? 0 : 1 / (first + 1);
}

/** Arithmetic mean; 0 of an empty list. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The smallest value that at least `share` (0 to 1) of all values do not exceed; 0 of an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function gainOf(judgements: Judgements, id: string): number {
  return Math.max(0, judgements.get(id) ?? 0);
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
}
