import { createHash } from "node:crypto";
import { checkVector } from "../check-vector.js";
import type { Database } from "../database/database.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { CallOptions } from "../types.js";
import { fromBlob } from "../vector-blob.js";
import type { BatchingEmbedder } from "./batching-embedder.js";

export interface EmbeddedTexts {
  readonly vectors: readonly Float32Array[];
  /** The cache's key of each text; null where vectors are not kept. */
  readonly keys: readonly (Uint8Array | null)[];
  /** Which were computed now, by index: the others were known. */
  readonly computed: readonly number[];
}

/** Embeds texts of documents; one that the namespace has embedded before is not embedded again. */
export async function embedChunks(
  database: Database,
  batching: BatchingEmbedder,
  namespaceId: string,
  texts: readonly string[],
  options: CallOptions,
): Promise<EmbeddedTexts> {
  const { embedder } = batching;
  if (embedder.cacheable === false) {
    const vectors = await embedChecked(batching, texts);
    return { vectors, keys: texts.map(() => null), computed: [] };
  }
  const keys = texts.map((text) => cacheKey(embedder, text));
  const known = await database.ask("cachedVectors", { namespaceId, keys }, options);
  const missing = texts.flatMap((_, index) => (known[index] ? [] : [index]));
  const fresh = await embedChecked(
    batching,
    missing.map((index) => texts[index]!),
  );
  const vectors = known.map((blob) => (blob ? fromBlob(blob) : null));
  for (const [place, index] of missing.entries()) vectors[index] = fresh[place]!;
  return { vectors: vectors as Float32Array[], keys, computed: missing };
}

/** What an embedder returns is stored only when it is what was asked for. */
async function embedChecked(batching: BatchingEmbedder, texts: readonly string[]): Promise<readonly Float32Array[]> {
  const { embedder } = batching;
  const vectors = await batching.embed(texts);
  for (const vector of vectors) checkVector(embedder, vector);
  return vectors;
}

/** SHA-256 over everything that a vector depends on. */
function cacheKey(embedder: Embedder, text: string): Uint8Array {
  const { provider, model, dimensions, fingerprint = "" } = embedder;
  return createHash("sha256")
    .update(JSON.stringify([provider, model, dimensions, fingerprint, "document", text]))
    .digest();
}
