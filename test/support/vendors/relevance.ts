/** A deterministic stand-in for a reranking model: the share of the query's words that a document has, and a little for its length. */
function relevance(query: string, document: string): number {
  const words = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const wanted = words(query);
  const found = words(document);
  const share = [...wanted].filter((word) => found.has(word)).length / Math.max(1, wanted.size);
  return 0.9 * share + 0.1 / (1 + document.length);
}

/** Documents by their relevance, best first, as the vendors' answers list them. */
export function ranking(query: string, documents: readonly string[], topN: number | null | undefined) {
  return documents
    .map((document, index) => ({ index, relevance_score: relevance(query, document) }))
    .sort((a, b) => b.relevance_score - a.relevance_score)
    .slice(0, topN ?? documents.length);
}
