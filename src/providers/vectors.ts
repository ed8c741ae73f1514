import type { VectorStore } from "../interfaces/vector-store.js";
import { z } from "../vendor/zod.js";

/** Where the vectors of a namespace are stored: in the search index with their chunks, or in a vector store. */
export type VectorLocation =
  | {
      readonly kind: "index";
      /** Whether a search may miss a few of the nearest, if that is faster. */
      readonly approximate: boolean;
    }
  | { readonly kind: "store"; readonly store: VectorStore };

/** The default: vectors in the search index. It needs no account and no second service. */
export const indexedVectors = {
  provider: "MANAGED_SQLITE_VEC",
  config: z.strictObject({
    provider: z.literal("MANAGED_SQLITE_VEC"),
    /**
     * From 50,000 vectors on, compares sign bits first, and vectors only where those are most similar: about twice as
     * fast, and about one in a hundred of the nearest is missing. @default false
     */
    approximate: z.boolean().optional(),
  }),
};
