import type { Engine } from "../engine/engine.js";
import { embedderOf, vectorLocationOf } from "../engine/namespace-drivers.js";
import { KnowledgeBaseError } from "../errors.js";
import type { Embedder, EmbedPurpose } from "../interfaces/embedder.js";
import type { VectorMatch, VectorStore } from "../interfaces/vector-store.js";
import { checkVector } from "../providers/check-vector.js";
import type { SearchScope, SimilarWords, StoredPassage } from "../storage/search-index.js";
import { traced } from "../telemetry/traced.js";
import type { CallOptions, EmbeddingConfig, VectorStoreConfig } from "../types.js";
import { packBatches } from "../util/pack-batches.js";
import type { RankedId } from "./fusion.js";
import { keywordScore, semanticScore } from "./scores.js";
import { type SearchRequest, wordingsOf } from "./search-request.js";

/** The scope to search and the drivers of its namespace. */
export interface SearchTarget {
  readonly scope: SearchScope;
  readonly embeddingConfig: EmbeddingConfig;
  /** The set of vectors to search, which the model of `embeddingConfig` has embedded. */
  readonly vectorSet: number;
  readonly vectorStoreConfig: VectorStoreConfig;
}

/** A result of keyword search. */
export interface KeywordMatch extends RankedId {
  readonly bm25: number;
  readonly ceiling: number;
  readonly hasAllWords: boolean;
  /** What was looked for in place of terms that no chunk of the scope has. */
  readonly similarWords: readonly SimilarWords[];
}

/** A result of semantic search. */
export interface SemanticMatch extends RankedId {
  readonly similarity: number;
}

/** The ranking of one source, best first. */
export interface SourceRanking<Match extends RankedId> {
  readonly matches: readonly Match[];
  /** Number of matches that are no longer live. */
  readonly staleCount: number;
  /** The scope's epoch at the time of the search; `null` if the store returns live chunks only. */
  readonly epoch: number | null;
  /** The passages, read in the same transaction; `null` if they have not been read. */
  readonly passages: readonly StoredPassage[] | null;
}

/** A wording of the query, and where to search for it. */
export interface Wording {
  readonly query: string;
  readonly sources: Sources;
}

/** The sources of a search mode. Each returns its best `limit` chunks. */
export interface Sources {
  /**
   * @param withPassages Whether to read the passages as well
   * @param orderedByText How many matches are ordered by their texts, all if absent; in hybrid search always the same number
   */
  readonly keyword:
    | ((limit: number, withPassages: boolean, orderedByText?: number) => Promise<SourceRanking<KeywordMatch>>)
    | null;
  readonly semantic: ((limit: number, withPassages: boolean) => Promise<SourceRanking<SemanticMatch>>) | null;
  /** The embedder's weight of the semantic ranking in hybrid search, 0 to 1. */
  readonly semanticWeight: number;
}

/** For embedders that don't specify a weight. */
const DEFAULT_SEMANTIC_WEIGHT = 0.5;
/** In hybrid search, the texts of few of the best 200 by words are read. Reading all would take longer and find no more. */
const ORDERED_IN_HYBRID = 10;
/** Multiplies the depth while a store returns too few live chunks. */
const DEPTH_FACTOR = 4;

/**
 * Opens the sources that the search mode needs, for each wording of the query. `keyword` needs no embedder; in the other
 * modes, all wordings are embedded once, on first use.
 *
 * @param purpose What the wordings are embedded as. @default "query"
 */
export async function openSources(
  engine: Engine,
  target: SearchTarget,
  request: SearchRequest,
  { purpose = "query", ...call }: CallOptions & { readonly purpose?: EmbedPurpose },
): Promise<readonly Wording[]> {
  const wordings = wordingsOf(request);
  const keywordOf = (wording: SearchRequest) => (limit: number, withPassages: boolean, orderedByText?: number) =>
    traced("lorebase.search.keyword", {}, () =>
      searchKeywords(engine, target.scope, wording, { limit, withPassages, orderedByText }, call),
    );
  if (request.mode === "keyword")
    return wordings.map((wording) => {
      return { query: wording.query, sources: { keyword: keywordOf(wording), semantic: null, semanticWeight: 0 } };
    });
  const embedder = await embedderOf(engine, target.scope, target);
  const vectors = await vectorLocationOf(engine, target.scope, target);
  if (vectors.kind === "store" && request.filterNode) vectors.store.checkFilter?.(request.filterNode);
  const { vectorSet } = target;
  const { semanticWeight = DEFAULT_SEMANTIC_WEIGHT } = embedder;
  let embeddings: Promise<readonly Float32Array[]> | null = null;

  const semanticOf = (index: number) => async (limit: number, withPassages: boolean) => {
    embeddings ??= embedQueries(
      embedder,
      wordings.map(({ query }) => query),
      { ...call, purpose },
    );
    const embedding = embeddings.then((vectors) => vectors[index]!);
    const search = { scope: target.scope, request, limit, embedding };
    const { matches: vectorMatches, ...ranking } =
      vectors.kind === "index"
        ? await searchIndex(engine, search, { approximate: vectors.approximate, withPassages, vectorSet }, call)
        : await searchStore(engine, search, { store: vectors.store, vectorSet }, call);
    const matches = vectorMatches.map(({ id, similarity }, index) => {
      const score = semanticScore(similarity, embedder.unrelatedSimilarity ?? 0);
      return { id, rank: index + 1, score, similarity };
    });
    return { matches, ...ranking };
  };

  return wordings.map((wording, index) => {
    const keyword = request.mode === "semantic" ? null : keywordOf(wording);
    return { query: wording.query, sources: { keyword, semantic: semanticOf(index), semanticWeight } };
  });
}

