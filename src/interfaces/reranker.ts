import type { HostedCallOptions, HostedService } from "./hosted.js";

/** A scored passage. */
export interface RankedPassage {
  /** The passage's index in the call's passages. */
  readonly index: number;
  /** How well the passage answers the query, 0 to 1. */
  readonly score: number;
}

/** Options of one call of a reranker. */
export interface RerankOptions extends HostedCallOptions {
  /** Maximum number of passages to return. */
  readonly limit: number;
  /**
   * Rerankers that score one passage after another may report each score here. When the time for reranking runs out,
   * the reported scores are used.
   */
  onScore?(ranked: RankedPassage): void;
}

/** Scores passages by their relevance to a query. */
export interface Reranker {
  /** `vendor:model`, the name for `rerankModel`. */
  readonly model: string;
  /** Set by drivers that call a service. */
  readonly hosted?: HostedService;
  /** Maximum passages in one call; more passages take several calls. @default no limit */
  readonly maxBatchSize?: number;
  /** Maximum bytes in one call, counted by `countBytes`. @default no limit */
  readonly maxBatchBytes?: number;
  /** Returns the bytes of a passage and the query that count towards `maxBatchBytes`. */
  countBytes?(query: string, passage: string): number;
  /** Returns all passages or the best `limit` of them, best first. */
  rerank(query: string, passages: readonly string[], options: RerankOptions): Promise<readonly RankedPassage[]>;
  /** Releases threads and memory. Called only on rerankers that the engine opened by name. */
  close?(): Promise<void>;
}
