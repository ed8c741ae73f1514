import type { FilterNode } from "../filter.js";
import type { ChunkDraft } from "../interfaces/chunker.js";
import type { KeywordTerm } from "../text-analysis/keyword-term.js";
import type { CallOptions, Metadata, Scope, Status, TextRange } from "../types.js";
import type { Step } from "./operation.js";

/** A chunk to store. */
export interface NewChunk extends ChunkDraft {
  readonly ordinal: number;
  readonly embeddingKey: Uint8Array | null;
}

/** Chunks of one generation of a document. */
export interface IndexedChunks {
  readonly documentSeq: number;
  readonly scopeId: number;
  readonly generation: number;
  /** Metadata of every chunk of the document: the caller's keys, `filename`, `url`. */
  readonly metadata: Metadata;
  /** The metadata key for the second at which a transcript's chunk starts. @default none */
  readonly timeKey?: string | undefined;
  readonly chunks: readonly NewChunk[];
  /** Whether their words are stemmed by English rules. */
  readonly stemmed: boolean;
  /** Vectors to cache, in case the same text is embedded again. */
  readonly cache: {
    readonly namespaceId: string;
    readonly entries: readonly { key: Uint8Array; vector: Uint8Array }[];
  } | null;
}

/** The generation of a document that searches find from now on. */
export interface Publication {
  readonly scopeId: number;
  readonly documentSeq: number;
  /** 0 for none. */
  readonly generation: number;
}

/** Writes to the search index within a transaction on the records. */
export interface SearchIndexWriter {
  /** Writes chunks with their words and metadata. No search finds them before they are published. */
  writeChunks(batch: IndexedChunks): Step<void>;
  /** Returns the number of chunks of a generation that have vectors. */
  countVectors(generation: GenerationRef): Step<number>;
  /** Publishes another generation of a document, or none. Increments the scope's epoch. */
  publish(publication: Publication): Step<void>;
  /**
   * Removes up to `limit` chunks of a generation, or of all generations, from the index. Returns whether there may be
   * more.
   */
  removeChunks(target: {
    readonly documentSeq: number;
    readonly generation: number | "all";
    readonly limit: number;
  }): Step<boolean>;
  /** Removes the index's remaining data of a scope without documents. */
  removeScope(scopeId: number): Step<void>;
  /** Removes the index's remaining data of a namespace without scopes: its cached vectors. */
  removeNamespace(namespaceId: string): Step<void>;
}

/** The vector of a stored chunk. */
export interface ChunkVector {
  readonly documentId: string;
  readonly generation: number;
  readonly ordinal: number;
  /** Only its direction matters. */
  readonly vector: Float32Array;
}

/** One generation of a document, all of them, or the whole scope. */
export type VectorTarget = { readonly documentId: string; readonly generation?: number } | "all";

export interface VectorSearch {
  readonly scope: Scope;
  /** Only its direction matters. */
  readonly vector: Float32Array;
  readonly limit: number;
  readonly filter: FilterNode | null;
  /** Terms that every match must contain; `null` for none. */
  readonly required: readonly KeywordTerm[] | null;
  /** Whether to return the passages of the matches too, if an index finds these. */
  readonly withPassages: boolean;
  /** Whether a few of the nearest may be missing, if that is faster. */
  readonly approximate: boolean;
}

export interface NearestVector {
  /** `<documentId>.<generation>.<n>`. */
  readonly id: string;
  /** Cosine, -1 to 1; 0 if either vector is all zeros. */
  readonly similarity: number;
}

export interface VectorRanking {
  readonly matches: readonly NearestVector[];
  /** The passages of the matches; `null` if they have not been read. */
  readonly passages: readonly StoredPassage[] | null;
}

export interface KeywordSearch {
  readonly scope: Scope;
  /** At most 255. */
  readonly terms: readonly KeywordTerm[];
  readonly limit: number;
  readonly filter: FilterNode | null;
  /** Terms that every match must contain too, without effect on its score; `null` for none. */
  readonly required: readonly KeywordTerm[] | null;
  /** Whether to return the passages of the matches too. */
  readonly withPassages: boolean;
}

export interface KeywordMatch {
  /** `<documentId>.<generation>.<n>`. */
  readonly id: string;
  /** BM25 (k1 = 1.2, b = 0.75: sqlite.org/fts5.html#the_bm25_function), positive, higher is better. */
  readonly bm25: number;
  readonly hasAllTerms: boolean;
}

export interface KeywordRanking {
  readonly matches: readonly KeywordMatch[];
  /** The BM25 score that a passage approaches by repeating every term of the query; 0 without a match. */
  readonly ceiling: number;
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
  readonly page: number | null;
  /** As JSON. */
  readonly metadata: string;
  readonly start: number;
  readonly end: number;
  /** Serialized by `positionsToJson`. */
  readonly boxes: string | null;
}

