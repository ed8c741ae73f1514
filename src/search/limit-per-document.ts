import type { Candidate } from "./ranked-chunk.js";

/** Keeps the first `limit` candidates of each document, in their order. Documents with the same content count as one. */
export function limitPerDocument(candidates: readonly Candidate[], limit: number): readonly Candidate[] {
  const counts = new Map<string, number>();
  return candidates.filter(({ passage: { contentHash, documentId } }) => {
    const key = contentHash ?? documentId;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= limit;
  });
}
