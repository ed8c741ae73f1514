import type { FilterNode } from "../filter.js";
import type { ChunkDraft } from "../interfaces/chunker.js";
import type { KeywordTerm } from "../text-analysis/keyword-term.js";
import type { CallOptions, Metadata, Scope, Status, TextRange } from "../types.js";
import type { Step } from "./operation.js";
import type { ChunkRow } from "./records/schema.js";

/** A chunk as it is written: `metadata` is what filters see, apart from the keys that are columns. */
export interface NewChunk extends ChunkDraft {
  readonly ordinal: number;
  readonly embeddingKey: Uint8Array | null;
}

/** Chunks of one generation of a document. */
export interface IndexedChunks {
  readonly documentSeq: number;
  readonly scopeId: number;
  readonly generation: number;
  /** The same for every chunk of the document: the caller's keys, `filename`, `url`. */
  readonly metadata: Metadata;
  /** The key under which a chunk of a transcript has the second that it begins at. @default none */
  readonly timeKey?: string | undefined;
  readonly chunks: readonly NewChunk[];
  /** Whether their words may be stemmed, which is done by English rules. */
  readonly stemmed: boolean;
  /** Vectors to cache under their keys, for the next time that the same text comes. */
  readonly cache: {
    readonly namespaceId: string;
    readonly entries: readonly { key: Uint8Array; vector: Uint8Array }[];
  } | null;
}

/** Which generation of a document searches find from now on. */
export interface Publication {
  readonly scopeId: number;
  readonly documentSeq: number;
  /** 0 for none. */
  readonly generation: number;
}

/** What a transaction on the records writes to the search index. */
export interface SearchIndexWriter {
  /** Writes chunks, what filters need of them, and their words. No search finds them before they are published. */
  writeChunks(batch: IndexedChunks): Step<void>;
  /** How many chunks of a generation have their vectors. */
  countVectors(generation: GenerationRef): Step<number>;
  /**
   * Tells searches that another generation of a document, or none, is published now. The scope's epoch grows by one.
   */
  publish(publication: Publication): Step<void>;
  /**
   * Removes up to `limit` chunks of a generation, or of all of them, with all that the index has of them. Returns
   * whether some may be left.
   */
  removeChunks(target: {
    readonly documentSeq: number;
    readonly generation: number | "all";
    readonly limit: number;
  }): Step<boolean>;
  /** Removes what is left of a scope that has no documents. */
  removeScope(scopeId: number): Step<void>;
  /** Removes what is left of a namespace that has no scopes: its cached vectors. */
  removeNamespace(namespaceId: string): Step<void>;
}

/** The vector of a chunk that the index has. */
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
  /** Terms that every match contains; `null` for none. */
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
  /** Terms that every match must contain as well, without a part in its score; null for none. */
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
  /**
   * What BM25 comes near for a passage that has every term of the query over and over, and never reaches. 0 without a
   * match.
   */
  readonly ceiling: number;
  /** The scope's epoch in which that is so; 0 for a scope without content. */
  readonly epoch: number;
  /** What is shown of each match; `null` if that was not asked for. */
  readonly passages: readonly StoredPassage[] | null;
}

/** A chunk as a search result needs it. */
export interface StoredPassage {
  /** `<documentId>.<generation>.<n>`. */
  readonly id: string;
  readonly chunkSeq: number;
  readonly documentId: string;
  readonly generation: number;
  readonly ordinal: number;
  readonly text: string;
  readonly headings: readonly string[];
  readonly page: number | null;
  readonly metadata: string;
  readonly start: number;
  readonly end: number;
  /** As stored. */
  readonly boxes: string | null;
  /** Of its document's bytes; `null` if that is not known. */
  readonly contentHash: string | null;
}

/** The state of a scope and what it shows of some chunks, in one snapshot. */
export interface LivePassages {
  /** The scope's epoch; 0 for a scope without content. */
  readonly epoch: number;
  readonly passages: readonly StoredPassage[];
  /** How many of the ids are not (or no longer) published chunks of this scope. */
  readonly lost: number;
}

