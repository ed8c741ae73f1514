import { featuresOf, similarityOf } from "../text-analysis/shared-words.js";
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
 * Omits passages that repeat the text of a higher-ranked passage from another document with the same content, and, if
 * `maxSimilarity` is given, passages that are more similar to a higher-ranked one of whatever document. Without it,
 * keeps repetitions within a document.
 */
export function deduplicate(candidates: readonly Candidate[], maxSimilarity?: number): DeduplicatedCandidates {
  const different = omitSame(candidates);
  if (maxSimilarity === undefined) return different;
  const dissimilar = omitSimilar(different.candidates, maxSimilarity);
  return { ...dissimilar, duplicates: [...different.duplicates, ...dissimilar.duplicates] };
}

function omitSame(candidates: readonly Candidate[]): DeduplicatedCandidates {
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

function omitSimilar(candidates: readonly Candidate[], maxSimilarity: number): DeduplicatedCandidates {
  const kept: { readonly candidate: Candidate; readonly features: ReadonlySet<string> }[] = [];
  const duplicates: Duplicate[] = [];
  for (const candidate of candidates) {
    const features = featuresOf(candidate.passage.text);
    const original = kept.find((other) => similarityOf(features, other.features) > maxSimilarity);
    if (!original) kept.push({ candidate, features });
    else {
      const similarity = similarityOf(features, original.features);
      duplicates.push({ ranked: candidate.ranked, original: original.candidate, similarity });
    }
  }
  return { candidates: kept.map(({ candidate }) => candidate), duplicates };
}
