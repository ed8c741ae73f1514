import type { TermsFound } from "../../search-index.js";
import type { Statements } from "../statements.js";
import { chunksContaining } from "./keyword-search.js";

/** Which of the chunks have each term, as the keyword index sees it: one set for each term. */
export function termsFound(db: Statements, { scope, terms, chunkSeqs }: TermsFound): readonly ReadonlySet<number>[] {
  return terms.map((term) => chunksContaining(db, { scope, terms: [term], chunkSeqs }));
}
