import type { Engine } from "../engine/engine.js";
import type { KeywordTerm } from "../text-analysis/keyword-term.js";
import type { CallOptions, Scope } from "../types.js";
import type { FusionMethod } from "./fusion.js";
import { formatTerm } from "./keyword-query.js";
import type { RankedChunk } from "./ranked-chunk.js";
import type { OrderedCandidate } from "./rerank.js";
import { type SearchRequest, wordingsOf } from "./search-request.js";
import type { KeywordMatch, SemanticMatch } from "./sources.js";

/** Ranks (from 1) and scores of a hit by stage. Stages that did not run, or did not rank the chunk, are absent. */
export interface HitExplanation {
  /** The wording that the hit fits best, whose ranks and scores these are. Only with `alternatives`. */
  readonly query?: string;
  readonly keyword?: KeywordEvidence;
  readonly semantic?: SemanticEvidence;
  readonly fusion?: FusionEvidence;
  readonly boost?: BoostEvidence;
  readonly diversity?: DiversityEvidence;
  readonly rerank?: RerankEvidence;
}

/** The result of keyword search for a chunk. */
export interface KeywordEvidence {
  readonly rank: number;
  /**
   * The chunk's score in the mode `keyword`, 0 to 1. In hybrid search without what the positions of words add, if the chunk
   * isn't among the best 32 by its words.
   */
  readonly score: number;
  /** BM25, adjusted by the forms of the query's words in the chunk and by where they stand. */
  readonly bm25: number;
  /** Upper bound of `bm25` for this query in this collection. */
  readonly ceiling: number;
  /** Terms of the query that the chunk contains, in any inflection. Stop words are not terms. */
  readonly termsFound: readonly string[];
  /** Terms of the query that the chunk lacks. */
  readonly termsMissing: readonly string[];
  /** The words that were found in place of terms that no chunk of the scope has. Absent if there are none. */
  readonly similarWords?: readonly ReplacedTerm[];
}

/** A term of a query that no chunk of the scope has, and the similar words that a chunk has in its place. */
export interface ReplacedTerm {
  readonly term: string;
  readonly words: readonly string[];
}

/** The result of vector search for a chunk. */
export interface SemanticEvidence {
  readonly rank: number;
  /** The chunk's score in the mode `semantic`, 0 to 1. */
  readonly score: number;
  /** Cosine similarity, -1 to 1. */
  readonly similarity: number;
}

/** The fused rank of a chunk in a hybrid search, among the hits of all wordings. */
export interface FusionEvidence {
  readonly method: FusionMethod;
  readonly semanticWeight: number;
  readonly rank: number;
  readonly score: number;
}

/** The effect of a search's boosts on a chunk. */
export interface BoostEvidence {
  /** What the chunk's score was multiplied by, 0 to 1. */
  readonly factor: number;
  readonly rank: number;
  readonly score: number;
}

/** The place of a chunk among those that a search with `diversity` chose. */
export interface DiversityEvidence {
  /** The rank in which the chunk was chosen. */
  readonly rank: number;
  /** The highest share of words in common with a passage that was chosen before, 0 to 1. */
  readonly similarity: number;
}

export interface RerankEvidence {
  readonly model: string;
  readonly rank: number;
  /** `null` if the chunk was not scored: reranking timed out, or failed and the order was kept. */
  readonly score: number | null;
}

/** The terms of a query that a chunk contains and lacks. */
export interface Terms {
  readonly termsFound: readonly string[];
  readonly termsMissing: readonly string[];
}

/** Looks up in the keyword index which terms each chunk contains and lacks. */
export async function termsOf(
  engine: Engine,
  scope: Scope,
  terms: readonly KeywordTerm[],
  chunkSeqs: readonly number[],
  call: CallOptions,
): Promise<ReadonlyMap<number, Terms>> {
  const chunksByTerm = await engine.storage.index.chunksByTerm({ scope, terms, chunkSeqs }, call);
  const pick = (chunkSeq: number, isFound: boolean) =>
    terms.flatMap((term, index) => (chunksByTerm[index]!.has(chunkSeq) === isFound ? [formatTerm(term)] : []));
  return new Map(chunkSeqs.map((seq) => [seq, { termsFound: pick(seq, true), termsMissing: pick(seq, false) }]));
}

/** Returns the words that a chunk has in place of terms, as they are written in its text. */
async function replacedTerms(
  engine: Engine,
  scope: Scope,
  { id, similarWords }: KeywordMatch,
  call: CallOptions,
): Promise<readonly ReplacedTerm[]> {
  if (similarWords.length === 0) return [];
  const { passages } = await engine.storage.index.livePassages({ scope, ids: [id] }, call);
  const replaced: ReplacedTerm[] = [];
  for (const { text, chunkSeq } of passages)
    for (const { term, words } of similarWords) {
      const terms = words.map((word) => ({ text: word, prefix: false }));
      const [ranges = []] = await engine.storage.index.highlights({ chunkSeqs: [chunkSeq], terms }, call);
      const found = new Set(ranges.map(({ start, end }) => text.slice(start, end)));
      if (found.size > 0) replaced.push({ term: formatTerm(term), words: [...found] });
    }
  return replaced;
}

/** Returns the result of keyword search for a chunk with the given terms. */
export async function keywordEvidence(
  engine: Engine,
  scope: Scope,
  match: KeywordMatch,
  terms: Terms,
  call: CallOptions,
): Promise<KeywordEvidence> {
  const { rank, score, bm25, ceiling } = match;
  const similarWords = await replacedTerms(engine, scope, match, call);
  return { rank, score, bm25, ceiling, ...terms, ...(similarWords.length > 0 && { similarWords }) };
}

export function semanticEvidence({ rank, score, similarity }: SemanticMatch): SemanticEvidence {
  return { rank, score, similarity };
}

/** Returns a chunk's ranks and scores in the retrieval stages. */
export async function explainRetrieval(
  engine: Engine,
  scope: Scope,
  { query, keyword, semantic, fusion, boost, diversity, rank, score }: RankedChunk,
  terms: Terms,
  call: CallOptions,
): Promise<HitExplanation> {
  return {
    ...(query !== undefined && { query }),
    ...(keyword && { keyword: await keywordEvidence(engine, scope, keyword, terms, call) }),
    ...(semantic && { semantic: semanticEvidence(semantic) }),
    ...(fusion && { fusion: { ...fusion, rank: boost?.rank ?? rank, score: boost?.score ?? score } }),
    ...(boost && { boost: { factor: boost.factor, rank, score } }),
    ...(diversity && { diversity }),
  };
}

/** Explains the ordered candidates, which must include all candidates that the reranker was given. */
export async function explainCandidates(
  engine: Engine,
  scope: Scope,
  request: SearchRequest,
  ordered: readonly OrderedCandidate[],
  call: CallOptions,
): Promise<readonly HitExplanation[]> {
  const terms = new Map<number, Terms>();
  for (const wording of wordingsOf(request)) {
    const ranked = ordered.filter(({ ranked: { query = request.query } }) => query === wording.query);
    const chunkSeqs = ranked.map(({ passage }) => passage.chunkSeq);
    for (const [seq, own] of await termsOf(engine, scope, wording.terms, chunkSeqs, call)) terms.set(seq, own);
  }
  return Promise.all(
    ordered.map(async ({ ranked, passage, rerankScore }, index) => ({
      ...(await explainRetrieval(engine, scope, ranked, terms.get(passage.chunkSeq)!, call)),
      ...(request.reranker && {
        rerank: { model: request.reranker.model, rank: index + 1, score: rerankScore ?? null },
      }),
    })),
  );
}
