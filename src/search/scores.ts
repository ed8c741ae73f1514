// Scores that callers see lie within 0..1, higher is better, never turn an order round, and depend on nothing but the passage, the
// query and the collection: not on which other passages were found. So a query that nothing answers has low scores throughout.

/**
 * From BM25. A passage has some share of the most that BM25 could reach for this query (`ceiling`): one that has every word once, at
 * average length, has 0.45. Passages that lack a word score that share, at most 0.5; those that have all words score half of it above
 * 0.5. Monotone in the order of keyword search, which puts passages with all the words first.
 *
 * Dividing by a bound that is known without looking at the candidates is the theoretical min-max of Bruch, Gai and Ingber (An Analysis
 * of Fusion Functions for Hybrid Retrieval, ACM TOIS 42(1), 2023), at both ends of the scale.
 */
export function keywordScore(bm25: number, ceiling: number, hasAllWords: boolean): number {
  const share = ceiling > 0 ? Math.min(1, Math.max(0, bm25) / ceiling) : 0;
  return hasAllWords ? 0.5 + share / 2 : Math.min(0.5, share);
}

/**
 * From cosine similarity: how far it lies above that of unrelated texts, 0 to 1. What is less similar than unrelated texts are is no
 * less related than they are.
 *
 * @param unrelated The embedder's own, below 1; 0 for most.
 */
export function semanticScore(similarity: number, unrelated: number): number {
  return Math.min(1, Math.max(0, (similarity - unrelated) / (1 - unrelated)));
}
