import type { z } from "zod";
import { checkVector } from "../check-vector.js";
import { shownBoxes } from "../database/boxes-json.js";
import type { KeywordTerm } from "../database/keywords/keyword-term.js";
import type { KeywordMatch } from "../database/procedures/keyword-search.js";
import type { StoredPassage } from "../database/procedures/passages.js";
import type { Engine } from "../engine.js";
import { KnowledgeBaseError, messageOf } from "../errors.js";
import { type Filter, type FilterNode, parseFilter } from "../filter.js";
import { shownChunkId } from "../ids.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { Reranker } from "../interfaces/reranker.js";
import type { VectorStore } from "../interfaces/vector-store.js";
import { nearest } from "../nearest.js";
import { shownMetadata } from "../passage-metadata.js";
import { parseInput, searchSchema } from "../schemas.js";
import type { CallOptions, EmbeddingConfig, Metadata, PageBox, Scope, TextRange, VectorStoreConfig } from "../types.js";
import { fuse, type ScoredId } from "./fusion.js";
import { keywordTerms, requiredTerms } from "./keyword-query.js";
import { keywordScore, semanticScore } from "./scores.js";

export interface SearchOptions<M = Metadata> extends CallOptions {
  /** @default "semantic" */
  readonly mode?: "semantic" | "keyword" | "hybrid" | undefined;
  /** Hits retrieved, 1 to 100. @default 10 */
  readonly topK?: number | undefined;
  /** Whether the named or the default reranker orders the hits; without one they keep their order. @default true */
  readonly rerank?: boolean | undefined;
  /** Hits returned, 1 to 100. @default topK */
  readonly rerankLimit?: number | undefined;
  /** `vendor:model` of a configured reranker. @default the engine's default one */
  readonly rerankModel?: string | undefined;
  readonly filter?: Filter<M> | undefined;
  /** Hits with a lower score are left out, 0 to 1. */
  readonly minScore?: number | undefined;
  /** Only chunks with every word of it, quoted parts as phrases. */
  readonly keywordFilter?: string | undefined;
  /** @default false */
  readonly includeRelationships?: boolean | undefined;
  /** @default true */
  readonly includeMetadata?: boolean | undefined;
  /** Where the words of the query stand in each hit's text, in any mode. @default false */
  readonly includeHighlights?: boolean | undefined;
}

/** Ids of what stands around a hit. */
export interface Relationships {
  readonly previous?: string;
  readonly next?: string;
  readonly document: string;
  readonly headingPath: readonly string[];
  /** The document's nearest other chunks under the same headings, at most 20. */
  readonly siblings: readonly string[];
}

/** A chunk that was found. */
export interface SearchHit<M = Metadata> {
  /** `<documentId>#<sequence number>`. */
  readonly id: string;
  /** The retrieval score, 0 to 1, higher is better. */
  readonly score: number;
  /** The reranker's score, 0 to 1; the order is then its. */
  readonly rerankScore?: number;
  readonly text: string;
  readonly metadata?: M & Metadata;
  /** Where it stands in the document's text, as `documents.text` gives it; absent without metadata. */
  readonly range?: TextRange;
  /** Where it stands on the pages of the file; absent without metadata, and where the format has no such places. */
  readonly boxes?: readonly PageBox[];
  readonly relationships?: Relationships;
  /** Where its text has the words of the query, as the keyword index finds them: ascending, apart from each other. */
  readonly highlights?: readonly TextRange[];
}

/** What a search is over: one scope and the drivers of its namespace. */
export interface SearchTarget {
  readonly scope: Scope;
  readonly embeddingConfig: EmbeddingConfig;
  readonly vectorStoreConfig: VectorStoreConfig;
}

/** Candidates that each ranking of a hybrid search brings, however few hits are wanted. */
const HYBRID_DEPTH = 100;
/** The weight of meaning beside words: the lexical embedder hashes words, so it adds little to counting them. */
const SEMANTIC_WEIGHT = { lexical: 0.2, model: 0.5 };
/** A store that also returns what is no longer live is asked for this many times more. */
const WIDENING = 4;
/** How often a search is made again because what it found was published anew meanwhile. */
const MAX_ATTEMPTS = 10;

type Question = z.output<typeof searchSchema> & {
  readonly filterNode: FilterNode | null;
  readonly required: readonly KeywordTerm[] | null;
};

interface Candidate {
  readonly passage: StoredPassage;
  readonly score: number;
  readonly rerankScore?: number;
}

/**
 * Finds the passages of a scope that answer a query: retrieve, fuse (hybrid), cut by score, rerank, shape.
 * @throws KnowledgeBaseError `invalid_input`, and what the embedder, store or reranker fails with
 */
