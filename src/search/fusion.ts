/** A chunk that one way of searching found. */
export interface ScoredId {
  readonly id: string;
  /** Higher is better. */
  readonly score: number;
}

/**
 * Combines two rankings: each one's scores are stretched to 0..1 over its candidates, then added by weight (a convex combination,
 * Bruch, Gai, Ingber: An Analysis of Fusion Functions for Hybrid Retrieval, 2023). A candidate that one ranking lacks counts as that
 * ranking's last. Best first; equals in the order of the keyword ranking, then of the semantic one.
 *
 * @param semanticWeight 0 to 1.
 */
export function fuse(
  keyword: readonly ScoredId[],
  semantic: readonly ScoredId[],
  semanticWeight: number,
): readonly ScoredId[] {
  const fused = new Map<string, number>();
  for (const { id, score } of stretch(keyword)) fused.set(id, (1 - semanticWeight) * score);
  for (const { id, score } of stretch(semantic)) fused.set(id, (fused.get(id) ?? 0) + semanticWeight * score);
  return [...fused].map(([id, score]) => ({ id, score: Math.min(1, score) })).sort((a, b) => b.score - a.score);
}

function stretch(ranking: readonly ScoredId[]): readonly ScoredId[] {
  const scores = ranking.map(({ score }) => score);
  const lowest = Math.min(...scores);
  const width = Math.max(...scores) - lowest;
  return ranking.map(({ id, score }) => ({ id, score: width === 0 ? 1 : (score - lowest) / width }));
}
