import type { EncodedQuery } from "./query.js";
import { strideOf } from "./record.js";

/** A query to compare with sign bits. */
export interface SignQuery {
  /** 16 numbers for each four dimensions: the query's contribution for each combination of four sign bits. */
  readonly table: Uint8Array;
  /** The coefficients of the estimate in the kernel's `scanSigns`. */
  readonly a: number;
  readonly c: number;
}

/** The largest table entry: the sum of two entries must fit into 8 bits. */
const MAX_ENTRY = 127;
/** The largest sum of the entries of a record. */
const MAX_SUM = 2 ** 16 - 1;
/** The number of dimensions per table entry. */
const GROUP_DIMENSIONS = 4;

/**
 * Encodes a query for comparisons with sign bits.
 *
 * With sign bits x, q·x = 2 p - (sum of q), where p is the sum of q where x is positive. The cosine of v is estimated
 * as q·x / v·x, where v·x is the sum of the absolute values of v (Gao and Long, RaBitQ, 2024). Unlike in RaBitQ, q and
 * v aren't randomly rotated, so the error has no bound, and estimates are bad for vectors with very uneven values. A
 * table holds the contribution of each four dimensions to p, in equal steps.
 */
export function encodeSignQuery({ codes, dimensions, factor }: EncodedQuery): SignQuery {
  const groups = strideOf(dimensions) / GROUP_DIMENSIONS;
  const minimums = new Float64Array(groups);
  let largestRange = 0;
  let sum = 0;
  for (let group = 0; group < groups; group++) {
    let range = 0;
    for (const code of codes.subarray(group * GROUP_DIMENSIONS, (group + 1) * GROUP_DIMENSIONS)) {
      sum += code;
      range += Math.abs(code);
      minimums[group]! += Math.min(code, 0);
    }
    largestRange = Math.max(largestRange, range);
  }
  // Above 0, since a query has at least one code that isn't 0.
  const step = largestRange / Math.min(MAX_ENTRY, Math.floor(MAX_SUM / groups));
  const table = new Uint8Array(groups * 2 ** GROUP_DIMENSIONS);
  for (let entry = 0; entry < table.length; entry++) {
    const group = entry >> GROUP_DIMENSIONS;
    let positive = -minimums[group]!;
    for (let bit = 0; bit < GROUP_DIMENSIONS; bit++)
      if ((entry >> bit) & 1) positive += codes[group * GROUP_DIMENSIONS + bit]!;
    table[entry] = Math.round(positive / step);
  }
  const offset = minimums.reduce((total, minimum) => total + minimum, 0);
  return { table, a: 2 * step * factor, c: (2 * offset - sum) * factor };
}