export async function search<M>(
  engine: Engine,
  target: SearchTarget,
  query: string,
  options: SearchOptions<M>,
): Promise<readonly SearchHit<M>[]> {
  const { signal, ...input } = options;
  const parsed = parseInput(searchSchema, { ...input, query });
  const question: Question = {
    ...parsed,
    filterNode: parsed.filter === undefined ? null : parseFilter(parsed.filter),
    required: parsed.keywordFilter === undefined ? null : requiredTerms(parsed.keywordFilter),
  };
  const reranker = question.rerank ? findReranker(engine, question.rerankModel) : null;
  signal?.throwIfAborted();
  const retrieved = await retrieve(engine, target, question, { signal });
  const kept = retrieved.filter(({ score }) => score >= (question.minScore ?? 0)).slice(0, question.topK);
  const limit = Math.min(question.rerankLimit ?? question.topK, question.topK);
  const ordered = reranker ? await rerank(engine, reranker, query, kept, limit, { signal }) : kept.slice(0, limit);
  return shape<M>(engine, target.scope, ordered, question);
}

/**
 * Retrieves and reads the passages in one state of the scope. Finding and reading are apart (the vector store may be anywhere), so a
 * document may be published anew in between: then what was found is gone, and the search is made again.
 */
async function retrieve(
  engine: Engine,
  target: SearchTarget,
  question: Question,
  call: CallOptions,
): Promise<readonly Candidate[]> {
  const live = (ids: readonly string[]) => engine.database.ask("livePassages", { scope: target.scope, ids }, call);
  for (let attempt = 1; ; attempt++) {
    const { epoch } = await live([]);
    const found = await find(engine, target, question, call);
    const now = await live(found.ranking.map(({ id }) => id));
    const changed = now.epoch !== epoch && (found.lost > 0 || now.lost > 0);
    if (changed && attempt < MAX_ATTEMPTS) continue;
    const scores = new Map(found.ranking.map(({ id, score }) => [id, score]));
    return now.passages.map((passage) => ({ passage, score: scores.get(passage.id)! }));
  }
}

/** Chunks that were found, best first, and how many more were found that are not live. */
interface Found {
  readonly ranking: readonly ScoredId[];
  readonly lost: number;
}

async function find(engine: Engine, target: SearchTarget, question: Question, call: CallOptions): Promise<Found> {
  const { mode, topK } = question;
  if (mode === "keyword") {
    const matches = await matchKeywords(engine, target.scope, question, topK, call);
    return { ranking: matches.map(({ id, bm25, tier }) => ({ id, score: keywordScore(bm25, tier === 0) })), lost: 0 };
  }
  const embedder = await engine.drivers.embedder(target.embeddingConfig);
  const store = await engine.drivers.vectorStore(target.vectorStoreConfig);
  const vectors = { scope: target.scope, embedder, store };
  if (mode === "semantic") return bySimilarity(engine, vectors, question, topK, call);
  const depth = Math.max(HYBRID_DEPTH, topK);
  const [keyword, semantic] = await Promise.all([
    matchKeywords(engine, target.scope, question, depth, call),
    bySimilarity(engine, vectors, question, depth, call),
  ]);
  const weight = embedder.provider === "MANAGED_LEXICAL" ? SEMANTIC_WEIGHT.lexical : SEMANTIC_WEIGHT.model;
  const strengths = keyword.map(({ id, bm25 }) => ({ id, score: bm25 }));
  return { ranking: fuse(strengths, semantic.ranking, weight).slice(0, topK), lost: semantic.lost };
}

async function matchKeywords(
  engine: Engine,
  scope: Scope,
  question: Question,
  limit: number,
  call: CallOptions,
): Promise<readonly KeywordMatch[]> {
  const terms = keywordTerms(question.query);
  if (terms.length === 0) return [];
  const { filterNode: filter, required } = question;
  return engine.database.ask("keywordSearch", { scope, terms, limit, filter, required }, call);
}

/** Asks the store for more until enough of what it finds is live and has the required words. */
async function bySimilarity(
  engine: Engine,
  { scope, embedder, store }: { scope: Scope; embedder: Embedder; store: VectorStore },
  { query, filterNode: filter, required }: Question,
  limit: number,
  call: CallOptions,
): Promise<Found> {
  const [vector] = await embedder.embed([query], { ...call, purpose: "query" });
  if (!vector) throw new KnowledgeBaseError("provider_failed", `The embedder ${embedder.provider} returned no vector.`);
  checkVector(embedder, vector);
  for (let depth = limit; ; depth *= WIDENING) {
    const matches = await store.query(scope, { vector, topK: depth, filter }, call);
    const ids = matches.map(({ id }) => id);
    const live = await engine.database.ask("liveChunks", { scope, ids, required }, call);
    if (live.ids.length >= limit || matches.length < depth) {
      const scores = new Map(matches.map(({ id, similarity }) => [id, semanticScore(similarity)]));
      return { ranking: live.ids.slice(0, limit).map((id) => ({ id, score: scores.get(id)! })), lost: live.lost };
    }
  }
}

