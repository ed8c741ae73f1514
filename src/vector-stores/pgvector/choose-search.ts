import { Parameters } from "./filter-to-sql.js";
import { indexIsValid, MAX_INDEXED_DIMENSIONS } from "./hnsw-index.js";
import { matchingRows, type NearestSearch } from "./nearest-search.js";
import { inTransaction, type Session } from "./sessions.js";
import { TABLE } from "./table.js";

/** Up to which numbers of vectors all of them are compared. */
export interface ExactLimits {
  /** Scopes with fewer vectors are searched exactly. */
  readonly scopeVectors: number;
  /** Filters that leave fewer vectors are searched exactly. */
  readonly matchingVectors: number;
}

export const EXACT_LIMITS: ExactLimits = { scopeVectors: 50_000, matchingVectors: 20_000 };

/** How to search: `indexed` needs an HNSW index, which may not be there yet. */
export type SearchChoice = "exact" | "indexed" | "not indexed yet";

/** Counts, no further than to the limits, the vectors of the scope and those that match, and looks for the index. */
export async function chooseSearch(
  session: Session,
  search: NearestSearch,
  { scopeVectors, matchingVectors }: ExactLimits,
): Promise<SearchChoice> {
  const { scope, dimensions } = search;
  if (dimensions > MAX_INDEXED_DIMENSIONS) return "exact";
  const parameters = new Parameters();
  const fewerThan = (limit: number, rows: string) => {
    const maximum = `${parameters.add(limit)}::bigint`;
    return `(SELECT count(*) FROM (SELECT FROM ${TABLE} WHERE ${rows} LIMIT ${maximum}) counted) < ${maximum}`;
  };
  const choice = `SELECT
    CASE WHEN ${fewerThan(scopeVectors, `scope = ${parameters.add(scope)}`)} THEN true
      ELSE ${fewerThan(matchingVectors, matchingRows(search, parameters))} END AS "isExact",
    ${indexIsValid(dimensions)} AS "isIndexed"`;
  const [found] = await inTransaction(session, () =>
    session.query<{ readonly isExact: boolean; readonly isIndexed: boolean | null }>(choice, parameters.values),
  );
  if (found!.isExact) return "exact";
  return found!.isIndexed ? "indexed" : "not indexed yet";
}
