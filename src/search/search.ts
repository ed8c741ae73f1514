import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import type { Filter } from "../filter.js";
import type { EmbedPurpose } from "../interfaces/embedder.js";
import type { SearchScope, StoredPassage } from "../storage/search-index.js";
import type { CallOptions, Metadata, ReadOptions } from "../types.js";
import type { Boost } from "./boosts.js";
import { diversify, type PassedOver } from "./diversify.js";
import type { FusionMethod } from "./fusion.js";
import { type CandidateInContext, readContexts } from "./hit-contexts.js";
import { observeSearch } from "./observe-search.js";
import type { PassageFeatures } from "./passage-features.js";
import type { Candidate } from "./ranked-chunk.js";
import { type OrderedCandidate, rerank } from "./rerank.js";
import { MAX_ATTEMPTS, type RetrievalResult, retrieve } from "./retrieve.js";
import type { SearchHit } from "./search-hit.js";
import { parseSearchRequest, type SearchRequest } from "./search-request.js";
import { openSources, type SearchTarget, type Wording } from "./sources.js";
import { toHits } from "./to-hits.js";

/**
 * Options of a search.
 *
 * @example
 * import type { SearchOptions } from "lorebase";
 *
 * const options: SearchOptions = {
 *   mode: "keyword",
 *   topK: 20,
 *   minScore: 0.25,
 *   filter: { filename: "manual.pdf" },
 *   includeHighlights: true,
 * };
 * const hits = await handbook.search('"lamp oil"', options);
 */
export interface SearchOptions<M = Metadata> extends ReadOptions {
  /**
   * Ranks by similarity of meaning (`semantic`), by matching words (`keyword`), or by both (`hybrid`), which more often
   * ranks the right passage first than either alone. Over HTTP the default is `semantic`.
   * @default "hybrid"
   */
  readonly mode?: "semantic" | "keyword" | "hybrid" | undefined;
  /** Maximum number of hits to retrieve, 1 to 100. @default 10 */
  readonly topK?: number | undefined;
  /**
   * Maximum number of hits of one document, 1 to 100: its best ones before reranking. Hits of other documents take the
   * place of those left out. Documents with the same bytes count as one.
   * @default no maximum
   */
  readonly perDocument?: number | undefined;
  /**
   * Adds to each hit a `context`: the hit and as many passages before and after it, up to 32 each, as have at most this many
   * tokens together, 1 to 100000. A hit that is in the context of a better one is left out, so no text occurs twice.
   * Tokens are estimated without a tokenizer and never too low: English prose has about half as many.
   * @default none
   */
  readonly neighbourTokens?: number | undefined;
  /**
   * Leaves out passages that share more of their words with a better one than this, 0 to 1, as near-duplicates do:
   * `0.9` leaves out copies with a few changes, `0.4` also those in which up to a third of the words is replaced. Other
   * passages take the place of those left out.
   * @default no maximum
   */
  readonly maxSimilarity?: number | undefined;
  /**
   * How much hits are to differ from each other, 0 to 1: at 0 only the score counts, at 1 only the difference. Hits are chosen one
   * after the other among the best 5 × `topK` passages, at most 200: each time the one with the greatest
   * `(1 - diversity) × score - diversity × similarity`, where the similarity is the share of words in common with the most
   * similar of those chosen before, as for `maxSimilarity`. Hits are in this order unless they are reranked, and keep
   * their scores.
   * @default 0
   */
  readonly diversity?: number | undefined;
  /**
   * Up to 7 other wordings of the query, such as translations or the questions that it consists of. All are searched for at
   * once, and a hit has the score of the wording that it fits best. A reranker is given the query alone.
   * @default none
   */
  readonly alternatives?: readonly string[] | undefined;
  /**
   * Up to 8 properties of preferred passages. A passage without one loses the share `weight` of its score, so a score still
   * says how relevant the passage is at least. Of a search, the best 2000 passages compete.
   * @default none
   */
  readonly boosts?: readonly Boost<M>[] | undefined;
  /** Whether to rerank the hits, if a reranker is configured. @default true */
  readonly rerank?: boolean | undefined;
  /** Maximum number of hits to return after reranking, 1 to 100. @default topK */
  readonly rerankLimit?: number | undefined;
  /** `vendor:model` of a configured reranker. @default the first of the option `rerankers` */
  readonly rerankModel?: string | undefined;
  /** Conditions on metadata, applied before ranking. @default none */
  readonly filter?: Filter<M> | undefined;
  /** Leaves out hits with a lower {@link SearchHit.score}, 0 to 1. @default 0 */
  readonly minScore?: number | undefined;
  /**
   * How `hybrid` combines the two rankings: by the weighted mean of their scores (`convex`), or by reciprocal rank
   * fusion (`rrf`), which uses only the ranks.
   * @default "convex"
   */
  readonly fusion?: FusionMethod | undefined;
  /**
   * Weight of the semantic ranking in `hybrid`, 0 to 1; the keyword ranking gets the rest.
   * @default the embedder's (0.1 for lexical, 0.2 for static, 0.5 for models); for `rrf` 0.5
   */
  readonly semanticWeight?: number | undefined;
  /**
   * Whether keyword search looks for similar words in place of a word that no passage of the scope has, such as a misspelled
   * one: words that differ by one letter, and by two if the word has eight letters or more. They count 0.3 times as much,
   * and `keywordFilter` doesn't find them. The explanation of a hit names them.
   * @default true
   */
  readonly typoTolerance?: boolean | undefined;
  /**
   * Time limit for reranking, in milliseconds, 1 to 600000. Hits without a score by then come after the scored hits,
   * in the order of retrieval and without `rerankScore`, and a `warning` event is emitted.
   * @default the option `rerankTimeoutMs` of the knowledge base
   */
  readonly rerankTimeoutMs?: number | undefined;
  /**
   * Keeps only chunks that contain all words and `"quoted phrases"` of this text, in any mode. A text without a letter
   * or digit has no effect.
   */
  readonly keywordFilter?: string | undefined;
  /** Adds the ids of neighbouring chunks to each hit. @default false */
  readonly includeRelationships?: boolean | undefined;
  /** Adds `metadata`, `range`, `pages` and `boxes` to each hit. @default true */
  readonly includeMetadata?: boolean | undefined;
  /** Adds the positions of the query's words in each hit's text, in any mode. @default false */
  readonly includeHighlights?: boolean | undefined;
  /** Adds each hit's ranks and scores at every stage. @default false */
  readonly explain?: boolean | undefined;
}

