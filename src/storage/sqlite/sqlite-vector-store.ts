import type { Provider } from "../../interfaces/provider.js";
import type { VectorStore } from "../../interfaces/vector-store.js";
import { vectorToBytes } from "../../util/float32-bytes.js";
import { z } from "../../vendor/zod.js";
import type { SearchIndex } from "../search-index.js";

const PROVIDER = "MANAGED_SQLITE_VEC";
/** How far from 1 the length of a vector is that f32 holds as one of length 1. */
const ROUNDING = 1e-6;

interface StoreOptions {
  /**
   * Looks at the signs of vectors first where there are 50,000 or more, and at those alone that are most alike: about
   * twice as fast, and about one in a hundred of the nearest is missing. @default false
   */
  readonly approximate?: boolean | undefined;
}

/**
 * Vectors in the engine's own SQLite file, beside the chunks that they belong to: it keeps vectors of chunks that the
 * database already has, and filters by the database's own metadata index. Exact, unless told otherwise: a search finds
 * what comparing every vector would find.
 */
export function sqliteVecStore(index: SearchIndex, { approximate = false }: StoreOptions = {}): VectorStore {
  return {
    provider: PROVIDER,
    inDatabase: true,

    async upsert(_scope, records, options) {
      const vectors = records.map(({ documentId, generation, id, vector }) => ({
        documentId,
        generation,
        ordinal: Number(id.slice(id.lastIndexOf(".") + 1)),
        vector: vectorToBytes(unit(vector)),
      }));
      await index.writeVectors(vectors, options);
    },

    async query(scope, query, options) {
      const matches = await index.nearestVectors(scope, { ...query, vector: unit(query.vector), approximate }, options);
      return matches.map((match) => ({ ...match, similarity: Math.min(1, Math.max(-1, match.similarity)) }));
    },

    async delete(scope, target, options) {
      await index.removeVectors(scope, target, options);
    },
  };
}

const configSchema = z.strictObject({ provider: z.literal(PROVIDER), approximate: z.boolean().optional() });

/** The embedded default: needs no account and no second service. */
export function sqliteVecProvider(index: SearchIndex): Provider<z.infer<typeof configSchema>, VectorStore> {
  return { provider: PROVIDER, config: configSchema, create: async (config) => sqliteVecStore(index, config) };
}

/**
 * A vector of length 1 in its direction, which is all that a cosine depends on: sqlite-vec sums squares in f32, where
 * those of a very short or a very long vector are zero or infinite.
 */
function unit(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return norm === 0 || Math.abs(norm - 1) < ROUNDING ? vector : vector.map((value) => value / norm);
}
