import type { VectorMatch } from "../../interfaces/vector-store.js";
import { type DistantRow, toMatch } from "./exact-search.js";
import { Parameters } from "./filter-to-sql.js";
import { matchingRows, type NearestSearch, toVectorText } from "./nearest-search.js";
import { inTransaction, type Session } from "./sessions.js";
import { TABLE } from "./table.js";

/** The greatest `hnsw.ef_search`. */
const MAX_CANDIDATES = 1000;
const MIN_CANDIDATES = 100;
const CANDIDATES_PER_MATCH = 4;
/** How many of the graph's vectors are kept while it is searched: more than candidates, since the nearest may be missed. */
const MIN_EF_SEARCH = 200;

/** The most matches that are searched approximately: for more, there are too few candidates to choose from. */
export const MAX_APPROXIMATE_MATCHES = 500;

/** A search that is not for a zero vector. */
export interface DirectedSearch extends NearestSearch {
  readonly direction: readonly number[];
}

export interface ApproximateMatches {
  readonly matches: readonly VectorMatch[];
  /** Whether the index yielded as many candidates as asked for. Otherwise it stopped early, and near ones may be missing. */
  readonly isComplete: boolean;
}

/** Takes candidates from the HNSW index of the search's dimensions, and compares them again by their f32 vectors. */
export async function searchApproximately(session: Session, search: DirectedSearch): Promise<ApproximateMatches> {
  const { dimensions, direction, topK } = search;
  const limit = Math.min(MAX_CANDIDATES, Math.max(MIN_CANDIDATES, CANDIDATES_PER_MATCH * topK));
  const parameters = new Parameters();
  const rows = matchingRows(search, parameters);
  const vector = parameters.add(toVectorText(direction));
  const halfvec = `halfvec(${Number(dimensions)})`;
  const candidates = await inTransaction(session, async () => {
    await session.query(SETTINGS, [String(Math.max(MIN_EF_SEARCH, limit))]);
    return session.query<DistantRow>(
      `WITH candidates AS MATERIALIZED (
         SELECT id, embedding FROM ${TABLE} WHERE ${rows}
         ORDER BY embedding::${halfvec} <#> ${vector}::text::${halfvec} LIMIT ${parameters.add(limit)}::bigint
       )
       SELECT id, embedding <#> ${vector}::text::vector AS distance FROM candidates ORDER BY distance, id`,
      parameters.values,
    );
  });
  return { matches: candidates.slice(0, topK).map(toMatch), isComplete: candidates.length === limit };
}

/**
 * For one transaction. Without sorting, the planner takes the HNSW index, whatever it thinks of the filter. It then
 * overestimates the cost of the statement, which must not be compiled for that.
 */
const SETTINGS = `SELECT
  set_config('hnsw.iterative_scan', 'relaxed_order', true),
  set_config('hnsw.ef_search', $1, true),
  set_config('enable_sort', 'off', true),
  set_config('jit', 'off', true)`;
