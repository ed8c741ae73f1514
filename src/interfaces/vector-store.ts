import type { FilterNode } from "../filter.js";
import type { Metadata, Scope } from "../types.js";
import type { HostedCallOptions, HostedService } from "./hosted.js";

/** The vector of a chunk, with the metadata for filters. */
export interface VectorRecord {
  /** `<documentId>.<generation>.<n>`. */
  readonly id: string;
  readonly documentId: string;
  readonly generation: number;
  readonly vector: Float32Array;
  readonly metadata: Metadata;
}

/** A search for the nearest vectors. */
export interface VectorQuery {
  readonly vector: Float32Array;
  /** Maximum number of matches to return. */
  readonly topK: number;
  /** Must be applied before the nearest are chosen, not after; null for none. */
  readonly filter: FilterNode | null;
}

/** A vector that a query found. */
export interface VectorMatch {
  readonly id: string;
  /** Cosine similarity, -1 to 1; 0 if either is a zero vector. */
  readonly similarity: number;
}

/** What to delete: a generation of a document, a document, or all vectors of a scope. */
export type DeleteTarget =
  | {
      readonly documentId: string;
      readonly generation?: number;
      /** All ids that may have been written for the document, if known, including ids that queries don't find yet. */
      readonly ids?: readonly string[];
    }
  | "all";

/**
 * Stores vectors by scope. A query or deletion never reaches another scope. After a re-embedding into a store, a
 * scope's
 * `namespaceId` is the id of the namespace followed by `_` and a number: each set of vectors has scopes of its own.
 */
export interface VectorStore {
  readonly provider: string;
  /** Set by drivers that call a service. */
  readonly hosted?: HostedService;
  /** Maximum `topK` of a query. @default no limit */
  readonly maxTopK?: number;
  /**
   * Checks, when a namespace is created or its vectors are to move here, whether the service accepts the key and
   * vectors of these dimensions.
   * @throws KnowledgeBaseError `invalid_input` if the service doesn't, and the errors of calls to the service
   */
  check?(dimensions: number, options?: HostedCallOptions): Promise<void>;
  /**
   * Checks, before a search, whether the store can apply a filter exactly.
   * @throws KnowledgeBaseError `unsupported` that names the operator and the store
   */
  checkFilter?(filter: FilterNode): void;
  /** Writes records. A record replaces an existing record with the same id. */
  upsert(scope: Scope, records: readonly VectorRecord[], options?: HostedCallOptions): Promise<void>;
  /**
   * Returns which of the ids a query would not find yet, for stores with eventual consistency. A document is published
   * once no id is missing.
   */
  findMissing?(scope: Scope, ids: readonly string[], options?: HostedCallOptions): Promise<readonly string[]>;
  /** Finds the nearest vectors, best first. Ties are in the order of insertion or, in hosted stores, of their ids. */
  query(scope: Scope, query: VectorQuery, options?: HostedCallOptions): Promise<readonly VectorMatch[]>;
  /** Deletes one generation of a document, a document, or the whole scope. */
  delete(scope: Scope, target: DeleteTarget, options?: HostedCallOptions): Promise<void>;
  close?(): Promise<void>;
}
