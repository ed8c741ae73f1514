// Scores are from 0 to 1, higher is better. They preserve the order of a ranking and depend on the passage, the
// query and the collection, and aren't stretched over the hits. So all hits of a query without an answer have low scores.

/**
 * Maps BM25, adjusted by the forms and positions of words, to a score by its share of the upper bound for the query
 * (`ceiling`). A passage of average length that begins with the query's only word has a share of 0.59. A passage that lacks
 * a word scores its share, at most 0.5; one with all words scores 0.5 plus half its share. Monotone in the order of keyword
 * search, which ranks passages with all words first.
 *
 * This is theoretical min-max normalization: both bounds, 0 and `ceiling`, are independent of the candidates. See Bruch,
 * Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval, ACM TOIS 42(1), 2023.
 */
export function keywordScore(bm25: number, ceiling: number, hasAllWords: boolean): number {
  const share = ceiling > 0 ? Math.min(1, Math.max(0, bm25) / ceiling) : 0;
  return hasAllWords ? 0.5 + share / 2 : Math.min(0.5, share);
}

/**
 * Maps cosine similarity to a score: 0 for the similarity of unrelated texts or less, 1 for identical directions.
 *
 * @param unrelated The embedder's similarity of unrelated texts, below 1; 0 for most embedders.
 */
export function semanticScore(similarity: number, unrelated: number): number {
  return Math.min(1, Math.max(0, (similarity - unrelated) / (1 - unrelated)));
}
