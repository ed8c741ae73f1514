import type { CallOptions } from "../types.js";
import type { HostedCallOptions, HostedService } from "./hosted.js";

/** What a text is embedded for; models with prompts tell the two apart. */
export type EmbedPurpose = "document" | "query";

/** Progress of loading a model. */
export interface LoadProgress {
  readonly model: string;
  readonly file: string;
  /** Bytes. */
  readonly loaded: number;
  /** Bytes; null while unknown. */
  readonly total: number | null;
}

export interface EmbedOptions extends HostedCallOptions {
  readonly purpose: EmbedPurpose;
  /** Hears the tokens of each text, as `countTokens` gives them, from an embedder that knows them once it has embedded: none need. */
  onTokens?(counts: readonly number[]): void;
}

/** Turns texts into vectors. A driver neither retries, caches, logs nor batches: the engine does. */
export interface Embedder {
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
  /** Most tokens of one text that the model reads; null for no limit. */
  readonly maxInputTokens: number | null;
  /** For a driver that calls a service. */
  readonly hosted?: HostedService;
  /** Most texts in one call. @default 64 */
  readonly maxBatchSize?: number;
  /** Most tokens in one call, by `countTokens`. @default no limit */
  readonly maxBatchTokens?: number;
  /** False where computing a vector again is cheaper than looking it up. @default true */
  readonly cacheable?: boolean;
  /** The cosine similarity that unrelated texts have, below 1: scores of meaning begin there. @default 0 */
  readonly unrelatedSimilarity?: number;
  /** The weight of its similarities beside words in a hybrid search, 0 to 1. @default 0.5 */
  readonly semanticWeight?: number;
  /** Everything besides provider and model that changes the vectors (dtype, prefixes, endpoint), for the cache's key. */
  readonly fingerprint?: string;
  /** One vector a text, in order, of length 1 (or all zeros for a text without content). */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
  /** Tokens of each text by the model's own tokenizer, its special tokens included. */
  countTokens(texts: readonly string[], options?: CallOptions): Promise<readonly number[]>;
  /** Releases threads and memory. */
  close?(): Promise<void>;
}
