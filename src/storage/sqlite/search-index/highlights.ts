import type { TextRange } from "../../../types.js";
import { highlight, toWanted } from "../keywords/highlight.js";
import { KeywordIndexes } from "../keywords/keyword-indexes.js";
import type { KeywordTerm } from "../keywords/keyword-term.js";
import type { Statements } from "../statements.js";

/** Where the texts of some chunks contain some terms; nowhere in one that has been removed. */
export function highlights(
  db: Statements,
  { chunkSeqs, terms }: { readonly chunkSeqs: readonly number[]; readonly terms: readonly KeywordTerm[] },
): readonly (readonly TextRange[])[] {
  const { tokenizer } = KeywordIndexes.of(db);
  const [unstemmed, stemmed] = [false, true].map((form) => toWanted(tokenizer, terms, form));
  return chunkSeqs.map((seq) => {
    const chunk = db.get<{ text: string; stemmed: number }>("SELECT text, stemmed FROM chunks WHERE seq = ?", seq);
    return chunk ? highlight(tokenizer, chunk.text, (chunk.stemmed === 1 ? stemmed : unstemmed)!) : [];
  });
}