/** A chunk as returned in search results. */
export interface StoredPassage extends StoredChunk {
  /** `<documentId>.<generation>.<n>`. */
  readonly id: string;
  readonly chunkSeq: number;
  readonly documentId: string;
  readonly generation: number;
  /** SHA-256 of its document's bytes, in hex; `null` if it is unknown. */
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

/** The neighbours of a chunk in its document, by ordinal. */
export interface Neighbours {
  readonly previous: number | null;
  readonly next: number | null;
  /** The nearest other chunks under the same headings, in order. */
  readonly siblings: readonly number[];
}

export interface EligibilityQuery {
  readonly scope: Scope;
  readonly documentId: string;
  readonly filter: FilterNode | null;
  /** Terms that a chunk must contain to be found; null for none. */
  readonly required: readonly KeywordTerm[] | null;
}

/** A published chunk, and whether it meets the conditions of a search. */
export interface ChunkEligibility {
  /** `<documentId>.<generation>.<n>`. */
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

/** The given metadata keys for which no chunk of a scope has a filterable value, and the keys that chunks have. */
export interface FilterKeys {
  readonly missing: readonly string[];
  /** At most 1,000; empty if no key is missing. */
  readonly present: readonly string[];
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
 * Chunks, their words and their vectors: one implementation for each database engine. Searches find published chunks
 * only, and see every write that was acknowledged before they started.
 */
export interface SearchIndex {
  /**
   * The best published chunks of a scope by BM25, with the statistics of that scope alone. Chunks with every term come
   * first.
   */
  keywordSearch(search: KeywordSearch, options?: CallOptions): Promise<KeywordRanking>;
  /** The published chunks nearest to a vector; ties are in the order of insertion. */
  vectorSearch(search: VectorSearch, options?: CallOptions): Promise<VectorRanking>;
  /** The published chunks with the given ids, in their order, and the scope's epoch, in one snapshot. */
  livePassages(query: { scope: Scope; ids: readonly string[] }, options?: CallOptions): Promise<LivePassages>;
  /**
   * The given ids that belong to published chunks with the required terms, in their order. Doesn't read their texts.
   */
  liveChunks(
    query: { scope: Scope; ids: readonly string[]; required: readonly KeywordTerm[] | null },
    options?: CallOptions,
  ): Promise<{ readonly ids: readonly string[]; readonly missing: number }>;
  /** The neighbours of each of the given chunks. */
  neighbours(query: { chunkSeqs: readonly number[] }, options?: CallOptions): Promise<readonly Neighbours[]>;
  /** The ranges of the given terms in the texts of the given chunks; none for a chunk that has been removed. */
  highlights(
    query: { chunkSeqs: readonly number[]; terms: readonly KeywordTerm[] },
    options?: CallOptions,
  ): Promise<readonly (readonly TextRange[])[]>;
  /** For each term, the given chunks that contain it. */
  chunksByTerm(query: TermsQuery, options?: CallOptions): Promise<readonly ReadonlySet<number>[]>;
  /** Whether the chunks of one document meet the conditions of a search. */
  documentEligibility(query: EligibilityQuery, options?: CallOptions): Promise<DocumentEligibility>;
  /** The given metadata keys that no chunk of a scope has. */
  filterKeys(query: { scope: Scope; keys: readonly string[] }, options?: CallOptions): Promise<FilterKeys>;
  /** Prepares a scope's first search by words and, unless `dimensions` is `null`, by vectors of that length. */
  warmUp(scope: Scope, dimensions: number | null, options?: CallOptions): Promise<void>;
  /** Writes vectors. A vector replaces the chunk's previous one; vectors of removed chunks are ignored. */
  writeVectors(vectors: readonly ChunkVector[], options?: CallOptions): Promise<void>;
  removeVectors(scope: Scope, target: VectorTarget, options?: CallOptions): Promise<void>;
  /** The cached vectors of a namespace by key; `null` for an unknown key. */
  cachedVectors(
    query: { namespaceId: string; keys: readonly Uint8Array[] },
    options?: CallOptions,
  ): Promise<readonly (Uint8Array | null)[]>;
  /** Up to `limit` chunks of a generation, in order, starting at an ordinal. */
  readChunks(
    query: GenerationRef & { from: number; limit: number },
    options?: CallOptions,
  ): Promise<readonly StoredChunk[]>;
  /** The generations and ordinals of a document's chunks, of one generation or of all. */
  chunkOrdinals(
    query: { documentSeq: number; generation?: number | undefined },
    options?: CallOptions,
  ): Promise<readonly { readonly generation: number; readonly ordinal: number }[]>;
  /** The number of chunks in each generation of a document. */
  chunkGenerations(
    query: { documentSeq: number },
    options?: CallOptions,
  ): Promise<readonly { readonly generation: number; readonly chunks: number }[]>;
  /** Performs one step of background maintenance. Returns false if there is nothing to do. */
  maintain(options?: CallOptions): Promise<boolean>;
}
