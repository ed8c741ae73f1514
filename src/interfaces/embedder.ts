import type { CallOptions } from "../types.js";
import type { HostedCallOptions, HostedService } from "./hosted.js";

/** Whether a text is a document to store or a query. Some models use a different prompt for each. */
export type EmbedPurpose = "document" | "query";

/** Progress of downloading a model. */
export interface LoadProgress {
  readonly model: string;
  readonly file: string;
  /** Bytes. */
  readonly loaded: number;
  /** Bytes; null if unknown. */
  readonly total: number | null;
}

/** Options of one call of an embedder. */
export interface EmbedOptions extends HostedCallOptions {
  readonly purpose: EmbedPurpose;
  /**
   * An embedder that knows the texts' token counts after embedding may report them here, in the form that `countTokens`
   * returns.
   */
  onTokens?(counts: readonly number[]): void;
}

/** Computes vectors of texts. The engine, not the driver, retries, caches, logs and batches calls. */
export interface Embedder {
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
  /** Maximum tokens of a text; the model ignores the rest. Null for no limit. */
  readonly maxInputTokens: number | null;
  /** Set by drivers that call a service. */
  readonly hosted?: HostedService;
  /** Maximum texts in one call. @default 64 */
  readonly maxBatchSize?: number;
  /** Maximum tokens in one call, counted by `countTokens`. @default no limit */
  readonly maxBatchTokens?: number;
  /** Whether to cache vectors; false if computing a vector is cheaper than looking it up. @default true */
  readonly cacheable?: boolean;
  /** The cosine similarity of unrelated texts, below 1, at which semantic scores are 0. @default 0 */
  readonly unrelatedSimilarity?: number;
  /** Weight of the semantic ranking in hybrid search, 0 to 1. @default 0.5 */
  readonly semanticWeight?: number;
  /** What affects the vectors besides provider and model (dtype, prefixes, endpoint); part of the cache key. */
  readonly fingerprint?: string;
  /** Returns one vector for each text, in order, normalised to length 1; a zero vector for a text without content. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
  /** Counts the tokens of each text with the model's tokenizer, including special tokens. */
  countTokens(texts: readonly string[], options?: CallOptions): Promise<readonly number[]>;
  /** Releases threads and memory. */
  close?(): Promise<void>;
}
