import { CODE_MAX, F32_ROUNDING, isUnitLength, roundUpToF32 } from "./record.js";
import { paddedDimensions } from "./sq4.js";

/**
 * The largest code of a query. Query codes are 16 bits wide, twice as wide as record codes, at no cost: the kernel
 * widens record codes anyway.
 */
const QUERY_CODE_MAX = 32_767;
/** The bounds below hold for up to this many dimensions. */
const MAX_DIMENSIONS = 16_384;

/** A query encoded for the kernel. */
export interface EncodedQuery {
  readonly dimensions: number;
  /** Padded with zeros, for records with 8-bit and with 4-bit codes. */
  readonly codes: Int16Array;
  /** query/|query| = factor * codes + e. An f32. */
  readonly factor: number;
  /** What a record's residual is multiplied with in the error of the estimate: 1 + |e|. An f32, rounded up. */
  readonly spread: number;
  /** The part of the error that is the same for all records. An f32, rounded up. */
  readonly slack: number;
}

/**
 * Encodes a query. Returns `null` if its length isn't about 1, or if it has too many dimensions.
 *
 * The bound: let q and v be the directions of query and vector, q = f d + e (factor, codes, rest), v = s c + r, ρ ≥
 * |r|, ε ≥ |e|. Then q·v = f s d·c + e·(s c) + q·r with |e·(s c)| ≤ ε |v - r| ≤ ε (1 + ρ) and |q·r| ≤ ρ, so that
 *
 *     |q·v - f s d·c| ≤ ρ (1 + ε) + ε
 *
 * d·c is exact: |d| is limited so that |d| |c| < 2^31, with |c| ≤ 127 √n, and by Cauchy and Schwarz no partial sum of
 * its products is larger. Everything else is rounded, with u = 2^-24:
 * - The kernel rounds f s d·c three times, and the sums with the other terms three times, all below 5: less than 32 u.
 * - SQL's distance is 1 - a·b / (√(a·a) √(b·b)) with sums in f32 of n products, in any order and with or without fused
 *   steps: each is off by at most γ |a| |b|, γ = n u / (1 - n u) (Higham, Accuracy and Stability of Numerical
 *   Algorithms, 3.1). The quotient is then off by at most 2.01 (γ + 3 u), the difference by 2 u more: together less
 *   than 2.5 n u + 16 u, as n u < 0.01. Here a and b have lengths of about 1, so products too small for f32 don't
 *   matter.
 *
 * The slack includes both, so the estimates bound the very number that SQL orders by.
 */
export function encodeQuery(vector: Float32Array): EncodedQuery | null {
  const dimensions = vector.length;
  const squaredNorm = vector.reduce((sum, value) => sum + value * value, 0);
  if (!isUnitLength(squaredNorm) || dimensions > MAX_DIMENSIONS) return null;
  const norm = Math.sqrt(squaredNorm);
  const largest = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0) / norm;
  // |d| ≤ code / largest + √n / 2, as |q| = 1 and each code is off by at most a half.
  const root = Math.sqrt(dimensions);
  const longest = (2 ** 31 - 1) / (CODE_MAX * root) - root / 2 - 1;
  const factor = Math.fround(largest / Math.min(QUERY_CODE_MAX - 1, longest * largest));
  const codes = new Int16Array(paddedDimensions(dimensions));
  let squaredError = 0;
  for (let index = 0; index < dimensions; index++) {
    const value = vector[index]! / norm;
    const code = Math.round(value / factor);
    codes[index] = code;
    squaredError += (value - factor * code) * (value - factor * code);
  }
  const error = Math.sqrt(squaredError) + 1e-10;
  const rounding = (2.5 * dimensions + 16 + 32) * F32_ROUNDING;
  return { dimensions, codes, factor, spread: roundUpToF32(1 + error), slack: roundUpToF32(error + rounding) };
}
