import type { ChunkDraft } from "../interfaces/chunker.js";
import type { Metadata } from "../types.js";
import type { Step } from "./step.js";

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
  countVectors(generation: { readonly documentSeq: number; readonly generation: number }): Step<number>;
  /** Tells searches that another generation of a document, or none, is published now. The scope's epoch grows by one. */
  publish(publication: Publication): Step<void>;
  /**
   * Removes up to `limit` chunks of a generation, or of all of them, with all that the index has of them. Returns whether some may be left.
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

/** A chunk as it is written: `metadata` is what filters see, apart from the keys that are columns. */
export interface NewChunk extends ChunkDraft {
  readonly ordinal: number;
  readonly embeddingKey: Uint8Array | null;
}