/** The interface's neutral vendor names. */
const VENDOR_ALIASES: readonly (readonly [string, string])[] = [
  ["vendor_a:", "cohere:"],
  ["vendor_b:", "zeroentropy:"],
];

function findReranker(engine: Engine, model: string | undefined): Reranker | null {
  const { rerankers } = engine.drivers;
  if (model === undefined) return rerankers[0] ?? null;
  const alias = VENDOR_ALIASES.find(([prefix]) => model.startsWith(prefix));
  const name = alias ? alias[1] + model.slice(alias[0].length) : model;
  const found = rerankers.find((reranker) => reranker.model === name);
  if (found) return found;
  const configured = rerankers.map((reranker) => reranker.model);
  const near = nearest(name, configured);
  const message = `names ${JSON.stringify(model)}, which is not configured${near ? `; did you mean ${near}?` : `; configured: ${configured.join(", ") || "none"}`}`;
  throw new KnowledgeBaseError("invalid_input", `rerankModel ${message}`, {
    issues: [{ field: "rerankModel", message, reference: true }],
  });
}

async function rerank(
  engine: Engine,
  reranker: Reranker,
  query: string,
  candidates: readonly Candidate[],
  limit: number,
  call: CallOptions,
): Promise<readonly Candidate[]> {
  if (candidates.length === 0) return candidates;
  try {
    const passages = candidates.map(({ passage }) => passage.text);
    const ranked = await reranker.rerank(query, passages, { ...call, limit });
    checkRanking(reranker, ranked, candidates.length);
    return ranked
      .map(({ index, score }) => ({ ...candidates[index]!, rerankScore: score }))
      .sort((a, b) => b.rerankScore - a.rerankScore)
      .slice(0, limit);
  } catch (error) {
    if (call.signal?.aborted || engine.options.rerankFailure === "fail") throw error;
    engine.events.emit({
      type: "warning",
      message: `The reranker ${reranker.model} failed, so hits keep their order: ${messageOf(error)}`,
    });
    return candidates.slice(0, limit);
  }
}

/** @throws KnowledgeBaseError `provider_failed` for a passage that was not given or comes twice, and for a score beyond 0 and 1 */
function checkRanking(reranker: Reranker, ranked: Awaited<ReturnType<Reranker["rerank"]>>, given: number): void {
  const seen = new Set<number>();
  for (const { index, score } of ranked) {
    const known = Number.isInteger(index) && index >= 0 && index < given;
    if (known && !seen.has(index) && score >= 0 && score <= 1) seen.add(index);
    else {
      const what = known
        ? seen.has(index)
          ? `passage ${index} twice`
          : `a score of ${score}`
        : `passage ${index} of ${given}`;
      throw new KnowledgeBaseError("provider_failed", `The reranker ${reranker.model} gave ${what}.`);
    }
  }
}

async function shape<M>(
  engine: Engine,
  scope: Scope,
  candidates: readonly Candidate[],
  question: Question,
): Promise<readonly SearchHit<M>[]> {
  const relationships = question.includeRelationships ? await relationshipsOf(engine, candidates) : null;
  const highlights = question.includeHighlights ? await highlightsOf(engine, candidates, question.query) : null;
  return candidates.map(({ passage, score, rerankScore }, index) => ({
    id: shownChunkId(passage.documentId, passage.ordinal),
    score,
    ...(rerankScore === undefined ? {} : { rerankScore }),
    text: passage.text,
    ...(question.includeMetadata ? originOf<M>(scope, passage) : {}),
    ...(relationships ? { relationships: relationships[index]! } : {}),
    ...(highlights ? { highlights: highlights[index]! } : {}),
  }));
}

/** Where a passage comes from. */
function originOf<M>(scope: Scope, passage: StoredPassage): Pick<SearchHit<M>, "metadata" | "range" | "boxes"> {
  const { start, end, boxes } = passage;
  return { metadata: shownMetadata<M>(scope, passage), range: { start, end }, ...shownBoxes(boxes) };
}

function highlightsOf(
  engine: Engine,
  candidates: readonly Candidate[],
  query: string,
): Promise<readonly (readonly TextRange[])[]> {
  const chunkSeqs = candidates.map(({ passage }) => passage.chunkSeq);
  return engine.database.ask("highlights", { chunkSeqs, terms: keywordTerms(query) });
}

async function relationshipsOf(engine: Engine, candidates: readonly Candidate[]): Promise<readonly Relationships[]> {
  const chunkSeqs = candidates.map(({ passage }) => passage.chunkSeq);
  const around = await engine.database.ask("neighbours", { chunkSeqs });
  return candidates.map(({ passage }, index) => {
    const { previous, next, siblings } = around[index]!;
    const id = (ordinal: number) => shownChunkId(passage.documentId, ordinal);
    return {
      ...(previous === null ? {} : { previous: id(previous) }),
      ...(next === null ? {} : { next: id(next) }),
      document: passage.documentId,
      headingPath: passage.headings,
      siblings: siblings.map(id),
    };
  });
}
