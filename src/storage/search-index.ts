import type { FilterNode } from "../filter.js";
import type { ChunkDraft } from "../interfaces/chunker.js";
import type { KeywordTerm } from "../text-analysis/keyword-term.js";
import type { CallOptions, Metadata, Scope, Status, TextRange } from "../types.js";
import type { Step } from "./operation.js";

/** A chunk to store. Filters see `metadata`, and the keys that are columns. */
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
  /** Whether their words are stemmed, by English rules. */
  readonly stemmed: boolean;
  /** Vectors to cache, for when the same text is embedded again. */
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
  /** How many chunks of a generation have their vectors. */
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
  /** Removes the remains of a scope without documents. */
  removeScope(scopeId: number): Step<void>;
  /** Removes the remains of a namespace without scopes: its cached vectors. */
  removeNamespace(namespaceId: string): Step<void>;
}

/** The vector of a stored chunk. */
export interface ChunkVector {
  readonly documentId: string;
  readonly generation: number;
  readonly ordinal: number;
  /** Only its direction counts. */
  readonly vector: Float32Array;
}

/** One generation of a document, all of them, or the whole scope. */
export type VectorTarget = { readonly documentId: string; readonly generation?: number } | "all";

export interface VectorSearch {
  readonly scope: Scope;
  /** Only its direction counts. */
  readonly vector: Float32Array;
  readonly limit: number;
  readonly filter: FilterNode | null;
  /** Terms that every match must contain; `null` for none. */
  readonly required: readonly KeywordTerm[] | null;
  /** Whether the matches may be read as well. */
  readonly read: boolean;
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
  /** Terms that every match must contain as well, which don't count for its score; `null` for none. */
  readonly required: readonly KeywordTerm[] | null;
  /** Whether the matches are read as well. */
  readonly read: boolean;
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
  /** The limit of BM25 for a passage that repeats every term of the query; never reached. 0 without a match. */
  readonly ceiling: number;
  /** The scope's epoch at the time of the search; 0 for a scope without content. */
  readonly epoch: number;
  /** The passages of the matches; `null` if they were not requested. */
  readonly passages: readonly StoredPassage[] | null;
}

/** A chunk as lists of a document's chunks show it. */
export interface StoredChunk {
  readonly ordinal: number;
  readonly text: string;
  readonly headings: readonly string[];
  readonly page: number | null;
  /** As JSON. */
  readonly metadata: string;
  readonly start: number;
  readonly end: number;
  /** Serialized. */
  readonly boxes: string | null;
}

/** A chunk as search results show it. */
export interface StoredPassage extends StoredChunk {
  /** `<documentId>.<generation>.<n>`. */
  readonly id: string;
  readonly chunkSeq: number;
  readonly documentId: string;
  readonly generation: number;
  /** Of its document's bytes; `null` if it is unknown. */
  readonly contentHash: string | null;
}

/** The epoch of a scope and some of its passages, in one snapshot. */
export interface LivePassages {
  /** The scope's epoch; 0 for a scope without content. */
  readonly epoch: number;
  readonly passages: readonly StoredPassage[];
  /** The number of ids that don't belong to published chunks of this scope (any more). */
  readonly lost: number;
}

/** The neighbours of a chunk in its document, by ordinal. */
export interface Neighbours {
  readonly previous: number | null;
  readonly next: number | null;
  /** The nearest other chunks under the same headings, in order. */
  readonly siblings: readonly number[];
}

export interface AskStanding {
  readonly scope: Scope;
  readonly documentId: string;
  readonly filter: FilterNode | null;
  /** Terms that a chunk must contain to be found; null for none. */
  readonly required: readonly KeywordTerm[] | null;
}

/** One published chunk, and whether it meets the conditions of a search. */
export interface ChunkStanding {
  /** `<documentId>.<generation>.<n>`. */
  readonly id: string;
  readonly chunkSeq: number;
  readonly ordinal: number;
  readonly meetsFilter: boolean;
  readonly hasRequired: boolean;
}

export interface DocumentStanding {
  /** `null` if the scope has no such document. */
  readonly status: Status | null;
  /** Published chunks, in order. */
  readonly chunks: readonly ChunkStanding[];
}

