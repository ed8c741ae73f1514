/** A JSON number of an f32: nine significant digits give it back (IEEE 754), and are half as long as those of its f64. */
const DIGITS = 9;

/** A vector of length 1 in its direction, as numbers of JSON; null for a vector of zeros, which has none. */
export function directionOf(vector: Float32Array): readonly number[] | null {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return null;
  const length = Math.sqrt(squares);
  return Array.from(vector, (value) => Number((value / length).toPrecision(DIGITS)));
}

/** The direction that stands for zeros where a vendor wants one. */
export function standIn(dimensions: number): readonly number[] {
  return Array.from({ length: dimensions }, (_, index) => (index === 0 ? 1 : 0));
}
