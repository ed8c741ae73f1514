import type { Embedder } from "../interfaces/embedder.js";
import type { ThreadPool } from "../rpc/thread-pool.js";

/** Operations of a thread that embeds texts. */
export interface TextOperations {
  /** The concatenated vectors of all texts, and the tokens of each. */
  embed(texts: readonly string[]): { readonly vectors: Float32Array; readonly tokens: Uint32Array };
  countTokens(texts: readonly string[]): Uint32Array;
}

/** The methods of an embedder that runs on such threads. */
export function embedByPool(
  pool: ThreadPool<TextOperations>,
  dimensions: number,
): Required<Pick<Embedder, "embed" | "countTokens" | "close">> {
  return {
    async embed(texts, { purpose, signal, onTokens }) {
      signal?.throwIfAborted();
      if (texts.length === 0) return [];
      const { vectors, tokens } = await pool.run("embed", texts, { signal, urgent: purpose === "query" });
      onTokens?.([...tokens]);
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
