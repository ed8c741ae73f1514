import type { FilterNode, FilterScalar } from "../filter.js";
import type { ChunkDraft } from "../interfaces/chunker.js";
import type { KeywordTerm } from "../text-analysis/keyword-term.js";
import type { Stemming } from "../text-analysis/stemming.js";
import type { CallOptions, Metadata, Scope, Status, TextRange } from "../types.js";
import type { Step } from "./operation.js";

/** A chunk to store. */
export interface NewChunk extends ChunkDraft {
  /** The chunk's position in its generation, from 0. */
  readonly ordinal: number;
  /** The key of the chunk's vector in the cache; `null` if the vector is not cached. */
  readonly embeddingKey: Uint8Array | null;
  /** The chunk's vector as f32, of length 1 or all zeros. @default none: it is written separately, or kept elsewhere */
  readonly vector?: Uint8Array;
}

/** Chunks of one generation of a document, to be stored. */
export interface IndexedChunks {
  readonly documentSeq: number;
  readonly scopeId: number;
  readonly generation: number;
  /** The metadata that all chunks of the document share: the caller's keys, `filename` and `url`. */
  readonly metadata: Metadata;
  /** The metadata key for the time, in seconds, at which a chunk of a transcript starts. @default none */
  readonly timeKey?: string | undefined;
  readonly chunks: readonly NewChunk[];
  /** The set that the chunks' vectors belong to. @default 0 */
  readonly vectorSet?: number | undefined;
  /** How the chunks' words are stemmed. */
  readonly stemming: Stemming;
  /** Vectors to cache, in case the same text is embedded again; `null` for none. */
  readonly cache: {
    readonly namespaceId: string;
    readonly entries: readonly { key: Uint8Array; vector: Uint8Array }[];
  } | null;
}

/** The generation of a document that searches find from now on. */
export interface Publication {
  readonly scopeId: number;
  readonly documentSeq: number;
  /** 0 if searches are to find none. */
  readonly generation: number;
  /** The set that has the generation's vectors. @default any: it has none in the search index */
  readonly vectorSet?: number | undefined;
}

/** A chunk whose row is copied from another database. */
export interface RestoredChunk {
  readonly seq: number;
  readonly scopeId: number;
  readonly documentSeq: number;
  readonly generation: number;
  readonly indexText: string;
  readonly headings: readonly string[];
  /** With the start time of a chunk of a transcript. */
  readonly metadata: Metadata;
  readonly stemming: Stemming;
}

/** Writes to the search index within a transaction on the records. */
export interface SearchIndexWriter {
  /** Writes chunks with their words, metadata and vectors. No search finds them before they are published. */
  writeChunks(batches: readonly IndexedChunks[]): Step<void>;
  /**
   * Publishes other generations of documents, or none, and increments the epochs of their scopes.
   * @throws KnowledgeBaseError `conflict` (retryable) if searches use another set of vectors than a generation has
   */
  publish(publications: readonly Publication[]): Step<void>;
  /**
   * Removes up to `limit` chunks of a generation, or of all generations, from the index. Returns whether there may be
   * more.
   */
  removeChunks(target: {
    readonly documentSeq: number;
    readonly generation: number | "all";
    readonly limit: number;
  }): Step<boolean>;
  /** Removes what the index still holds for a scope without documents. */
  removeScope(scopeId: number): Step<void>;
  /** Indexes the words and metadata of chunks whose rows are inserted later in the transaction. */
  restoreChunks(chunks: readonly RestoredChunk[]): Step<void>;
  /** Lets searches and maintenance find what a scope has, once its chunks and vectors are restored. */
  restoreScope(scopeId: number): Step<void>;
  /** Removes what the index still holds for a namespace without scopes: cached vectors. */
  removeNamespace(namespaceId: string): Step<void>;
}

/** The vector of a stored chunk. */
export interface ChunkVector {
  readonly documentId: string;
  readonly generation: number;
  readonly ordinal: number;
  /** Of any length: only the direction matters. */
  readonly vector: Float32Array;
}

/** Selects the vectors of one generation of a document, of all its generations, or of the whole scope. */
export type VectorTarget = { readonly documentId: string; readonly generation?: number } | "all";

/** A scope, of which principals see only the documents that allow one of them, and those that allow all. */
export interface SearchScope extends Scope {
  /** @default null, for the owner, who sees all documents */
  readonly principals?: readonly string[] | null;
}

