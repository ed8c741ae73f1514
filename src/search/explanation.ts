import type { Engine } from "../engine/engine.js";
import type { KeywordTerm } from "../text-analysis/keyword-term.js";
import type { CallOptions, Scope } from "../types.js";
import type { Found } from "./found.js";
import type { FusionMethod } from "./fusion.js";
import { shownTerm } from "./keyword-query.js";
import type { Question } from "./question.js";
import type { Ordered } from "./rerank.js";
import type { KeywordFound, SemanticFound } from "./sources.js";

/** How a hit came to its place, stage by stage. Ranks count from 1. A stage that the search had not, or that did not see the chunk, is absent. */
export interface HitExplanation {
  readonly keyword?: KeywordEvidence;
  readonly semantic?: SemanticEvidence;
  readonly fusion?: FusionEvidence;
  readonly rerank?: RerankEvidence;
}

/** What keyword search found of a chunk. */
export interface KeywordEvidence {
  readonly rank: number;
  /** What the chunk scores in the mode `keyword`, 0 to 1. */
  readonly score: number;
  readonly bm25: number;
  /** What BM25 of this query comes near and never reaches in this collection. */
  readonly ceiling: number;
  /** Terms of the query that the chunk has, in whatever form of the word, and those that it lacks. Stopwords are no terms. */
  readonly termsFound: readonly string[];
  readonly termsMissing: readonly string[];
}

/** What vector search found of a chunk. */
export interface SemanticEvidence {
  readonly rank: number;
  /** What the chunk scores in the mode `semantic`, 0 to 1. */
  readonly score: number;
  /** Cosine, -1 to 1. */
  readonly similarity: number;
}

/** Where a hybrid search put a chunk. */
export interface FusionEvidence {
  readonly method: FusionMethod;
  readonly semanticWeight: number;
  readonly rank: number;
  readonly score: number;
}

export interface RerankEvidence {
  readonly model: string;
  readonly rank: number;
  /** Null where the chunk was not judged: the time ran out, or the reranker failed and the order was kept. */
  readonly score: number | null;
}

/** The words of a query that a chunk has and lacks. */
export interface Terms {
  readonly termsFound: readonly string[];
  readonly termsMissing: readonly string[];
}

/** Which terms each chunk has, by the keyword index itself. */
export async function termsOf(
  engine: Engine,
  scope: Scope,
  terms: readonly KeywordTerm[],
  chunkSeqs: readonly number[],
  call: CallOptions,
): Promise<ReadonlyMap<number, Terms>> {
  const having = await engine.storage.index.termsFound({ scope, terms, chunkSeqs }, call);
  const shown = (chunkSeq: number, wanted: boolean) =>
    terms.flatMap((term, index) => (having[index]!.has(chunkSeq) === wanted ? [shownTerm(term)] : []));
  return new Map(chunkSeqs.map((seq) => [seq, { termsFound: shown(seq, true), termsMissing: shown(seq, false) }]));
}

export function keywordEvidence({ rank, score, bm25, ceiling }: KeywordFound, terms: Terms): KeywordEvidence {
  return { rank, score, bm25, ceiling, ...terms };
}

export function semanticEvidence({ rank, score, similarity }: SemanticFound): SemanticEvidence {
  return { rank, score, similarity };
}

/** What the retrieving stages found of a chunk. */
export function retrievalOf({ keyword, semantic, fusion, rank, score }: Found, terms: Terms): HitExplanation {
  return {
    ...(keyword && { keyword: keywordEvidence(keyword, terms) }),
    ...(semantic && { semantic: semanticEvidence(semantic) }),
    ...(fusion && { fusion: { ...fusion, rank, score } }),
  };
}

/** Explains ordered candidates, which are all that the reranker was given. */
export async function explainOrder(
  engine: Engine,
  scope: Scope,
  question: Question,
  ordered: readonly Ordered[],
  call: CallOptions,
): Promise<readonly HitExplanation[]> {
  const chunkSeqs = ordered.map(({ passage }) => passage.chunkSeq);
  const terms = await termsOf(engine, scope, question.terms, chunkSeqs, call);
  return ordered.map(({ found, passage, rerankScore }, index) => ({
    ...retrievalOf(found, terms.get(passage.chunkSeq)!),
    ...(question.reranker && {
      rerank: { model: question.reranker.model, rank: index + 1, score: rerankScore ?? null },
    }),
  }));
}
