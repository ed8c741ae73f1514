import type { VectorStore } from "../interfaces/vector-store.js";
import type { Scope } from "../types.js";
import { overrideMembers } from "../util/override-members.js";
import { z } from "../vendor/zod.js";

/** Where the vectors of a namespace are stored: in the search index with their chunks, or in a vector store. */
export type VectorLocation =
  | {
      readonly kind: "index";
      /** Whether a search may miss a few of the nearest vectors to be faster. */
      readonly approximate: boolean;
    }
  | { readonly kind: "store"; readonly store: VectorStore };

/** Returns the namespace id of the scopes that a set of vectors of a namespace has in a store. */
export function namespaceIdOfSet(namespaceId: string, vectorSet: number): string {
  return vectorSet === 0 ? namespaceId : `${namespaceId}_${vectorSet}`;
}

/**
 * Returns where a set of vectors of a namespace is. Sets of one namespace never meet in a store: the first has the
 * scopes of the namespace, and the others have scopes of their own, whose `namespaceId` ends in the number of the set.
 */
export function withVectorSet(location: VectorLocation, vectorSet: number): VectorLocation {
  if (location.kind === "index" || vectorSet === 0) return location;
  const { store } = location;
  const ofSet = (scope: Scope): Scope => ({ ...scope, namespaceId: namespaceIdOfSet(scope.namespaceId, vectorSet) });
  return {
    kind: "store",
    store: overrideMembers(store, {
      upsert: (scope, records, options) => store.upsert(ofSet(scope), records, options),
      query: (scope, query, options) => store.query(ofSet(scope), query, options),
      delete: (scope, target, options) => store.delete(ofSet(scope), target, options),
      ...(store.findMissing && {
        findMissing: (scope, ids, options) => store.findMissing!(ofSet(scope), ids, options),
      }),
    }),
  };
}

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
