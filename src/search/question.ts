import type { z } from "zod";
import type { Engine } from "../engine/engine.js";
import { type FilterNode, parseFilter } from "../filter.js";
import type { Reranker } from "../interfaces/reranker.js";
import type { KeywordTerm } from "../text-analysis/keyword-term.js";
import { parseInput, searchSchema } from "../validation/schemas.js";
import { findReranker } from "./find-reranker.js";
import { keywordTerms, requiredTerms } from "./keyword-query.js";

/** A search as its stages need it: checked, with every default that depends on nothing else. */
export interface Question extends z.output<typeof searchSchema> {
  readonly filterNode: FilterNode | null;
  /** What a chunk must contain; null for nothing. */
  readonly required: readonly KeywordTerm[] | null;
  /** What it is about. Worked out when it is first asked for: a search by meaning alone has no need of it. */
  readonly terms: readonly KeywordTerm[];
  readonly reranker: Reranker | null;
  /** Hits returned, at most `topK`. */
  readonly limit: number;
}

/** @throws KnowledgeBaseError `invalid_input` that names each field, its value and the rule it breaks */
export function toQuestion(
  engine: Engine,
  input: { readonly query: string; readonly [option: string]: unknown },
): Question {
  const parsed = parseInput(searchSchema, input);
  // A name that means nothing is a mistake, also where nothing is to be reranked.
  const reranker = findReranker(engine.drivers, parsed.rerankModel);
  let terms: readonly KeywordTerm[] | null = null;
  return {
    ...parsed,
    filterNode: parsed.filter === undefined ? null : parseFilter(parsed.filter),
    required: parsed.keywordFilter === undefined ? null : requiredTerms(parsed.keywordFilter),
    get terms() {
      terms ??= keywordTerms(parsed.query);
      return terms;
    },
    reranker: parsed.rerank ? reranker : null,
    limit: Math.min(parsed.rerankLimit ?? parsed.topK, parsed.topK),
  };
}
