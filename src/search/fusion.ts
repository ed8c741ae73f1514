/** How a hybrid search combines its two rankings. */
export type FusionMethod = "convex" | "rrf";

/** A chunk in a ranking. */
export interface RankedId {
  readonly id: string;
  /** From 1. */
  readonly rank: number;
  /** 0 to 1. */
  readonly score: number;
}

export interface FusionOptions {
  readonly method: FusionMethod;
  /** Weight of the semantic ranking, 0 to 1; the keyword ranking gets the rest. */
  readonly semanticWeight: number;
}

/**
 * From Cormack, Clarke and Büttcher, Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods,
 * SIGIR 2009.
 */
const RRF_K = 60;

/**
 * Combines two rankings by the weighted mean of each candidate's values in both, best first. The value is 0 in a
 * ranking that lacks the candidate. Ties keep the order of the keyword ranking, then that of the semantic ranking.
 *
 * - `convex`: the value is the score (convex combination; Bruch, Gai and Ingber, ACM TOIS 42(1), 2023).
 * - `rrf`: the value is 61 / (60 + rank), so first in both rankings is 1. With equal weights this is the order of
 *   reciprocal rank fusion. The result reflects ranks only, not relevance.
 */
export function fuse(
  keyword: readonly RankedId[],
  semantic: readonly RankedId[],
  { method, semanticWeight }: FusionOptions,
): readonly RankedId[] {
  const valueIn =
    method === "convex" ? ({ score }: RankedId) => score : ({ rank }: RankedId) => (RRF_K + 1) / (RRF_K + rank);
  const fused = new Map<string, number>();
  for (const chunk of keyword) fused.set(chunk.id, (1 - semanticWeight) * valueIn(chunk));
  for (const chunk of semantic) fused.set(chunk.id, (fused.get(chunk.id) ?? 0) + semanticWeight * valueIn(chunk));
  return [...fused]
    .sort(([, a], [, b]) => b - a)
    .map(([id, score], index) => ({ id, rank: index + 1, score: Math.min(1, score) }));
}
