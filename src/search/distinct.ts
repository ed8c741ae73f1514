import type { Candidate, Found } from "./found.js";

/** A passage that was left out since a better one has the same text and comes from the same bytes. */
export interface Duplicate {
  readonly found: Found;
  /** The one that stays. */
  readonly of: Candidate;
}

export interface Distinct {
  readonly candidates: readonly Candidate[];
  readonly duplicates: readonly Duplicate[];
}

/**
 * Leaves out passages whose text another document has further up, where both documents were made from the same bytes. What a document
 * itself says twice stays.
 */
export function distinct(candidates: readonly Candidate[]): Distinct {
  const first = new Map<string, Candidate>();
  const kept: Candidate[] = [];
  const duplicates: Duplicate[] = [];
  for (const candidate of candidates) {
    const { contentHash, text, documentId } = candidate.passage;
    const key = contentHash === null ? null : `${contentHash} ${text}`;
    const of = key === null ? undefined : first.get(key);
    if (of && of.passage.documentId !== documentId) {
      duplicates.push({ found: candidate.found, of });
      continue;
    }
    if (key !== null && !of) first.set(key, candidate);
    kept.push(candidate);
  }
  return { candidates: kept, duplicates };
}
