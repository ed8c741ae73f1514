import type { KeywordTerm } from "../../../text-analysis/keyword-term.js";
import type { Scope } from "../../../types.js";
import type { Statements } from "../statements.js";
import { chunksContaining } from "./keyword-search.js";
import { findChunk } from "./passages.js";

/**
 * Returns which of the ids found by a store are live and contain the required terms, in order. Doesn't read texts, so
 * there may be many.
 */
export function liveChunks(
  db: Statements,
  question: { scope: Scope; ids: readonly string[]; required: readonly KeywordTerm[] | null },
): { readonly ids: readonly string[]; readonly lost: number } {
  const { scope, required } = question;
  const live = question.ids.flatMap((id) => {
    const chunkSeq = findChunk<{ chunkSeq: number }>(db, scope, id, "c.seq AS chunkSeq")?.chunkSeq;
    return chunkSeq === undefined ? [] : [{ id, chunkSeq }];
  });
  const lost = question.ids.length - live.length;
  if (required === null) return { ids: live.map(({ id }) => id), lost };
  const chunkSeqs = live.map(({ chunkSeq }) => chunkSeq);
  const containing = chunksContaining(db, { scope, terms: required, chunkSeqs });
  return { ids: live.filter(({ chunkSeq }) => containing.has(chunkSeq)).map(({ id }) => id), lost };
}
