import { similarityOf } from "../text-analysis/shared-words.js";
import { type PassageFeatures, passageFeatures } from "./passage-features.js";
import type { Candidate } from "./ranked-chunk.js";
import type { SearchRequest } from "./search-request.js";

/** Passages are chosen among so many times `topK`, at most 200, whose comparison took about 50 ms for `topK` 10 and 200 ms for 100. */
const CANDIDATES_PER_HIT = 5;
const MAX_CANDIDATES = 200;

/** Returns how many candidates a search needs: `topK`, or more if it is to choose different ones. */
export function candidateCount({ topK, diversity = 0 }: Pick<SearchRequest, "topK" | "diversity">): number {
  return diversity === 0 ? topK : Math.min(CANDIDATES_PER_HIT * topK, MAX_CANDIDATES);
}

/** A candidate that was not chosen, because others with a lower score are less similar to the chosen ones. */
export interface PassedOver {
  readonly candidate: Candidate;
  /** The rank by score among the candidates, from 1. */
  readonly rank: number;
  /** The highest share of words that it and a chosen candidate have in common. */
  readonly similarity: number;
  /** The chosen candidate that is the most similar. */
  readonly similarTo: Candidate;
}

interface Choice {
  /** In the order in which they were chosen. */
  readonly chosen: readonly Candidate[];
  readonly passedOver: readonly PassedOver[];
}

/** A candidate that may be chosen yet, compared with all that are chosen. */
interface Contender {
  readonly candidate: Candidate;
  readonly rank: number;
  readonly features: ReadonlySet<string>;
  similarity: number;
  similarTo: Candidate;
}

/**
 * Chooses candidates by maximal marginal relevance: each time, the one with the greatest (1 - diversity) × score - diversity ×
 * similarity, where the similarity is the highest to any that is already chosen; of equal ones, the first (Carbonell and
 * Goldstein, SIGIR 1998, doi.org/10.1145/290941.291025, where λ is 1 - diversity).
 *
 * @param candidates Best first
 */
export function diversify(
  candidates: readonly Candidate[],
  { topK, diversity = 0 }: Pick<SearchRequest, "topK" | "diversity">,
  features: PassageFeatures,
): Choice {
  const [first] = candidates;
  if (!first || diversity === 0) return { chosen: candidates, passedOver: [] };
  const contenders = candidates.map((candidate, index): Contender => {
    const own = passageFeatures(candidate.passage.text, features);
    return { candidate, rank: index + 1, features: own, similarity: 0, similarTo: first };
  });
  const chosen: Candidate[] = [];
  while (chosen.length < topK && contenders.length > 0) {
    const values = contenders.map(({ candidate, similarity }) => {
      return (1 - diversity) * candidate.ranked.score - diversity * similarity;
    });
    const [best] = contenders.splice(values.indexOf(Math.max(...values)), 1) as [Contender];
    const { ranked } = best.candidate;
    const place = { rank: chosen.length + 1, similarity: best.similarity };
    const next = { ...best.candidate, ranked: { ...ranked, diversity: place } };
    chosen.push(next);
    for (const contender of contenders) {
      const similarity = similarityOf(contender.features, best.features);
      if (similarity <= contender.similarity) continue;
      contender.similarity = similarity;
      contender.similarTo = next;
    }
  }
  return { chosen, passedOver: contenders.map(({ features, ...passed }) => passed) };
}
