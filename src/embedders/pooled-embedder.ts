import type { Embedder } from "../interfaces/embedder.js";
import { ThreadPool, type ThreadPoolOptions } from "../rpc/thread-pool.js";

/** Operations of a thread that embeds texts. */
export interface TextOperations {
  /** Returns the concatenated vectors of all texts, and the number of tokens of each. */
  embed(texts: readonly string[]): { readonly vectors: Float32Array; readonly tokenCounts: Uint32Array };
  countTokens(texts: readonly string[]): Uint32Array;
}

type ModelProperties = Pick<Embedder, "provider" | "model" | "dimensions" | "semanticWeight" | "unrelatedSimilarity">;

/** Creates an embedder whose vectors are cheap to compute, on worker threads that start with the first text. */
export function pooledEmbedder(properties: ModelProperties, options: ThreadPoolOptions): Embedder {
  const pool = new ThreadPool<TextOperations>(options);
  const { dimensions } = properties;
  return {
    ...properties,
    maxInputTokens: null,
    cacheable: false,
    async embed(texts, { purpose, signal, onTokens }) {
      signal?.throwIfAborted();
      if (texts.length === 0) return [];
      const { vectors, tokenCounts } = await pool.run("embed", texts, { signal, urgent: purpose === "query" });
      onTokens?.([...tokenCounts]);
      return texts.map((_, index) => vectors.subarray(index * dimensions, (index + 1) * dimensions));
    },
    async countTokens(texts, { signal } = {}) {
      signal?.throwIfAborted();
      if (texts.length === 0) return [];
      return Array.from(await pool.run("countTokens", texts, { signal, urgent: true }));
    },
    close: () => pool.close(),
  };
}
