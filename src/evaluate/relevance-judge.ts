import type { AnyHit } from "./evaluated-namespace.js";
import type { Judgements } from "./metrics.js";

/** Decides which hits are relevant to one question. */
export interface RelevanceJudge {
  /** The grade of each expected answer, by its key. */
  readonly judgements: Judgements;
  /** The keys of the answers that a hit contains; one key of no answer if it contains none. */
  keysOf(hit: AnyHit): readonly string[];
}

/** The keys in the order of the hits. A repeated key is left out: the rank of an answer is that of its first hit. */
export function rankingOf(hits: readonly AnyHit[], judge: RelevanceJudge): readonly string[] {
  return [...new Set(hits.flatMap((hit) => judge.keysOf(hit)))];
}
