import type { KeywordTerm } from "../../../text-analysis/keyword-term.js";
import type { SearchScope } from "../../search-index.js";
import { KEPT_VECTOR_SET, vectorSetGoneError } from "../../vector-sets.js";
import type { Statements } from "../statements.js";
import { findScope } from "./find-scope.js";
import { filterByTerms } from "./keyword-search.js";
import { findChunk } from "./passages.js";

/**
 * Returns which of the given ids belong to published chunks with the required terms, in the given order. `missing`
 * counts the ids of chunks that are not published. Doesn't read the chunks' texts, so there may be many ids.
 */
export function liveChunks(
  db: Statements,
  query: {
    readonly scope: SearchScope;
    readonly ids: readonly string[];
    readonly required: readonly KeywordTerm[] | null;
    readonly vectorSet?: number | undefined;
  },
): { readonly ids: readonly string[]; readonly missing: number } {
  const { scope, required, vectorSet = 0 } = query;
  const found = findScope(db, scope);
  if (found && found.vector_set !== vectorSet && !db.get(KEPT_VECTOR_SET, scope.namespaceId, vectorSet))
    throw vectorSetGoneError();
  const live = query.ids.flatMap((id) => {
    const chunkSeq = findChunk<{ chunkSeq: number }>(db, scope, id, "c.seq AS chunkSeq")?.chunkSeq;
    return chunkSeq === undefined ? [] : [{ id, chunkSeq }];
  });
  const missing = query.ids.length - live.length;
  if (required === null) return { ids: live.map(({ id }) => id), missing };
  const chunkSeqs = live.map(({ chunkSeq }) => chunkSeq);
  const containing = filterByTerms(db, { scope, terms: required, chunkSeqs });
  return { ids: live.filter(({ chunkSeq }) => containing.has(chunkSeq)).map(({ id }) => id), missing };
}