/** What stands around a chunk in its document. */
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

/** One published chunk, and what keeps a search from finding it at all. */
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
  /** Published ones, in their order. */
  readonly chunks: readonly ChunkStanding[];
}

/** Which of some metadata keys no chunk of a scope has a value of that filters can see, and the keys that there are. */
export interface FilterKeys {
  readonly missing: readonly string[];
  /** Not looked for where none is missing. */
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
 * Chunks, their words and their vectors: one implementation for each engine. A search finds what is published and
 * nothing else, and sees every write that was answered before it.
 */
export interface SearchIndex {
  /**
   * The best published chunks of a scope by BM25, with the statistics of that scope alone: those with every term first.
   */
  keywordSearch(search: KeywordSearch, options?: CallOptions): Promise<KeywordRanking>;
  /** The published chunks nearest to a vector; equally near ones in the order of insertion. */
  vectorSearch(search: VectorSearch, options?: CallOptions): Promise<VectorRanking>;
  /** The published chunks behind ids, in their order, and the scope's epoch of the same moment. */
  livePassages(question: { scope: Scope; ids: readonly string[] }, options?: CallOptions): Promise<LivePassages>;
  /** Which of some ids are of published chunks that contain what is required, in their order; without their texts. */
  liveChunks(
    question: { scope: Scope; ids: readonly string[]; required: readonly KeywordTerm[] | null },
    options?: CallOptions,
  ): Promise<{ readonly ids: readonly string[]; readonly lost: number }>;
  /** What stands around each of some chunks. */
  neighbours(question: { chunkSeqs: readonly number[] }, options?: CallOptions): Promise<readonly Neighbours[]>;
  /** Where the texts of some chunks contain some terms; nowhere in one that has been removed. */
  highlights(
    question: { chunkSeqs: readonly number[]; terms: readonly KeywordTerm[] },
    options?: CallOptions,
  ): Promise<readonly (readonly TextRange[])[]>;
  /** Which of some chunks have each term: one set for each term. */
  termsFound(question: TermsFound, options?: CallOptions): Promise<readonly ReadonlySet<number>[]>;
  /** How the chunks of one document stand to the conditions of a search. */
  documentStanding(question: AskStanding, options?: CallOptions): Promise<DocumentStanding>;
  /** Which of some metadata keys no chunk of a scope has. */
  filterKeys(question: { scope: Scope; keys: readonly string[] }, options?: CallOptions): Promise<FilterKeys>;
  /** Prepares a scope's first search; of vectors where these are in the index, of so many dimensions. */
  warmUp(scope: Scope, dimensions: number | null, options?: CallOptions): Promise<void>;
  /**
   * Writes vectors; one of a chunk that has a vector replaces it. A chunk that has been removed meanwhile gets none.
   */
  writeVectors(vectors: readonly ChunkVector[], options?: CallOptions): Promise<void>;
  removeVectors(scope: Scope, target: VectorTarget, options?: CallOptions): Promise<void>;
  /** The vectors that a namespace has cached, key by key; `null` if it has none. */
  cachedVectors(
    question: { namespaceId: string; keys: readonly Uint8Array[] },
    options?: CallOptions,
  ): Promise<readonly (Uint8Array | null)[]>;
  /** Up to `limit` chunks of a generation, from an ordinal on, in order. */
  readChunks(
    question: GenerationRef & { from: number; limit: number },
    options?: CallOptions,
  ): Promise<readonly ChunkRow[]>;
  /** The ordinals of a document's chunks, with their generations: of one of these, or of all. */
  chunkOrdinals(
    question: { documentSeq: number; generation?: number | undefined },
    options?: CallOptions,
  ): Promise<readonly { readonly generation: number; readonly ordinal: number }[]>;
  /** How many chunks each generation of a document has. */
  chunkGenerations(
    question: { documentSeq: number },
    options?: CallOptions,
  ): Promise<readonly { readonly generation: number; readonly chunks: number }[]>;
  /** Does one step of the upkeep that writes have left. Returns whether there was any. */
  maintain(options?: CallOptions): Promise<boolean>;
}
