import { createHash } from "node:crypto";
import type { Embedder } from "../interfaces/embedder.js";
import type { PreparedChunk } from "../parse-workers/preparer.js";
import { checkVector } from "../providers/check-vector.js";
import type { Storage } from "../storage/storage.js";
import type { CallOptions } from "../types.js";
import { bytesToVector } from "../util/float32-bytes.js";
import type { BatchingEmbedder, Embedded } from "./batching-embedder.js";

export interface EmbeddedChunks {
  readonly vectors: readonly Float32Array[];
  /** The cache key of each chunk; `null` if vectors are not cached. */
  readonly keys: readonly (Uint8Array | null)[];
  /** The token count of each chunk. */
  readonly tokenCounts: readonly number[];
  /** Indexes of the chunks whose vectors were computed now and must be cached. */
  readonly computedIndexes: readonly number[];
}

/** Embeds chunks, except those in the namespace's cache, and counts the tokens of chunks without a token count. */
export async function embedChunks(
  storage: Storage,
  batching: BatchingEmbedder,
  namespaceId: string,
  chunks: readonly Pick<PreparedChunk, "indexText" | "tokens">[],
  options: CallOptions,
): Promise<EmbeddedChunks> {
  const { embedder } = batching;
  const texts = chunks.map(({ indexText }) => indexText);
  const keys = texts.map((text) => (embedder.cacheable === false ? null : cacheKey(embedder, text)));
  const cached = await readCachedVectors(storage, namespaceId, keys, options);
  const missingIndexes = texts.flatMap((_, index) => (cached[index] ? [] : [index]));
  const computed = await embedChecked(
    batching,
    missingIndexes.map((index) => texts[index]!),
  );
  const vectors = [...cached];
  const tokenCounts = chunks.map((chunk) => chunk.tokens);
  for (const [position, index] of missingIndexes.entries()) {
    vectors[index] = computed[position]!.vector;
    tokenCounts[index] ??= computed[position]!.tokens;
  }
  return {
    vectors: vectors as Float32Array[],
    keys,
    tokenCounts: await countMissing(batching, texts, tokenCounts),
    computedIndexes: missingIndexes.filter((index) => keys[index] !== null),
  };
}

async function readCachedVectors(
  storage: Storage,
  namespaceId: string,
  keys: readonly (Uint8Array | null)[],
  options: CallOptions,
): Promise<readonly (Float32Array | null)[]> {
  const cacheKeys = keys.filter((key) => key !== null);
  if (cacheKeys.length === 0) return keys.map(() => null);
  const cached = await storage.index.cachedVectors({ namespaceId, keys: cacheKeys }, options);
  return cached.map((blob) => (blob ? bytesToVector(blob) : null));
}

/** Returns the token counts, counting those that are `null`. */
async function countMissing(
  batching: BatchingEmbedder,
  texts: readonly string[],
  tokenCounts: readonly (number | null)[],
): Promise<readonly number[]> {
  const uncounted = texts.filter((_, index) => tokenCounts[index] === null);
  const counts = uncounted.length === 0 ? [] : await batching.countTokens(uncounted);
  let next = 0;
  return tokenCounts.map((count) => count ?? counts[next++]!);
}

/** Embeds the texts and validates the vectors, so that nothing from a faulty embedder is stored. */
async function embedChecked(batching: BatchingEmbedder, texts: readonly string[]): Promise<readonly Embedded[]> {
  const { embedder } = batching;
  const embedded = await batching.embed(texts);
  for (const { vector } of embedded) checkVector(embedder, vector);
  return embedded;
}

/** Returns the SHA-256 of everything that a vector depends on. */
function cacheKey(embedder: Embedder, text: string): Uint8Array {
  const { provider, model, dimensions, fingerprint = "" } = embedder;
  return createHash("sha256")
    .update(JSON.stringify([provider, model, dimensions, fingerprint, "document", text]))
    .digest();
}
