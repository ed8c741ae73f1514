import type { Engine } from "../engine/engine.js";
import { type Filter, parseFilter } from "../filter.js";
import type { FacetValue, SearchScope } from "../storage/search-index.js";
import type { Metadata, ReadOptions } from "../types.js";
import { facetsSchema } from "../validation/facets-schema.js";
import { parseInput } from "../validation/parse-input.js";

export interface FacetOptions<M = Metadata> extends ReadOptions {
  /** Conditions on metadata, as for a search. @default none */
  readonly filter?: Filter<M> | undefined;
  /** Maximum number of values of a key, 1 to 1000. @default 10 */
  readonly limit?: number | undefined;
}

/** The values of a metadata key, with how many documents and passages have them. */
export interface Facet {
  readonly key: string;
  /** The values of the most documents first; then booleans, numbers and strings in ascending order. */
  readonly values: readonly FacetValue[];
  /** The number of different values, returned or not. */
  readonly distinctValues: number;
}

/**
 * Counts the documents and passages of a scope by the values of metadata keys, in lists each element.
 * @throws KnowledgeBaseError `invalid_input`
 */
export async function countFacets<M>(
  engine: Engine,
  scope: SearchScope,
  keys: readonly string[],
  { signal, ...options }: Omit<FacetOptions<M>, "principals">,
): Promise<readonly Facet[]> {
  const { keys: counted, filter, limit } = parseInput(facetsSchema, { ...options, keys });
  const filterNode = filter === undefined ? null : parseFilter(filter);
  const facets: Facet[] = [];
  for (const key of counted) {
    const query = { scope, key, filter: filterNode, limit };
    facets.push({ key, ...(await engine.storage.index.facet(query, { signal })) });
  }
  return facets;
}
