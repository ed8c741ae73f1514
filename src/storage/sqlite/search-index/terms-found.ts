import type { KeywordTerm } from "../../../text-analysis/keyword-term.js";
import type { Scope } from "../../../types.js";
import type { Statements } from "../statements.js";
import { chunksContaining } from "./keyword-search.js";

export interface TermsFound {
  readonly scope: Scope;
  readonly terms: readonly KeywordTerm[];
  readonly chunkSeqs: readonly number[];
}

/** Which of the chunks have each term, as the keyword index sees it: one set for each term. */
export function termsFound(db: Statements, { scope, terms, chunkSeqs }: TermsFound): readonly ReadonlySet<number>[] {
  return terms.map((term) => chunksContaining(db, { scope, terms: [term], chunkSeqs }));
}
