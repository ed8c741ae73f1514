import type { Engine } from "../engine/engine.js";
import { namespaceIdOfSet } from "../providers/vectors.js";
import type { AbandonedSet } from "../storage/records/unused-vectors.js";

/** Tells the operator what is left in a vector store that was given up. */
export function warnOfAbandonedStore(engine: Engine, namespaceId: string, abandoned: AbandonedSet): void {
  const { vectorSet, vectorStoreConfig, vectors } = abandoned;
  engine.events.warn(
    `The vector store ${JSON.stringify(vectorStoreConfig)} of ${namespaceId} was given up. It may still have about ${vectors} ` +
      `vectors, in the scopes of the namespace id ${namespaceIdOfSet(namespaceId, vectorSet)}, which nothing will delete.`,
  );
}