export interface VectorSearch {
  readonly scope: SearchScope;
  /** Of any length: only the direction matters. */
  readonly vector: Float32Array;
  readonly limit: number;
  readonly filter: FilterNode | null;
  /** Terms that every match must contain; `null` for none. */
  readonly required: readonly KeywordTerm[] | null;
  /** Whether to return the passages of the matches too. Ignored if the vectors are compared without an index. */
  readonly withPassages: boolean;
  /** Whether a faster search may miss a few of the nearest chunks. */
  readonly approximate: boolean;
  /** The set of vectors to search, whose model has embedded the query. @default 0 */
  readonly vectorSet?: number | undefined;
}

/** Options of a write of vectors. */
export interface VectorWriteOptions extends CallOptions {
  /** The set that the vectors belong to. @default 0 */
  readonly vectorSet?: number | undefined;
}

export interface NearestVector {
  /** The chunk's id, `<documentId>.<generation>.<ordinal>`. */
  readonly id: string;
  /** The cosine similarity, from -1 to 1; 0 if either vector is all zeros. */
  readonly similarity: number;
}

export interface VectorRanking {
  readonly matches: readonly NearestVector[];
  /** The passages of the matches; `null` if they were not read. */
  readonly passages: readonly StoredPassage[] | null;
}

export interface KeywordSearch {
  readonly scope: SearchScope;
  /** At most 255. */
  readonly terms: readonly KeywordTerm[];
  readonly limit: number;
  readonly filter: FilterNode | null;
  /** Further terms that every match must contain and that don't affect its score; `null` for none. */
  readonly required: readonly KeywordTerm[] | null;
  /** Whether similar words are looked for in place of a word that no chunk of the scope has. */
  readonly typoTolerance: boolean;
  /** The number of matches that are ordered by their texts. The others are placed among them by their BM25. @default limit */
  readonly orderedByText?: number | undefined;
  /** Whether to return the passages of the matches too. */
  readonly withPassages: boolean;
}

/** The words that were looked for in place of a term. */
export interface SimilarWords {
  readonly term: KeywordTerm;
  /** The likeliest first: those in many chunks, and those from which few edits lead to the term. */
  readonly words: readonly string[];
}

export interface KeywordMatch {
  /** The chunk's id, `<documentId>.<generation>.<ordinal>`. */
  readonly id: string;
  /**
   * The BM25 score (k1 = 1.2, b = 0.75: sqlite.org/fts5.html#the_bm25_function), adjusted by what the chunk's text tells: a
   * word that it has in another form only contributes 0.8 of that, and words near each other and at the beginning add to it.
   * Positive; higher is better.
   */
  readonly bm25: number;
  readonly hasAllTerms: boolean;
}

export interface KeywordRanking {
  readonly matches: readonly KeywordMatch[];
  /** The score that a passage can't reach, which BM25 approaches as every term is repeated; 0 if no chunk has a term. */
  readonly ceiling: number;
  /** What was looked for in place of terms that no chunk has, in the order of the terms. */
  readonly similarWords: readonly SimilarWords[];
  /** The scope's epoch at the time of the search; 0 for a scope without content. */
  readonly epoch: number;
  /** The passages of the matches; `null` if they were not requested. */
  readonly passages: readonly StoredPassage[] | null;
}

/** A chunk as returned in lists of a document's chunks. */
export interface StoredChunk {
  readonly ordinal: number;
  readonly text: string;
  readonly headings: readonly string[];
  /** The page on which the text begins; `null` if the format has no pages. */
  readonly page: number | null;
  /** As JSON. */
  readonly metadata: string;
  /** The chunk's range in the document's text. */
  readonly start: number;
  readonly end: number;
  /** Boxes and page starts, serialized by `positionsToJson`; `null` for none. */
  readonly boxes: string | null;
  /** Whether the stored row differs from what was written. If so, only its place is given, and everything else is empty. */
  readonly isDamaged: boolean;
}

/** A chunk as returned in search results. */
export interface StoredPassage extends StoredChunk {
  /** The chunk's id, `<documentId>.<generation>.<ordinal>`. */
  readonly id: string;
  readonly chunkSeq: number;
  readonly documentId: string;
  readonly generation: number;
  /** SHA-256 of the bytes of the document's source, in hex; `null` if unknown. */
  readonly contentHash: string | null;
}

