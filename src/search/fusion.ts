/** How a hybrid search makes one ranking of two. */
export type FusionMethod = "convex" | "rrf";

/** A chunk in the ranking of one way of searching, best first. */
export interface RankedId {
  readonly id: string;
  /** From 1. */
  readonly rank: number;
  /** 0 to 1. */
  readonly score: number;
}

export interface FusionOptions {
  readonly method: FusionMethod;
  /** 0 to 1; keywords weigh what is left. */
  readonly semanticWeight: number;
}

/** That of Cormack, Clarke and Büttcher (Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods, SIGIR 2009). */
const RRF_K = 60;

/**
 * Combines two rankings by the weighted mean of what a candidate has in each, 0 where a ranking lacks it. Best first; equals in the order
 * of the keyword ranking, then of the semantic one.
 *
 * - `convex`: of its scores (a convex combination, Bruch, Gai and Ingber, ACM TOIS 42(1), 2023).
 * - `rrf`: of 61 / (60 + rank), so that 1 is the first of both rankings. With equal weights that is the order of reciprocal rank fusion.
 *   It tells nothing of how good a passage is, only how the two rankings place it.
 */
export function fuse(
  keyword: readonly RankedId[],
  semantic: readonly RankedId[],
  { method, semanticWeight }: FusionOptions,
): readonly RankedId[] {
  const worth =
    method === "convex" ? ({ score }: RankedId) => score : ({ rank }: RankedId) => (RRF_K + 1) / (RRF_K + rank);
  const fused = new Map<string, number>();
  for (const found of keyword) fused.set(found.id, (1 - semanticWeight) * worth(found));
  for (const found of semantic) fused.set(found.id, (fused.get(found.id) ?? 0) + semanticWeight * worth(found));
  return [...fused]
    .sort(([, a], [, b]) => b - a)
    .map(([id, score], index) => ({ id, rank: index + 1, score: Math.min(1, score) }));
}
