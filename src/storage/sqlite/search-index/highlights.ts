import { highlight, toWanted } from "../../../text-analysis/highlight.js";
import type { KeywordTerm } from "../../../text-analysis/keyword-term.js";
import type { TextRange } from "../../../types.js";
import { KeywordIndexes } from "../keywords/keyword-indexes.js";
import type { Statements } from "../statements.js";

/** The ranges of the given terms in the texts of the given chunks; none for a chunk that has been removed. */
export function highlights(
  db: Statements,
  { chunkSeqs, terms }: { readonly chunkSeqs: readonly number[]; readonly terms: readonly KeywordTerm[] },
): readonly (readonly TextRange[])[] {
  const { analyzer } = KeywordIndexes.of(db);
  const [unstemmed, stemmed] = [false, true].map((form) => toWanted(analyzer, terms, form));
  return chunkSeqs.map((seq) => {
    const chunk = db.get<{ text: string; stemmed: number }>("SELECT text, stemmed FROM chunks WHERE seq = ?", seq);
    return chunk ? highlight(analyzer, chunk.text, (chunk.stemmed === 1 ? stemmed : unstemmed)!) : [];
  });
}
