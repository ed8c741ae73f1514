// A scan reads the 4-bit codes (SQ4) of a record first, which take half as many bytes as the 8-bit codes. The nearest
// records are so much nearer than most that 4-bit codes exclude all but a few, which are then scored by 8-bit codes.
//
// A code is h = round(c / 17), from -7 to 7, stored as h + 7. 32 of them are interleaved in 8 numbers of 16 bits: the
// first 4 bits of each hold dimensions 0 to 7, the next 4 hold 8 to 15, and so on. f32 scale and f32 residual follow.
//
// With v = s c + r (record.ts) and c = 17 h + e, v = s (17 h) + (s e + r): a record with codes 17 h and a residual of
// at most s |e| + ρ. So the bound of the estimate in query.ts holds here, too:
// - Codes 17 h are from -119 to 119, and h + 7 from 0 to 14, no larger than a record's codes, so sums of products with
//   a query fit into 32 bits. 17 times such a sum may overflow, but is computed modulo 2^32, so subtracting what 7 * 17
//   adds restores the sum.
// - All terms added in f32 are below 5: |17 h| ≤ 2 |c| and |e| ≤ |c|, dimension by dimension, and s |c| ≤ 1, a
//   projection of v.

/** Bytes after the codes. */
const TAIL_BYTES = 8;
/** The number of dimensions whose codes are interleaved. */
const GROUP_DIMENSIONS = 32;

/** Returns the number of bytes of a record's 4-bit codes, which the scale follows. */
export function sq4Width(dimensions: number): number {
  return Math.ceil(dimensions / GROUP_DIMENSIONS) * (GROUP_DIMENSIONS / 2);
}

/** Returns the number of bytes of a record's 4-bit codes with scale and residual. */
export function sq4Bytes(dimensions: number): number {
  return sq4Width(dimensions) + TAIL_BYTES;
}

/** Returns the number of dimensions of a query padded with zeros, which cancel the padding of 4-bit codes. */
export function paddedDimensions(dimensions: number): number {
  return sq4Width(dimensions) * 2;
}
