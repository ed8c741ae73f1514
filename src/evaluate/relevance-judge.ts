import type { AnyHit } from "./evaluated-namespace.js";
import type { Judgements } from "./metrics.js";

/** Decides which hits are relevant to one question. */
export interface RelevanceJudge {
  /** The grade of each expected answer, by its key. */
  readonly judgements: Judgements;
  /** Returns the keys of the answers that a hit contains; if it contains none, a key that no answer has. */
  keysOf(hit: AnyHit): readonly string[];
}

/** Returns the distinct keys of the hits, in order: the first hit that contains an answer sets the answer's rank. */
export function rankKeys(hits: readonly AnyHit[], judge: RelevanceJudge): readonly string[] {
  return [...new Set(hits.flatMap((hit) => judge.keysOf(hit)))];
}
