import type { FilterNode } from "../filter.js";
import type { Metadata, Scope } from "../types.js";
import type { HostedCallOptions, HostedService } from "./hosted.js";

/** A vector under its chunk's id, with what filtering needs. */
export interface VectorRecord {
  /** `<documentId>.<generation>.<n>`. */
  readonly id: string;
  readonly documentId: string;
  readonly generation: number;
  readonly vector: Float32Array;
  readonly metadata: Metadata;
}

export interface VectorQuery {
  readonly vector: Float32Array;
  /** Most matches returned. */
  readonly topK: number;
  /** Applied inside the query, never after it; null for none. */
  readonly filter: FilterNode | null;
  /**
   * Words and phrases that every match contains, for a store in the engine's own database, which finds them by the keyword index. What
   * any other store finds is looked through by the engine. @default null
   */
  readonly required?: readonly { readonly text: string; readonly prefix: boolean }[] | null;
  /** Whether a store in the engine's own database may read the chunks as well. No other store need heed it. @default false */
  readonly read?: boolean;
}

export interface VectorMatch {
  readonly id: string;
  /** Cosine similarity, -1 to 1; 0 where either vector is all zeros. */
  readonly similarity: number;
  /** The chunk as the engine reads it, of the same moment: from the engine's own database alone. */
  readonly chunk?: unknown;
}

export type DeleteTarget =
  | {
      readonly documentId: string;
      readonly generation?: number;
      /** Every id that may have been written of it, where that is known: those that no query finds yet are among them. */
      readonly ids?: readonly string[];
    }
  | "all";

/** Keeps vectors by scope. Scopes never see each other. */
export interface VectorStore {
  readonly provider: string;
  /** For a driver that calls a service. */
  readonly hosted?: HostedService;
  /**
   * Whether it writes to the engine's own database, in the order in which it is asked to: then what follows a write need not wait for
   * it. @default false
   */
  readonly inDatabase?: boolean;
  /** The most matches that one query gives. @default no end */
  readonly maxTopK?: number;
  /**
   * At the creation of a namespace: whether the service takes the key and vectors of so many dimensions.
   * @throws KnowledgeBaseError `invalid_input` for what doesn't fit, and what its calls fail with
   */
  check?(dimensions: number, options?: HostedCallOptions): Promise<void>;
  /**
   * Whether the store can apply a filter exactly, asked before a search begins.
   * @throws KnowledgeBaseError `unsupported` that names the operator and the store
   */
  checkFilter?(filter: FilterNode): void;
  /** Writes records; one with a known id replaces the old one. */
  upsert(scope: Scope, records: readonly VectorRecord[], options?: HostedCallOptions): Promise<void>;
  /**
   * For a store that finds what was written only some time later: which of the ids a query would not find yet. Nothing is published
   * before there are none.
   */
  findMissing?(scope: Scope, ids: readonly string[], options?: HostedCallOptions): Promise<readonly string[]>;
  /** Best first; equal similarities in the order of their ids' insertion, or, in a hosted store, of their ids. */
  query(scope: Scope, query: VectorQuery, options?: HostedCallOptions): Promise<readonly VectorMatch[]>;
  /** Removes one generation of a document, a document, or the whole scope. */
  delete(scope: Scope, target: DeleteTarget, options?: HostedCallOptions): Promise<void>;
  close?(): Promise<void>;
}
