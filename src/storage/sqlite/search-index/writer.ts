import type { SearchIndexWriter } from "../../search-index.js";
import { ImmediateStep } from "../immediate-step.js";
import type { Statements } from "../statements.js";
import { countVectors, removeChunks, removeScopeIndex, writeIndexedChunks } from "./chunks.js";
import { recordChange } from "./scope-changes.js";

/** The search index in the connection's database. */
export function sqliteIndexWriter(db: Statements): SearchIndexWriter {
  return {
    writeChunks: (batch) => new ImmediateStep(writeIndexedChunks(db, batch)),
    countVectors: (generation) => new ImmediateStep(countVectors(db, generation)),
    publish: (publication) => new ImmediateStep(recordChange(db, publication)),
    removeChunks: (target) => new ImmediateStep(removeChunks(db, target)),
    removeScope: (scopeId) => new ImmediateStep(removeScopeIndex(db, scopeId)),
    removeNamespace: (namespaceId) => {
      db.run("DELETE FROM embedding_cache WHERE namespace_id = ?", namespaceId);
      return new ImmediateStep<void>(undefined);
    },
  };
}
