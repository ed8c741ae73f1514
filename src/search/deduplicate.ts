import type { Candidate, RankedChunk } from "./ranked-chunk.js";

/**
 * A passage that is omitted because a document with the same content has a higher-ranked passage with its text, or
 * because a higher-ranked passage is more similar than the search allows.
 */
export interface Duplicate {
  readonly ranked: RankedChunk;
  /** The higher-ranked candidate. */
  readonly original: Candidate;
  /** The share of the words of both that each has; `null` if the texts are the same. */
  readonly similarity: number | null;
}

interface DeduplicatedCandidates {
  readonly candidates: readonly Candidate[];
  readonly duplicates: readonly Duplicate[];
}

/**
 * Omits passages that repeat the text of a higher-ranked passage from another document with the same content. Keeps
 * repetitions within a document.
 */
export function deduplicate(candidates: readonly Candidate[]): DeduplicatedCandidates {
  const firstByKey = new Map<string, Candidate>();
  const kept: Candidate[] = [];
  const duplicates: Duplicate[] = [];
  for (const candidate of candidates) {
    const { contentHash, text, documentId } = candidate.passage;
    const key = contentHash === null ? null : `${contentHash} ${text}`;
    const original = key === null ? undefined : firstByKey.get(key);
    if (original && original.passage.documentId !== documentId) {
      duplicates.push({ ranked: candidate.ranked, original, similarity: null });
      continue;
    }
    if (key !== null && !original) firstByKey.set(key, candidate);
    kept.push(candidate);
  }
  return { candidates: kept, duplicates };
}
