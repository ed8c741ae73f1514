import type { VectorStore } from "../../src/interfaces/vector-store.js";
import type { SearchIndex } from "../../src/storage/search-index.js";

/** The vectors of a search index as a vector store, which makes the same promises. */
export function indexVectorStore(index: SearchIndex): VectorStore {
  return {
    provider: "MANAGED_SQLITE_VEC",

    async upsert(_scope, records, options) {
      const vectors = records.map(({ documentId, generation, id, vector }) => {
        return { documentId, generation, ordinal: Number(id.slice(id.lastIndexOf(".") + 1)), vector };
      });
      await index.writeVectors(vectors, options);
    },

    async query(scope, { vector, topK, filter }, options) {
      const search = { scope, vector, limit: topK, filter, required: null, withPassages: false, approximate: false };
      return (await index.vectorSearch(search, options)).matches;
    },

    delete: (scope, target, options) => index.removeVectors(scope, target, options),
  };
}
