/** Nine significant digits identify every f32 (IEEE 754), at half the length of an f64. */
const DIGITS = 9;

/** Returns a vector of length 1 with the same direction, as numbers for JSON; `null` for a zero vector. */
export function normalize(vector: Float32Array): readonly number[] | null {
  let squaredNorm = 0;
  for (const value of vector) squaredNorm += value * value;
  if (squaredNorm === 0) return null;
  const norm = Math.sqrt(squaredNorm);
  return Array.from(vector, (value) => Number((value / norm).toPrecision(DIGITS)));
}

/** Returns a unit vector to replace a zero vector, which vendors reject. */
export function zeroVectorPlaceholder(dimensions: number): readonly number[] {
  return Array.from({ length: dimensions }, (_, index) => (index === 0 ? 1 : 0));
}
