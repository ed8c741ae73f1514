import { publicMetadata } from "../domain/passage-metadata.js";
import type { Metadata, Scope } from "../types.js";
import { boostFactor, type ParsedBoost } from "./boosts.js";
import type { Candidate, RankedChunk } from "./ranked-chunk.js";

/**
 * Multiplies the score of each candidate by a factor for each boost and orders them anew; equal scores keep their order. No
 * factor is above 1, so a score of 0.8 still needs a passage that is as relevant as that.
 *
 * @param now Milliseconds since 1970
 */
export function applyBoosts(
  candidates: readonly Candidate[],
  boosts: readonly ParsedBoost[],
  { scope, now }: { readonly scope: Scope; readonly now: number },
): readonly Candidate[] {
  return candidates
    .map(({ passage, ranked }) => {
      const metadata = publicMetadata<Metadata>(scope, passage);
      const factor = boosts.reduce((product, boost) => product * boostFactor(boost, metadata, now), 1);
      return { passage, ranked: { ...ranked, score: ranked.score * factor, boost: { factor, ...placeOf(ranked) } } };
    })
    .sort((a, b) => b.ranked.score - a.ranked.score)
    .map(({ passage, ranked }, index) => ({ passage, ranked: { ...ranked, rank: index + 1 } }));
}

function placeOf({ rank, score }: RankedChunk): { readonly rank: number; readonly score: number } {
  return { rank, score };
}