/** The epoch of a scope and some of its passages, from one snapshot. */
export interface LivePassages {
  /** The scope's epoch; 0 for a scope without content. */
  readonly epoch: number;
  readonly passages: readonly StoredPassage[];
  /** The number of ids that belong to no published chunk of this scope. */
  readonly missing: number;
}

/** The ordinals of a chunk's neighbours in its document; `null` if there is no such chunk. */
export interface Neighbours {
  readonly previous: number | null;
  readonly next: number | null;
  /** The nearest other chunks under the same headings, in order. */
  readonly siblings: readonly number[];
}

export interface EligibilityQuery {
  readonly scope: SearchScope;
  readonly documentId: string;
  readonly filter: FilterNode | null;
  /** Terms that a chunk must contain to be found; `null` for none. */
  readonly required: readonly KeywordTerm[] | null;
}

/** A published chunk, and whether it meets the conditions of a search. */
export interface ChunkEligibility {
  /** The chunk's id, `<documentId>.<generation>.<ordinal>`. */
  readonly id: string;
  readonly chunkSeq: number;
  readonly ordinal: number;
  readonly meetsFilter: boolean;
  readonly hasRequired: boolean;
}

export interface DocumentEligibility {
  /** `null` if the scope has no such document. */
  readonly status: Status | null;
  /** Published chunks, in order. */
  readonly chunks: readonly ChunkEligibility[];
}

/** Which of the queried metadata keys a scope lacks, and which keys it has. */
export interface FilterKeys {
  /** The queried keys for which no chunk of the scope has a filterable value. */
  readonly missing: readonly string[];
  /** The keys that chunks of the scope have, at most 1,000; empty if no queried key is missing. */
  readonly present: readonly string[];
}

export interface FacetQuery {
  readonly scope: SearchScope;
  readonly key: string;
  readonly filter: FilterNode | null;
  /** The maximum number of values to return. */
  readonly limit: number;
}

/** A value of a metadata key. */
export interface FacetValue {
  readonly value: FilterScalar;
  /** The number of documents with a passage that has the value. */
  readonly documents: number;
  /** The number of passages that have the value. */
  readonly passages: number;
}

/** The values of a metadata key. */
export interface FacetValues {
  /** The values of the most documents first; then booleans, numbers and strings in ascending order. */
  readonly values: readonly FacetValue[];
  /** The number of different values, returned or not. */
  readonly distinctValues: number;
}

/** The place of a passage in an order. */
export interface ListPosition {
  /** `[]` for all lists; `null` without a value, or if passages are ordered by their documents alone. */
  readonly value: FilterScalar | readonly [] | null;
  readonly documentSeq: number;
  readonly ordinal: number;
}

export interface PassagesQuery {
  readonly scope: SearchScope;
  readonly filter: FilterNode | null;
  /** The metadata key to order by; `null` to order by documents alone. */
  readonly key: string | null;
  /** The order of values, and of documents with equal values in the order of their addition. */
  readonly order: "asc" | "desc";
  /** Whether to list only the first matching passage of each document. */
  readonly onePerDocument: boolean;
  /** The place after which the list starts; `null` for its start. */
  readonly after: ListPosition | null;
  readonly limit: number;
  /** Whether to count all passages of the list. */
  readonly withTotal: boolean;
}

export interface ListedPassages {
  readonly passages: readonly StoredPassage[];
  /** The place of the last passage, if others follow; else `null`. */
  readonly next: ListPosition | null;
  /** The number of passages on all pages; `null` unless requested. */
  readonly total: number | null;
}

export interface TermsQuery {
  readonly scope: Scope;
  readonly terms: readonly KeywordTerm[];
  readonly chunkSeqs: readonly number[];
}

interface GenerationRef {
  readonly documentSeq: number;
  readonly generation: number;
}

/**
 * Stores and searches chunks, their words and their vectors. Each database engine has its own implementation. A search
 * finds published chunks only, and sees every write that was acknowledged before it started. For principals, it finds and
 * counts what it would if the documents that they may not see were not in the scope.
 */
