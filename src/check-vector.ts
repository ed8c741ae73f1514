import { KnowledgeBaseError } from "./errors.js";
import type { Embedder } from "./interfaces/embedder.js";

/** @throws KnowledgeBaseError `provider_failed` for a vector of another length or with a value that is no number */
export function checkVector(embedder: Embedder, vector: Float32Array): void {
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
