import type { VectorStore } from "../interfaces/vector-store.js";
import { z } from "../vendor/zod.js";

/** Where the vectors of a namespace are stored: in the search index with their chunks, or in a vector store. */
export type VectorLocation =
  | {
      readonly kind: "index";
      /** Whether a search may miss a few of the nearest vectors to be faster. */
      readonly approximate: boolean;
    }
  | { readonly kind: "store"; readonly store: VectorStore };

/** The default provider, which keeps vectors in the search index and needs no account or other service. */
export const indexedVectors = {
  provider: "MANAGED_SQLITE_VEC",
  config: z.strictObject({
    provider: z.literal("MANAGED_SQLITE_VEC"),
    /**
     * From 50,000 vectors on, compares sign bits first, and only the vectors whose sign bits are most similar. Searches
     * are about twice as fast, and miss about one in a hundred of the nearest vectors. @default false
     */
    approximate: z.boolean().optional(),
  }),
};
