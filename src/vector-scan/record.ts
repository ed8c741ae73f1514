// A record is a quantized vector (SQ8): an 8-bit code for each dimension, padded with zeros to a multiple of 16, then
// f32 scale, f32 residual and f64 chunk sequence, little-endian like every machine that runs Node.

/** Bytes after the codes. */
const TAIL_BYTES = 16;
/** Offsets after the codes. */
const RESIDUAL_OFFSET = 4;
const CHUNK_OFFSET = 8;
/** The largest code. */
export const CODE_MAX = 127;

/** Maximum relative rounding error of f32. */
export const F32_ROUNDING = 2 ** -24;

/** Returns the number of bytes of a record's codes, which the scale follows. */
export function strideOf(dimensions: number): number {
  return (dimensions + 15) & ~15;
}

/** Returns the number of bytes of a record. */
export function recordBytes(dimensions: number): number {
  return strideOf(dimensions) + TAIL_BYTES;
}

/**
 * Writes the record of a vector v at a multiple of 8 bytes.
 *
 * With v/|v| = scale * codes + r, the residual is no less than |r|. The scale is the least-squares fit. Sums are
 * computed in f64, whose own rounding (below 1e-10 in all) is added to the residual before the residual is rounded up
 * to f32.
 *
 * A zero vector becomes a record of zeros, whose cosine counts as 0. Any other vector whose length isn't about 1
 * gets an infinite residual, so that it is always compared exactly: sums in f32 might overflow, and no bound would
 * hold.
 */
export function encodeRecord(vector: Float32Array, chunkSeq: number, target: Uint8Array, offset: number): void {
  const dimensions = vector.length;
  const codes = new Int8Array(target.buffer, target.byteOffset + offset, strideOf(dimensions));
  const tail = new DataView(target.buffer, target.byteOffset + offset + codes.length, TAIL_BYTES);
  tail.setFloat64(CHUNK_OFFSET, chunkSeq, true);
  codes.fill(0);
  let squaredNorm = 0;
  let largest = 0;
  for (let i = 0; i < dimensions; i++) {
    const value = vector[i]!;
    squaredNorm += value * value;
    if (value > largest) largest = value;
    else if (-value > largest) largest = -value;
  }
  if (!isUnitLength(squaredNorm)) {
    tail.setFloat32(0, 0, true);
    tail.setFloat32(RESIDUAL_OFFSET, squaredNorm === 0 ? 0 : Number.POSITIVE_INFINITY, true);
    return;
  }
  const step = CODE_MAX / largest;
  let product = 0;
  let squaredCodes = 0;
  for (let i = 0; i < dimensions; i++) {
    const value = vector[i]! * step;
    // Either rounding of halves works, since the residual is measured.
    const code = value < 0 ? (value - 0.5) | 0 : (value + 0.5) | 0;
    codes[i] = code;
    product += vector[i]! * code;
    squaredCodes += code * code;
  }
  const norm = Math.sqrt(squaredNorm);
  const scale = Math.fround(product / squaredCodes / norm);
  let squaredResidual = 0;
  for (let i = 0; i < dimensions; i++) {
    const difference = vector[i]! / norm - scale * codes[i]!;
    squaredResidual += difference * difference;
  }
  tail.setFloat32(0, scale, true);
  tail.setFloat32(RESIDUAL_OFFSET, roundUpToF32(Math.sqrt(squaredResidual) + 1e-10), true);
}

/** Returns the chunk sequence of the first record. */
export function chunkOf(records: Uint8Array, dimensions: number): number {
  const at = records.byteOffset + strideOf(dimensions) + CHUNK_OFFSET;
  return new DataView(records.buffer, at, 8).getFloat64(0, true);
}

/** Returns whether a squared length counts as that of a unit vector, given rounding. */
export function isUnitLength(squaredLength: number): boolean {
  return squaredLength >= 0.25 && squaredLength <= 4;
}

/** Rounds a non-negative number up to an f32. */
export function roundUpToF32(value: number): number {
  return Math.fround(value * (1 + 4 * F32_ROUNDING));
}
