/** Nine significant digits represent an f32 exactly (IEEE 754), at half the length of its f64. */
const DIGITS = 9;

/** Normalizes a vector for JSON. Returns `null` for a vector of zeros. */
export function normalize(vector: Float32Array): readonly number[] | null {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return null;
  const length = Math.sqrt(squares);
  return Array.from(vector, (value) => Number((value / length).toPrecision(DIGITS)));
}

/** A unit vector that replaces a vector of zeros, which vendors refuse. */
export function zerosPlaceholder(dimensions: number): readonly number[] {
  return Array.from({ length: dimensions }, (_, index) => (index === 0 ? 1 : 0));
}
