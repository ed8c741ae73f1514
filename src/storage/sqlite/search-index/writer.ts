import type { SearchIndexWriter } from "../../search-index.js";
import { Answer } from "../answer.js";
import type { Statements } from "../statements.js";
import { countVectors, removeChunks, removeScopeIndex, writeIndexedChunks } from "./chunks.js";
import { recordChange } from "./scope-changes.js";

/** The search index in the connection's database. */
export function sqliteIndexWriter(db: Statements): SearchIndexWriter {
  return {
    writeChunks: (batch) => new Answer(writeIndexedChunks(db, batch)),
    countVectors: (generation) => new Answer(countVectors(db, generation)),
    publish: (publication) => new Answer(recordChange(db, publication)),
    removeChunks: (target) => new Answer(removeChunks(db, target)),
    removeScope: (scopeId) => new Answer(removeScopeIndex(db, scopeId)),
    removeNamespace: (namespaceId) => {
      db.run("DELETE FROM embedding_cache WHERE namespace_id = ?", namespaceId);
      return new Answer<void>(undefined);
    },
  };
}
