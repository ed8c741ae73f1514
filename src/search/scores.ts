// Scores that callers see lie within 0..1, higher is better, and never turn an order round.

/**
 * BM25 at which the strength of a match is one half. BM25 has no upper end: two or three rare words reach about this much.
 */
const BM25_HALF = 8;

/** From cosine similarity: what points the other way is as unrelated as what stands at a right angle. */
export function semanticScore(similarity: number): number {
  return Math.min(1, Math.max(0, similarity));
}

/**
 * From BM25: s / (s + 8), which rises steadily from 0 towards 1, in the upper half of the scale for a passage that has all the words
 * of the query and in the lower half for one that has some. So a passage with every word scores at least 0.5 also in a collection
 * too small for BM25 to tell rare words from common ones.
 */
export function keywordScore(bm25: number, hasAllWords: boolean): number {
  const strength = Math.max(0, bm25) / (Math.max(0, bm25) + BM25_HALF);
  return strength / 2 + (hasAllWords ? 0.5 : 0);
}
