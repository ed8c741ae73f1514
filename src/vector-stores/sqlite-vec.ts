import { z } from "zod";
import type { Provider } from "../interfaces/provider.js";
import type { VectorDatabase } from "../interfaces/vector-database.js";
import type { VectorStore } from "../interfaces/vector-store.js";
import { toBlob } from "../vector-blob.js";

const PROVIDER = "MANAGED_SQLITE_VEC";
/** How far from 1 the length of a vector is that f32 holds as one of length 1. */
const ROUNDING = 1e-6;

/**
 * Vectors in the engine's own SQLite file, beside the chunks that they belong to: it keeps vectors of chunks that the database
 * already has, and filters by the database's own metadata index. Exact: a search finds what comparing every vector would find.
 */
export function sqliteVecStore(database: VectorDatabase): VectorStore {
  return {
    provider: PROVIDER,

    async upsert(_scope, records, options) {
      const vectors = records.map(({ documentId, generation, id, vector }) => ({
        documentId,
        generation,
        ordinal: Number(id.slice(id.lastIndexOf(".") + 1)),
        vector: toBlob(unit(vector)),
      }));
      await database.writeVectors(vectors, options);
    },

    async query(scope, query, options) {
      const matches = await database.nearestVectors(scope, { ...query, vector: unit(query.vector) }, options);
      return matches.map(({ id, similarity }) => ({ id, similarity: Math.min(1, Math.max(-1, similarity)) }));
    },

    async delete(scope, target, options) {
      await database.removeVectors(scope, target, options);
    },
  };
}

const configSchema = z.strictObject({ provider: z.literal(PROVIDER) });

/** The embedded default: needs no account and no second service. */
export function sqliteVecProvider(database: VectorDatabase): Provider<z.infer<typeof configSchema>, VectorStore> {
  return { provider: PROVIDER, config: configSchema, create: async () => sqliteVecStore(database) };
}

/**
 * A vector of length 1 in its direction, which is all that a cosine depends on: sqlite-vec sums squares in f32, where those of a very
 * short or a very long vector are zero or infinite.
 */
function unit(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return norm === 0 || Math.abs(norm - 1) < ROUNDING ? vector : vector.map((value) => value / norm);
}
