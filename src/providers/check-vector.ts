import { KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";

/**
 * Checks a vector that an embedder returned.
 * @throws KnowledgeBaseError `provider_failed` unless the vector is a Float32Array with finite values and the right
 * length
 */
export function checkVector(embedder: Embedder, vector: Float32Array): void {
  if (Object.prototype.toString.call(vector) !== "[object Float32Array]")
    throw invalidVector(embedder, "a value that is not a Float32Array");
  if (vector.length !== embedder.dimensions) {
    throw invalidVector(embedder, `a vector of ${vector.length} dimensions instead of ${embedder.dimensions}`);
  }
  if (!vector.every(Number.isFinite)) throw invalidVector(embedder, "a vector with a value that is not finite");
}

function invalidVector(embedder: Embedder, problem: string): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "provider_failed",
    `The embedder ${embedder.provider} ${embedder.model} returned ${problem}.`,
  );
}
