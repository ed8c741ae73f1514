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
  /** Cosine similarity, -1 to 1; 0 if either vector is all zeros. */
  readonly similarity: number;
}

/** What to delete: a generation of a document, a document, or all vectors of a scope. */
export type DeleteTarget =
  | {
      readonly documentId: string;
      readonly generation?: number;
      /** All ids that may have been written for it, if known, including those that queries don't find yet. */
      readonly ids?: readonly string[];
    }
  | "all";

/** Stores vectors by scope. A query or deletion never reaches another scope. */
export interface VectorStore {
  readonly provider: string;
  /** Set by drivers that call a service. */
  readonly hosted?: HostedService;
  /** Maximum `topK` of a query. @default no limit */
  readonly maxTopK?: number;
  /**
   * Checks, when a namespace is created, whether the service accepts the key and vectors of these dimensions.
   * @throws KnowledgeBaseError `invalid_input` if it doesn't, and the errors of its calls
   */
  check?(dimensions: number, options?: HostedCallOptions): Promise<void>;
  /**
   * Checks, before a search, whether the store can apply a filter exactly.
   * @throws KnowledgeBaseError `unsupported` with the operator and the store
   */
  checkFilter?(filter: FilterNode): void;
  /** Writes records. A record replaces the one with the same id. */
  upsert(scope: Scope, records: readonly VectorRecord[], options?: HostedCallOptions): Promise<void>;
  /**
   * For stores with eventual consistency: returns those of the ids that a query would not find yet. A document is
   * published once there are none.
   */
  findMissing?(scope: Scope, ids: readonly string[], options?: HostedCallOptions): Promise<readonly string[]>;
  /** Finds the nearest vectors, best first. Ties are in the order of insertion or, in hosted stores, of their ids. */
  query(scope: Scope, query: VectorQuery, options?: HostedCallOptions): Promise<readonly VectorMatch[]>;
  /** Deletes one generation of a document, a document, or the whole scope. */
  delete(scope: Scope, target: DeleteTarget, options?: HostedCallOptions): Promise<void>;
  close?(): Promise<void>;
}
