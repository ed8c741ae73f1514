import { similarityOf } from "../text-analysis/shared-words.js";
import type { Duplicate } from "./deduplicate.js";
import { type PassageFeatures, passageFeatures } from "./passage-features.js";
import type { Candidate } from "./ranked-chunk.js";

interface ChoiceLimits {
  /** The number of candidates to choose. Those after the last of them are not looked at. */
  readonly topK: number;
  /** The most candidates of a document. Documents with the same content count as one. */
  readonly perDocument?: number | undefined;
  /** The highest similarity of a candidate to any that is chosen. */
  readonly maxSimilarity?: number | undefined;
  /** The features of passages that were compared before, to which others are added. */
  readonly features: PassageFeatures;
}

interface Choice {
  readonly candidates: readonly Candidate[];
  /** Candidates that are too similar to a chosen one. */
  readonly duplicates: readonly Duplicate[];
}

/**
 * Chooses the first candidates, in their order, of which no document has too many and none is too similar to another.
 * Compares the words only of candidates that may be chosen otherwise, with those of the chosen ones.
 */
export function chooseCandidates(candidates: readonly Candidate[], limits: ChoiceLimits): Choice {
  const { topK, perDocument = Number.POSITIVE_INFINITY, maxSimilarity, features } = limits;
  const chosen: Candidate[] = [];
  const duplicates: Duplicate[] = [];
  const counts = new Map<string, number>();
  for (const candidate of candidates) {
    if (chosen.length === topK) break;
    const { contentHash, documentId } = candidate.passage;
    const content = contentHash ?? documentId;
    const count = counts.get(content) ?? 0;
    if (count >= perDocument) continue;
    const duplicate = maxSimilarity === undefined ? null : findSimilar(candidate, chosen, maxSimilarity, features);
    if (duplicate) duplicates.push(duplicate);
    else {
      counts.set(content, count + 1);
      chosen.push(candidate);
    }
  }
  return { candidates: chosen, duplicates };
}

function findSimilar(
  { ranked, passage }: Candidate,
  chosen: readonly Candidate[],
  maxSimilarity: number,
  features: PassageFeatures,
): Duplicate | null {
  const own = passageFeatures(passage.text, features);
  for (const original of chosen) {
    const similarity = similarityOf(own, passageFeatures(original.passage.text, features));
    if (similarity > maxSimilarity) return { ranked, original, similarity };
  }
  return null;
}