/** The given metadata keys that no chunk of a scope has a filterable value for, and the keys that there are. */
export interface FilterKeys {
  readonly missing: readonly string[];
  /** Empty if none is missing. */
  readonly present: readonly string[];
}

export interface TermsFound {
  readonly scope: Scope;
  readonly terms: readonly KeywordTerm[];
  readonly chunkSeqs: readonly number[];
}

interface GenerationRef {
  readonly documentSeq: number;
  readonly generation: number;
}

/**
 * Chunks, their words and their vectors: one implementation for each engine. Searches find published chunks only, and
 * see every write that was acknowledged before they started.
 */
export interface SearchIndex {
  /**
   * The best published chunks of a scope by BM25, with the statistics of that scope alone. Chunks with every term come
   * first.
   */
  keywordSearch(search: KeywordSearch, options?: CallOptions): Promise<KeywordRanking>;
  /** The published chunks nearest to a vector; equally near ones in order of insertion. */
  vectorSearch(search: VectorSearch, options?: CallOptions): Promise<VectorRanking>;
  /** The published chunks with the given ids, in their order, and the scope's epoch, in one snapshot. */
  livePassages(question: { scope: Scope; ids: readonly string[] }, options?: CallOptions): Promise<LivePassages>;
  /**
   * The given ids that belong to published chunks with the required terms, in their order. Doesn't read their texts.
   */
  liveChunks(
    question: { scope: Scope; ids: readonly string[]; required: readonly KeywordTerm[] | null },
    options?: CallOptions,
  ): Promise<{ readonly ids: readonly string[]; readonly lost: number }>;
  /** The neighbours of each of the given chunks. */
  neighbours(question: { chunkSeqs: readonly number[] }, options?: CallOptions): Promise<readonly Neighbours[]>;
  /** The ranges of the given terms in the texts of the given chunks; none for a chunk that has been removed. */
  highlights(
    question: { chunkSeqs: readonly number[]; terms: readonly KeywordTerm[] },
    options?: CallOptions,
  ): Promise<readonly (readonly TextRange[])[]>;
  /** For each term, the given chunks that contain it. */
  termsFound(question: TermsFound, options?: CallOptions): Promise<readonly ReadonlySet<number>[]>;
  /** Whether the chunks of one document meet the conditions of a search. */
  documentStanding(question: AskStanding, options?: CallOptions): Promise<DocumentStanding>;
  /** The given metadata keys that no chunk of a scope has. */
  filterKeys(question: { scope: Scope; keys: readonly string[] }, options?: CallOptions): Promise<FilterKeys>;
  /** Prepares a scope's first search; also by vectors of the given dimensions, if they are in the index. */
  warmUp(scope: Scope, dimensions: number | null, options?: CallOptions): Promise<void>;
  /** Writes vectors. A vector replaces the chunk's previous one; vectors of removed chunks are ignored. */
  writeVectors(vectors: readonly ChunkVector[], options?: CallOptions): Promise<void>;
  removeVectors(scope: Scope, target: VectorTarget, options?: CallOptions): Promise<void>;
  /** The cached vectors of a namespace by key; `null` for an unknown key. */
  cachedVectors(
    question: { namespaceId: string; keys: readonly Uint8Array[] },
    options?: CallOptions,
  ): Promise<readonly (Uint8Array | null)[]>;
  /** Up to `limit` chunks of a generation, in order, starting at an ordinal. */
  readChunks(
    question: GenerationRef & { from: number; limit: number },
    options?: CallOptions,
  ): Promise<readonly StoredChunk[]>;
  /** The generations and ordinals of a document's chunks, of one generation or of all. */
  chunkOrdinals(
    question: { documentSeq: number; generation?: number | undefined },
    options?: CallOptions,
  ): Promise<readonly { readonly generation: number; readonly ordinal: number }[]>;
  /** The number of chunks in each generation of a document. */
  chunkGenerations(
    question: { documentSeq: number },
    options?: CallOptions,
  ): Promise<readonly { readonly generation: number; readonly chunks: number }[]>;
  /** Performs one step of background maintenance. Returns whether there was one. */
  maintain(options?: CallOptions): Promise<boolean>;
}
