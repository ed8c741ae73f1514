import type { Engine } from "../engine/engine.js";
import type { Filter } from "../filter.js";
import type { CallOptions, EngineMetadata, Metadata, PageBox, TextRange } from "../types.js";
import type { HitExplanation } from "./explanation.js";
import type { FusionMethod } from "./fusion.js";
import { type Question, toQuestion } from "./question.js";
import { type Ordered, rerank } from "./rerank.js";
import { type Candidate, type Retrieved, retrieve } from "./retrieve.js";
import { shape } from "./shape.js";
import { openSources, type SearchTarget, type Sources } from "./sources.js";

export interface SearchOptions<M = Metadata> extends CallOptions {
  /**
   * How passages are found: by meaning (`semantic`), by words (`keyword`), or by both (`hybrid`), which finds the right passage first more
   * often than either alone. The HTTP interface has a default of its own, `semantic`. @default "hybrid"
   */
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
  /** Hits with a lower score are left out, 0 to 1; see {@link SearchHit.score}. */
  readonly minScore?: number | undefined;
  /**
   * How `hybrid` makes one ranking of two: by the weighted mean of the scores that a chunk has in the other two modes, or by reciprocal
   * rank fusion, which sees their ranks alone. @default "convex"
   */
  readonly fusion?: FusionMethod | undefined;
  /** The weight of meaning beside words in `hybrid`, 0 to 1. @default the embedder's (0.1 for lexical, 0.2 for static, 0.5 for models); for `rrf` 0.5 */
  readonly semanticWeight?: number | undefined;
  /**
   * The longest that reranking may take, in milliseconds, 1 to 600000. What has not been judged by then follows what has, in the order
   * of retrieval and without `rerankScore`, and a warning event says so. @default the engine's option of that name
   */
  readonly rerankTimeoutMs?: number | undefined;
  /** Only chunks with every word of it, quoted parts as phrases. One without a letter or digit asks for nothing. */
  readonly keywordFilter?: string | undefined;
  /** @default false */
  readonly includeRelationships?: boolean | undefined;
  /** @default true */
  readonly includeMetadata?: boolean | undefined;
  /** Where the words of the query stand in each hit's text, in any mode. @default false */
  readonly includeHighlights?: boolean | undefined;
  /** Whether each hit tells its ranks and scores at every stage. @default false */
  readonly explain?: boolean | undefined;
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

/** Words of the query in the text of a hit, and where they stand in the file. */
export interface Highlight extends TextRange {
  /** The page that the words stand on, from 1; absent where the format has no pages. */
  readonly page?: number;
  /**
   * The boxes of the blocks (a paragraph, list item, heading, table) that the sentence around the words stands in: one, or one on each page where
   * the sentence goes on over a page break. In a chunk of more than 64 boxes, those of whole pages. Absent where the format has no such
   * places, and in documents that were ingested before boxes were stored with their text; ingesting them again adds them.
   */
  readonly boxes?: readonly PageBox[];
}

/** A chunk that was found. */
export interface SearchHit<M = Metadata> {
  /** `<documentId>#<sequence number>`. */
  readonly id: string;
  /**
   * How much speaks for it, 0 to 1, whatever else was found:
   * - `keyword`: its share of the most that BM25 could reach for the query, at most 0.5; with all the words, 0.5 and half that share.
   * - `semantic`: how far its cosine similarity lies above that of unrelated texts.
   * - `hybrid`: the weighted mean of the two, 0 for one in which it is not among the best 200. With `fusion: "rrf"` it is a matter
   *   of ranks alone, and 1 is the first of both.
   */
  readonly score: number;
  /** The reranker's score, 0 to 1; the order is then its. Absent where the time for reranking ran out before. */
  readonly rerankScore?: number;
  readonly text: string;
  /** The caller's keys and the engine's; absent where it is not wanted. */
  readonly metadata?: M & EngineMetadata;
  /** Where it stands in the document's text, as `documents.text` gives it; absent without metadata. */
  readonly range?: TextRange;
  /**
   * The first and the last page that its text stands on, from 1; absent without metadata, and where the format has no pages. Of a paragraph
   * that a page break divides, the pages are known to the word.
   */
  readonly pages?: readonly [first: number, last: number];
  /** Where it stands on the pages of the file; absent without metadata, and where the format has no such places. */
  readonly boxes?: readonly PageBox[];
  readonly relationships?: Relationships;
  /** Where its text has the words of the query, as the keyword index finds them: ascending, apart from each other. */
  readonly highlights?: readonly Highlight[];
  /** Present with `explain`. */
  readonly explanation?: HitExplanation;
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
  const question = toQuestion(engine, { ...input, query });
  signal?.throwIfAborted();
  const sources = await openSources(engine, target, question, { signal });
  const { ordered } = await runStages(engine, target, question, sources, { signal });
  const { filterNode } = question;
  if (filterNode) await engine.filterKeys.check(target.scope, filterNode, ordered.length, { signal });
  return shape<M>(engine, target.scope, question, ordered.slice(0, question.limit), { signal });
}

/** What each stage of a search handed to the next. */
export interface Stages extends Retrieved {
  /** Candidates that reach `minScore`. */
  readonly kept: readonly Candidate[];
  /** The same in the order in which they are returned, at least as many as are. */
  readonly ordered: readonly Ordered[];
}

/** Runs a search as far as the order of its hits. */
export async function runStages(
  engine: Engine,
  { scope }: SearchTarget,
  question: Question,
  sources: Sources,
  call: CallOptions,
): Promise<Stages> {
  const retrieved = await retrieve(engine, scope, question, sources, call);
  const { query, reranker, minScore = 0, limit, explain } = question;
  const kept = retrieved.candidates.filter(({ found }) => found.score >= minScore);
  const timeoutMs = question.rerankTimeoutMs ?? engine.options.rerankTimeoutMs;
  // Whoever wants to know why a passage is missing wants to see where it would stand.
  const request = { query, reranker, limit: explain ? kept.length : limit, timeoutMs };
  const ordered = reranker ? await rerank(engine, kept, { ...request, reranker }, call) : kept;
  return { ...retrieved, kept, ordered };
}
