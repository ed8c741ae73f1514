import type { TermsFound } from "../../search-index.js";
import type { Statements } from "../statements.js";
import { chunksContaining } from "./keyword-search.js";

/** For each term, the given chunks that contain it, according to the keyword index. */
export function termsFound(db: Statements, { scope, terms, chunkSeqs }: TermsFound): readonly ReadonlySet<number>[] {
  return terms.map((term) => chunksContaining(db, { scope, terms: [term], chunkSeqs }));
}
