import type { EncodedQuery } from "./query.js";
import { strideOf } from "./record.js";

/** A query to compare with sign bits. */
export interface SignQuery {
  /**
   * For each four dimensions a table of 16 numbers: the query's contribution for each combination of four sign bits.
   */
  readonly table: Uint8Array;
  /** The parameters of the kernel's `scanSigns`. */
  readonly a: number;
  readonly c: number;
}

/** The sum of two must fit into 8 bits. */
const LARGEST = 127;
const MOST = 2 ** 16 - 1;
const TOGETHER = 4;

/**
 * With sign bits x, q·x = 2 p - sum of q, p the sum of q where x is positive. The cosine of v is then estimated as q·x
 * / v·x, with v·x the sum of the absolute values of v (Gao and Long, RaBitQ, 2024, where q and v are randomly rotated:
 * it is no bound here, and vectors with very uneven values are estimated badly). The contribution of each four
 * dimensions to p is in a table, in equal steps.
 */
export function encodeSignQuery({ codes, dimensions, factor }: EncodedQuery): SignQuery {
  const parts = strideOf(dimensions) / TOGETHER;
  const least = new Float64Array(parts);
  let widest = 0;
  let sum = 0;
  for (let part = 0; part < parts; part++) {
    let range = 0;
    for (const code of codes.subarray(part * TOGETHER, (part + 1) * TOGETHER)) {
      sum += code;
      range += Math.abs(code);
      least[part]! += Math.min(code, 0);
    }
    widest = Math.max(widest, range);
  }
  // Above 0, since a query has at least one code that isn't 0.
  const step = widest / Math.min(LARGEST, Math.floor(MOST / parts));
  const table = new Uint8Array(parts * 2 ** TOGETHER);
  for (let place = 0; place < table.length; place++) {
    const part = place >> TOGETHER;
    let positive = -least[part]!;
    for (let bit = 0; bit < TOGETHER; bit++) if ((place >> bit) & 1) positive += codes[part * TOGETHER + bit]!;
    table[place] = Math.round(positive / step);
  }
  const offset = least.reduce((total, one) => total + one, 0);
  return { table, a: 2 * step * factor, c: (2 * offset - sum) * factor };
}
