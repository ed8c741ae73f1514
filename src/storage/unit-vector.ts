/** A vector whose length differs from 1 by less than this counts as normalized, since f32 values are rounded. */
const LENGTH_TOLERANCE = 1e-6;

/**
 * Scales a vector to length 1: distances are summed in f32, which overflow or vanish for very long or short vectors.
 */
export function unitVector(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return norm === 0 || Math.abs(norm - 1) < LENGTH_TOLERANCE ? vector : vector.map((value) => value / norm);
}
