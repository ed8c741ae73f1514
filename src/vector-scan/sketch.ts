// A sketch is what a scan reads of a record first: codes of 4 bits in place of 8, half as many bytes. The nearest are so much nearer than
// most that these exclude all but a few records, which are then scored by all of their bits.
//
// A code of a sketch is h = round(c / 17), from -7 to 7, stored as h + 7. 32 of them lie together in 8 numbers of 16 bits: the first 4
// bits of each have dimensions 0 to 7, the next 4 have 8 to 15, and so on. Behind the codes follow f32 scale and f32 residual.
//
// With v = s c + r (record.ts) and c = 17 h + e, v = s (17 h) + (s e + r): a record of other codes, whose residual is no more than
// s |e| + ρ. So what is said of the estimate in query.ts holds for this one too:
// - Codes 17 h are from -119 to 119, and h + 7 from 0 to 14, no larger than a record's: sums of products with a query fit into 32 bits. 17
//   times such a sum may not; it is reckoned modulo 2^32, and taking off what 7 times 17 adds brings it back.
// - All that is added in f32 is below 5: |17 h| ≤ 2 |c| and |e| ≤ |c|, dimension by dimension, and s |c| ≤ 1, a projection of v.

const TAIL = 8;
/** The dimensions of one group. */
const GROUP = 32;

/** Bytes of the codes of a sketch, which its scale follows. */
export function sketchWidth(dimensions: number): number {
  return Math.ceil(dimensions / GROUP) * (GROUP / 2);
}

export function sketchBytes(dimensions: number): number {
  return sketchWidth(dimensions) + TAIL;
}

/** Dimensions that a query is filled up to with zeros: those that a sketch is filled up to count for nothing then. */
export function paddedDimensions(dimensions: number): number {
  return sketchWidth(dimensions) * 2;
}