/**
 * Finds the passages of a scope that answer a query: retrieve, fuse (hybrid), cut by score, diversify, rerank, convert to hits.
 * @throws KnowledgeBaseError `invalid_input`, and the errors of the embedder, store or reranker
 */
export async function search<M>(
  engine: Engine,
  target: SearchTarget,
  query: string,
  options: Omit<SearchOptions<M>, "principals">,
): Promise<readonly SearchHit<M>[]> {
  const { hits } = await searchPassages<M>(engine, target, query, options);
  return hits;
}

/** Like {@link search}, but also returns the stored passage of each hit. */
export async function searchPassages<M>(
  engine: Engine,
  target: SearchTarget,
  query: string,
  options: Omit<SearchOptions<M>, "principals">,
): Promise<{ readonly hits: readonly SearchHit<M>[]; readonly passages: readonly StoredPassage[] }> {
  const { signal, ...input } = options;
  const request = parseSearchRequest(engine, { ...input, query });
  signal?.throwIfAborted();
  return runSearch<M>(engine, target, request, { signal });
}

/** Runs a validated search. */
export async function runSearch<M>(
  engine: Engine,
  target: SearchTarget,
  request: SearchRequest,
  { signal, purpose = "query" }: CallOptions & { readonly purpose?: EmbedPurpose },
): Promise<{ readonly hits: readonly SearchHit<M>[]; readonly passages: readonly StoredPassage[] }> {
  const { scope } = target;
  const run = async () => {
    const wordings = await openSources(engine, target, request, { signal, purpose });
    const { filterNode } = request;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const { ordered } = await runStages(engine, target, request, wordings, { signal });
      if (filterNode) await engine.filterKeys.check(scope, filterNode, ordered.length, { signal });
      const shown = await withContexts(engine, scope, request, ordered.slice(0, request.limit), { signal });
      if (!shown) continue;
      const hits = await toHits<M>(engine, scope, request, shown, { signal });
      return { hits, passages: shown.map(({ passage }) => passage) };
    }
    const message = `The documents changed during each of ${MAX_ATTEMPTS} searches. Try again when less is being ingested.`;
    throw new KnowledgeBaseError("conflict", message, { retryable: true });
  };
  return engine.searches.run(() => observeSearch(engine.events, { scope, request, signal }, run));
}

/** Adds contexts to candidates if the search wants them; `null` if a document has changed since they were found. */
async function withContexts(
  engine: Engine,
  scope: SearchScope,
  { neighbourTokens: maxTokens }: SearchRequest,
  ordered: readonly OrderedCandidate[],
  call: CallOptions,
): Promise<readonly CandidateInContext[] | null> {
  return maxTokens === undefined ? ordered : readContexts(engine, scope, { ordered, maxTokens }, call);
}

/** The results of each stage of a search. */
export interface Stages extends RetrievalResult {
  /** Candidates with at least `minScore`. */
  readonly kept: readonly Candidate[];
  /** The kept candidates that `diversity` passes over. */
  readonly passedOver: readonly PassedOver[];
  /** The kept candidates without these in their final order, at least as many as are returned. */
  readonly ordered: readonly OrderedCandidate[];
}

/** Runs the stages of a search, up to the final order of the candidates. */
export async function runStages(
  engine: Engine,
  { scope }: SearchTarget,
  request: SearchRequest,
  wordings: readonly Wording[],
  call: CallOptions,
): Promise<Stages> {
  const features: PassageFeatures = new Map();
  const retrieved = await retrieve(engine, scope, request, wordings, features, call);
  const { query, reranker, minScore = 0, limit, explain } = request;
  const kept = retrieved.candidates.filter(({ ranked }) => ranked.score >= minScore);
  const timeoutMs = request.rerankTimeoutMs ?? engine.options.rerankTimeoutMs;
  const { chosen, passedOver } = diversify(kept, request, features);
  // `explain` also needs the rank of candidates that are not returned.
  const rerankRequest = { query, limit: explain ? chosen.length : limit, timeoutMs };
  const ordered = reranker ? await rerank(engine, chosen, { ...rerankRequest, reranker }, call) : chosen;
  return { ...retrieved, kept, passedOver, ordered };
}
