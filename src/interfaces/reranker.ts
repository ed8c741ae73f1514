import type { HostedCallOptions, HostedService } from "./hosted.js";

/** A passage's place among those that were given, from 0, and how well it answers the query, 0 to 1. */
export interface RankedPassage {
  readonly index: number;
  readonly score: number;
}

export interface RerankOptions extends HostedCallOptions {
  /** Most passages returned. */
  readonly limit: number;
  /**
   * Hears each score as soon as it is known, from rerankers that judge one passage after another: what it has heard counts when the
   * search's time for reranking runs out.
   */
  onScore?(ranked: RankedPassage): void;
}

/** Judges passages against a query. */
export interface Reranker {
  /** `vendor:model`, the name that `rerankModel` uses. */
  readonly model: string;
  /** For a driver that calls a service. */
  readonly hosted?: HostedService;
  /** Most passages in one call; more are judged in several. @default no limit */
  readonly maxBatchSize?: number;
  /** Most bytes in one call, by `countBytes`. @default no limit */
  readonly maxBatchBytes?: number;
  /** What a passage takes of `maxBatchBytes` beside a query. */
  countBytes?(query: string, passage: string): number;
  /** Best first: every passage, or the best `limit` of them. */
  rerank(query: string, passages: readonly string[], options: RerankOptions): Promise<readonly RankedPassage[]>;
  /** Releases threads and memory. The engine calls it on rerankers that it made itself from their names. */
  close?(): Promise<void>;
}