export interface SearchIndex {
  /**
   * Finds the best published chunks of a scope by BM25, with the statistics of that scope alone, or of what its
   * principals see of it. Chunks that contain
   * every term come first.
   */
  keywordSearch(search: KeywordSearch, options?: CallOptions): Promise<KeywordRanking>;
  /**
   * Finds the published chunks nearest to a vector. Ties are in the order of insertion.
   * @throws KnowledgeBaseError `conflict` (retryable) if the set of vectors has been replaced, see `isVectorSetGone`
   */
  vectorSearch(search: VectorSearch, options?: CallOptions): Promise<VectorRanking>;
  /** Returns the published chunks with the given ids, in the order of the ids, and the scope's epoch. */
  livePassages(query: { scope: SearchScope; ids: readonly string[] }, options?: CallOptions): Promise<LivePassages>;
  /**
   * Returns which of the given ids, found in a set of vectors, belong to published chunks with the required terms, in the
   * given order. Doesn't read the chunks' texts.
   * @throws KnowledgeBaseError `conflict` (retryable) if the set of vectors has been replaced, see `isVectorSetGone`
   */
  liveChunks(
    query: {
      readonly scope: SearchScope;
      readonly ids: readonly string[];
      readonly required: readonly KeywordTerm[] | null;
      /** @default 0 */
      readonly vectorSet?: number | undefined;
    },
    options?: CallOptions,
  ): Promise<{ readonly ids: readonly string[]; readonly missing: number }>;
  /** Returns the neighbours of each of the given chunks. */
  neighbours(query: { chunkSeqs: readonly number[] }, options?: CallOptions): Promise<readonly Neighbours[]>;
  /** Returns the ranges of the given terms in the text of each given chunk; none for a chunk that was removed. */
  highlights(
    query: { chunkSeqs: readonly number[]; terms: readonly KeywordTerm[] },
    options?: CallOptions,
  ): Promise<readonly (readonly TextRange[])[]>;
  /** Returns, for each term, which of the given chunks contain it. */
  chunksByTerm(query: TermsQuery, options?: CallOptions): Promise<readonly ReadonlySet<number>[]>;
  /** Returns which chunks of a document meet the conditions of a search. */
  documentEligibility(query: EligibilityQuery, options?: CallOptions): Promise<DocumentEligibility>;
  /** Returns which of the given metadata keys no chunk of a scope has. */
  filterKeys(query: { scope: Scope; keys: readonly string[] }, options?: CallOptions): Promise<FilterKeys>;
  /** Counts published chunks and their documents by the values of a metadata key, in lists each element. */
  facet(query: FacetQuery, options?: CallOptions): Promise<FacetValues>;
  /**
   * Lists published chunks in the order of a metadata key: booleans, numbers, strings by code point, then lists; those
   * without a value last. Equal ones are in the order of their documents' addition, and of the text.
   */
  listPassages(query: PassagesQuery, options?: CallOptions): Promise<ListedPassages>;
  /** Prepares a scope's first keyword search and, unless `dimensions` is `null`, its first vector search. */
  warmUp(scope: Scope, dimensions: number | null, options?: CallOptions): Promise<void>;
  /** Writes vectors. A vector replaces the chunk's previous one in its set; vectors of removed chunks are ignored. */
  writeVectors(vectors: readonly ChunkVector[], options?: VectorWriteOptions): Promise<void>;
  /** Removes vectors of all sets. */
  removeVectors(scope: Scope, target: VectorTarget, options?: CallOptions): Promise<void>;
  /** Returns the cached vector of a namespace for each key; `null` for an unknown key or a damaged vector. */
  cachedVectors(
    query: { namespaceId: string; keys: readonly Uint8Array[] },
    options?: CallOptions,
  ): Promise<readonly (Uint8Array | null)[]>;
  /** Returns up to `limit` chunks of a generation, in order, starting at the ordinal `from`. */
  readChunks(
    query: GenerationRef & { from: number; limit: number },
    options?: CallOptions,
  ): Promise<readonly StoredChunk[]>;
  /** Returns the generations and ordinals of a document's chunks, for one generation or for all. */
  chunkOrdinals(
    query: { documentSeq: number; generation?: number | undefined },
    options?: CallOptions,
  ): Promise<readonly { readonly generation: number; readonly ordinal: number }[]>;
  /** Counts the chunks in each generation of a document. */
  chunkGenerations(
    query: { documentSeq: number },
    options?: CallOptions,
  ): Promise<readonly { readonly generation: number; readonly chunks: number }[]>;
  /** Performs one step of background maintenance. Returns false if there was nothing to do. */
  maintain(options?: CallOptions): Promise<boolean>;
}