interface SemanticSearch {
  readonly scope: SearchScope;
  readonly request: SearchRequest;
  readonly limit: number;
  readonly embedding: Promise<Float32Array>;
}

interface SemanticRanking extends Omit<SourceRanking<never>, "matches"> {
  readonly matches: readonly VectorMatch[];
}

/** Searches the index, which returns only live chunks that contain the required words. */
async function searchIndex(
  engine: Engine,
  { scope, request, limit, embedding }: SemanticSearch,
  options: { readonly approximate: boolean; readonly withPassages: boolean; readonly vectorSet: number },
  call: CallOptions,
): Promise<SemanticRanking> {
  const { filterNode: filter, required } = request;
  const search = { scope, vector: await embedding, limit, filter, required, ...options };
  const found = await traced("lorebase.search.vector", {}, () => engine.storage.index.vectorSearch(search, call));
  return { ...found, staleCount: 0, epoch: null };
}

/** Queries a store with growing depth until enough matches are live and contain the required words. */
async function searchStore(
  engine: Engine,
  { scope, request, limit, embedding }: SemanticSearch,
  { store, vectorSet }: { readonly store: VectorStore; readonly vectorSet: number },
  call: CallOptions,
): Promise<SemanticRanking> {
  const { filterNode: filter, required } = request;
  const [vector, epoch] = await Promise.all([embedding, readEpoch(engine, scope, call)]);
  const { maxTopK = Number.POSITIVE_INFINITY } = store;
  for (let depth = Math.min(limit, maxTopK); ; depth = Math.min(depth * DEPTH_FACTOR, maxTopK)) {
    const found = await traced("lorebase.search.vector", {}, () =>
      store.query(scope, { vector, topK: depth, filter }, call),
    );
    const { ids, missing: staleCount } = await engine.storage.index.liveChunks(
      { scope, ids: found.map(({ id }) => id), required, vectorSet },
      call,
    );
    if (ids.length < limit && found.length >= depth) {
      if (depth < maxTopK) continue;
      warnOfTooFewHits(engine, store, ids.length, Math.min(limit, request.topK));
    }
    const similarities = new Map(found.map(({ id, similarity }) => [id, similarity]));
    const matches = ids.slice(0, limit).map((id) => ({ id, similarity: similarities.get(id)! }));
    return { matches, staleCount, epoch, passages: null };
  }
}

/** Warns if fewer matches were found than requested. */
function warnOfTooFewHits({ events }: Engine, { provider }: VectorStore, found: number, requested: number): void {
  if (found >= requested) return;
  const message =
    `A search found ${found} of ${requested} passages: ${provider} returns no more matches, ` +
    "and the other matches are no longer published or lack words of the keyword filter.";
  events.emit({ type: "warning", message });
}

async function searchKeywords(
  engine: Engine,
  scope: SearchScope,
  { terms, filterNode: filter, required, typoTolerance, mode }: SearchRequest,
  options: { readonly limit: number; readonly withPassages: boolean; readonly orderedByText: number | undefined },
  call: CallOptions,
): Promise<SourceRanking<KeywordMatch>> {
  const orderedByText = mode === "hybrid" ? ORDERED_IN_HYBRID : options.orderedByText;
  const search = { scope, terms, filter, required, typoTolerance, ...options, orderedByText };
  const found = await engine.storage.index.keywordSearch(search, call);
  const { matches: keywordMatches, ceiling, similarWords, epoch, passages } = found;
  const matches = keywordMatches.map(({ id, bm25, hasAllTerms: hasAllWords }, index) => {
    const score = keywordScore(bm25, ceiling, hasAllWords);
    return { id, rank: index + 1, score, bm25, ceiling, hasAllWords, similarWords };
  });
  return { matches, staleCount: 0, epoch, passages };
}

/** Reads the scope's epoch, which grows with every change visible to searches. */
export async function readEpoch(engine: Engine, scope: SearchScope, call: CallOptions): Promise<number> {
  const { epoch } = await engine.storage.index.livePassages({ scope, ids: [] }, call);
  return epoch;
}

async function embedQueries(
  embedder: Embedder,
  queries: readonly string[],
  options: CallOptions & { readonly purpose: EmbedPurpose },
): Promise<readonly Float32Array[]> {
  const { provider, maxBatchSize = queries.length } = embedder;
  const limits = { maxItems: maxBatchSize, maxWeight: Number.POSITIVE_INFINITY };
  const batches = packBatches(
    queries.map(() => 1),
    limits,
  );
  const embedded = await Promise.all(
    batches.map(([start, end]) =>
      traced("lorebase.search.embed_query", {}, () => embedder.embed(queries.slice(start, end), options)),
    ),
  );
  const vectors = embedded.flat();
  return queries.map((_, index) => {
    const vector = vectors[index];
    if (!vector) throw new KnowledgeBaseError("provider_failed", `The embedder ${provider} returned too few vectors.`);
    checkVector(embedder, vector);
    return vector;
  });
}
