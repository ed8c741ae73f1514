import type { Pooling } from "./model-families.js";

/** Pools a text's token vectors, stored one after another, into one vector of length 1. */
export function poolTokens(tokenVectors: Float32Array, dimensions: number, pooling: Pooling): Float32Array {
  const count = tokenVectors.length / dimensions;
  const vector = new Float32Array(dimensions);
  if (pooling === "mean") {
    for (let start = 0; start < tokenVectors.length; start += dimensions) {
      for (let index = 0; index < dimensions; index++) vector[index]! += tokenVectors[start + index]!;
    }
  } else {
    const start = pooling === "cls" ? 0 : (count - 1) * dimensions;
    vector.set(tokenVectors.subarray(start, start + dimensions));
  }
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  // The mean needs no division by the count, because the vector is normalized anyway.
  return norm === 0 ? vector : vector.map((value) => value / norm);
}
