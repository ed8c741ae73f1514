import type { VectorMatch } from "../../interfaces/vector-store.js";
import { MAX_APPROXIMATE_MATCHES, searchApproximately } from "./approximate-search.js";
import { chooseSearch, type ExactLimits } from "./choose-search.js";
import { searchExactly } from "./exact-search.js";
import type { IndexBuilds } from "./index-builds.js";
import type { NearestSearch } from "./nearest-search.js";
import type { RecentChoices } from "./recent-choices.js";
import type { Session } from "./sessions.js";

interface SearchMeans {
  readonly exactLimits: ExactLimits;
  readonly builds: IndexBuilds;
  readonly choices: RecentChoices;
}

/**
 * Finds the nearest vectors: exactly if few match, else with an HNSW index. Until the index exists, which this starts to
 * create, and if it yields too few candidates, the search is exact.
 */
export async function findNearest(
  session: Session,
  search: NearestSearch,
  { exactLimits, builds, choices }: SearchMeans,
): Promise<readonly VectorMatch[]> {
  const { direction, dimensions, topK } = search;
  if (direction === null || topK > MAX_APPROXIMATE_MATCHES) return searchExactly(session, search);
  const choice = await choices.choose(search, () => chooseSearch(session, search, exactLimits));
  if (choice === "not indexed yet") builds.start(dimensions);
  if (choice === "indexed") {
    const { matches, isComplete } = await searchApproximately(session, { ...search, direction });
    if (isComplete) return matches;
  }
  return searchExactly(session, search);
}
