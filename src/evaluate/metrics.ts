import { KnowledgeBaseError } from "../errors.js";

/** The relevance judgements of one query: grades by document id. A grade of 0 or less means "not relevant". */
export type Judgements = ReadonlyMap<string, number>;

/** `nDCG@k`, `recall@k` or `MRR@k` with a depth of 1 to 100, as in `nDCG@10`. */
export type MeasureName = string;

type Measure = (ranking: readonly string[], judgements: Judgements) => number;

export const DEFAULT_MEASURES: readonly MeasureName[] = ["nDCG@10", "recall@10", "recall@100", "MRR@10"];

const METRICS = { nDCG: ndcg, recall, MRR: reciprocalRank };
const MEASURE_NAME_PATTERN = /^(nDCG|recall|MRR)@([1-9]\d?|100)$/;

/**
 * Returns the function that computes a measure.
 * @throws KnowledgeBaseError `invalid_input` for an unknown measure
 */
export function parseMeasure(name: MeasureName): Measure {
  const [, metric, depth] = MEASURE_NAME_PATTERN.exec(name) ?? [];
  if (metric !== undefined) {
    return (ranking, judgements) => METRICS[metric as keyof typeof METRICS](ranking, judgements, Number(depth));
  }
  const message = `must be nDCG@k, recall@k or MRR@k with k from 1 to 100, such as nDCG@10, not ${JSON.stringify(name)}`;
  throw new KnowledgeBaseError("invalid_input", `measures ${message}`, { issues: [{ field: "measures", message }] });
}

/**
 * Computes the normalised discounted cumulative gain of the first `depth` ranks, 0 to 1, as in trec_eval: the gain of a
 * document is its grade, and the discount is `log2(rank + 1)`. Returns 0 if nothing is relevant.
 */
export function ndcg(ranking: readonly string[], judgements: Judgements, depth: number): number {
  const gains = ranking.slice(0, depth).map((id) => gainOf(judgements, id));
  const idealGains = [...judgements.values()]
    .filter((grade) => grade > 0)
    .sort((a, b) => b - a)
    .slice(0, depth);
  return idealGains.length === 0 ? 0 : discountedSum(gains) / discountedSum(idealGains);
}

/** Computes the fraction of the relevant documents that are in the first `depth` ranks; 0 if nothing is relevant. */
export function recall(ranking: readonly string[], judgements: Judgements, depth: number): number {
  const relevant = [...judgements].filter(([, grade]) => grade > 0).map(([id]) => id);
  const found = new Set(ranking.slice(0, depth));
  return relevant.length === 0 ? 0 : relevant.filter((id) => found.has(id)).length / relevant.length;
}

/** Computes 1 divided by the rank of the first relevant document; 0 if there is none in the first `depth` ranks. */
export function reciprocalRank(ranking: readonly string[], judgements: Judgements, depth: number): number {
  const firstIndex = ranking.slice(0, depth).findIndex((id) => gainOf(judgements, id) > 0);
  return firstIndex === -1 ? 0 : 1 / (firstIndex + 1);
}

/** Computes the arithmetic mean; 0 for an empty list. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Computes the nearest-rank quantile for a fraction from 0 to 1; 0 for an empty list. */
export function quantile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)] ?? 0;
}

function gainOf(judgements: Judgements, id: string): number {
  return Math.max(0, judgements.get(id) ?? 0);
}

function discountedSum(gains: readonly number[]): number {
  return gains.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
}
