import { KnowledgeBaseError } from "../../../errors.js";

const { fround } = Math;

/**
 * Returns 1 - cosine similarity, with sums in f32 and in the order of the dimensions, as sqlite-vec computes it, so that
 * ties and near ties are in the same order in each engine. The distance to a vector of zeros counts as 1.
 * @throws KnowledgeBaseError `store_failed` if the vectors differ in dimensions
 */
export function cosineDistance(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) {
    const message = `Vectors of ${a.length} and ${b.length} dimensions can't be compared: embed all with one model.`;
    throw new KnowledgeBaseError("store_failed", message);
  }
  let product = 0;
  let squaredNormA = 0;
  let squaredNormB = 0;
  for (let index = 0; index < a.length; index++) {
    const x = a[index]!;
    const y = b[index]!;
    product = fround(product + fround(x * y));
    squaredNormA = fround(squaredNormA + fround(x * x));
    squaredNormB = fround(squaredNormB + fround(y * y));
  }
  const distance = fround(1 - product / (Math.sqrt(squaredNormA) * Math.sqrt(squaredNormB)));
  return Number.isNaN(distance) ? 1 : distance;
}
