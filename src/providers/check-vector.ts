import { KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";

/** @throws KnowledgeBaseError `provider_failed` for what is no Float32Array, has another length or a value that is no number */
export function checkVector(embedder: Embedder, vector: Float32Array): void {
  // Anything else, such as a plain array, has no bytes to store.
  if (Object.prototype.toString.call(vector) !== "[object Float32Array]")
    throw badVectors(embedder, "what is no Float32Array");
  if (vector.length !== embedder.dimensions) {
    throw badVectors(embedder, `a vector of ${vector.length} dimensions where it has ${embedder.dimensions}`);
  }
  if (!vector.every(Number.isFinite)) throw badVectors(embedder, "a vector with a value that is not finite");
}

function badVectors(embedder: Embedder, what: string): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "provider_failed",
    `The embedder ${embedder.provider} ${embedder.model} returned ${what}.`,
  );
}
