import type { Pooling } from "./model-families.js";

/** Pools consecutive token vectors of a text into one vector of length 1. */
export function poolTokens(tokens: Float32Array, dimensions: number, pooling: Pooling): Float32Array {
  const count = tokens.length / dimensions;
  const vector = new Float32Array(dimensions);
  if (pooling === "mean") {
    for (let start = 0; start < tokens.length; start += dimensions) {
      for (let index = 0; index < dimensions; index++) vector[index]! += tokens[start + index]!;
    }
  } else {
    const start = pooling === "cls" ? 0 : (count - 1) * dimensions;
    vector.set(tokens.subarray(start, start + dimensions));
  }
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  // A sum doesn't need to be divided by the count: normalizing gives the same vector.
  return norm === 0 ? vector : vector.map((value) => value / norm);
}
