import type { Engine } from "../engine/engine.js";
import type { Filter } from "../filter.js";
import type { CallOptions, Metadata } from "../types.js";
import type { Candidate } from "./found.js";
import type { FusionMethod } from "./fusion.js";
import { type Question, toQuestion } from "./question.js";
import { type Ordered, rerank } from "./rerank.js";
import { type Retrieved, retrieve } from "./retrieve.js";
import type { SearchHit } from "./search-hit.js";
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
