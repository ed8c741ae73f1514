import type { AnyHit } from "./evaluated-namespace.js";
import type { Judgements } from "./metrics.js";

/** What is right for one question. */
export interface Judge {
  /** Grades of what is to be found, by a key of each. */
  readonly judgements: Judgements;
  /** Keys of what a hit gives: of every right answer in it, or one that is none. */
  keysOf(hit: AnyHit): readonly string[];
}

/**
 * The order in which keys were found. What was given before isn't given again by a later hit, which is left out then: the rank of an
 * answer is that of the first hit with it.
 */
export function rankingOf(hits: readonly AnyHit[], judge: Judge): readonly string[] {
  return [...new Set(hits.flatMap((hit) => judge.keysOf(hit)))];
}
