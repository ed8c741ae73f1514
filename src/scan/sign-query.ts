import type { EncodedQuery } from "./query.js";

/** A query of four bits for each dimension, to be compared with signs. */
export interface SignQuery {
  /** Words of 64 bits of each of the four planes, which lie one after another word by word, the lowest bit's first. */
  readonly words: number;
  readonly planes: Uint8Array;
  /** What the kernel's `scanSigns` reckons with. */
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

const LEVELS = 15;

/** Words of 64 bits that the signs of a vector take. */
export function signWords(dimensions: number): number {
  return (dimensions + 63) >> 6;
}

/**
 * With q about low + step * u and signs x, q·x = 2 (step * sum of u where x is positive + low * how many are) - sum of q. The cosine of v is
 * then estimated as q·x / v·x, with v·x the sum of the absolute values of v (Gao and Long, RaBitQ, 2024, where q and v have been turned
 * at random: it is no bound here, and vectors with very uneven values are estimated badly).
 */
export function encodeSignQuery({ codes, dimensions, factor }: EncodedQuery): SignQuery {
  const values = codes.subarray(0, dimensions);
  const low = values.reduce((least, value) => Math.min(least, value), 0);
  const high = values.reduce((most, value) => Math.max(most, value), 0);
  const step = (high - low) / LEVELS;
  const words = signWords(dimensions);
  const planes = new Uint8Array(words * 32);
  let sum = 0;
  for (const [index, value] of values.entries()) {
    sum += value;
    const level = Math.round((value - low) / step);
    const at = (index >> 6) * 32 + ((index & 63) >> 3);
    for (let plane = 0; plane < 4; plane++) planes[at + plane * 8]! |= ((level >> plane) & 1) << (index & 7);
  }
  return { words, planes, a: 2 * step * factor, b: 2 * low * factor, c: -sum * factor };
}
