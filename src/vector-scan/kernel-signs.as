// Derives sign bits and looks them up, as documented in sign-query.ts.

import { TAIL_BYTES } from "./kernel-records";

/** The number of records whose sign bits are interleaved. */
const LANES: i32 = 16;

/**
 * Derives the sign bits of records, one per dimension, 1 if positive. The bits of 16 records are interleaved: a byte
 * per record for the first 8 dimensions, then for the next 8, and so on. 16 factors (f32) follow, those of even records
 * first. A factor is 1 / (scale * sum of the codes' absolute values), 0 for a zero vector, and NaN, like the
 * residual, for a dead record.
 */
export function encodeSigns(records: usize, stride: usize, signs: usize, first: i32, count: i32): void {
  const size = stride + TAIL_BYTES;
  const groupBytes = (stride << 1) + 64;
  for (let row = first, end = first + count; row < end; row++) {
    const record = records + <usize>row * size;
    const lane = <usize>(row & (LANES - 1));
    let target = signs + <usize>(row >> 4) * groupBytes;
    const factor = target + (stride << 1) + (((lane & 1) << 5) | ((lane >> 1) << 2));
    target += lane;
    let sums = i32x4.splat(0);
    for (let i: usize = 0; i < stride; i += 16) {
      const codes = v128.load(record + i);
      const bits = i8x16.bitmask(i8x16.gt_s(codes, i8x16.splat(0)));
      store<u8>(target, <u8>bits);
      store<u8>(target, <u8>(bits >> 8), 16);
      target += 32;
      const magnitudes = i16x8.extadd_pairwise_i8x16_u(i8x16.abs(codes));
      sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_u(magnitudes));
    }
    const total = i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3);
    const length = <f32>total * load<f32>(record + stride);
    const residual = load<f32>(record + stride, 4);
    store<f32>(factor, isNaN(residual) ? residual : length > 0 ? 1 / length : 0);
  }
}

/**
 * Estimates cosines from sign bits and reports the records whose estimate reaches `threshold`, like `scan`. `first` is
 * a multiple of 16.
 *
 * estimate = factor * (a * sum + c)
 *
 * The sum adds a table entry for each 4 dimensions: their 4 sign bits select one of 16 numbers of 7 bits. 16 records
 * are looked up at a time (Andre, Kermarrec and Le Scouarnec, Cache locality is not enough, 2015). All sums are below
 * 2^16.
 */
export function scanSigns(
  table: usize,
  signs: usize,
  stride: usize,
  first: i32,
  count: i32,
  a: f32,
  c: f32,
  threshold: f32,
  output: usize,
): i32 {
  const groupBytes = (stride << 1) + 64;
  const start = output;
  const end = first + count;
  const groups = (count + LANES - 1) >> 4;
  const half = (groups + 1) >> 1;
  const mask = i8x16.splat(15);
  // Reads from two positions at a time, like `scan`. If the second position has no group, the first group is read again
  // under record numbers past the end.
  for (let at = 0; at < half; at++) {
    const one = signs + <usize>((first >> 4) + at) * groupBytes;
    const other = at + half < groups ? one + <usize>half * groupBytes : one;
    // In 16-bit lanes: the sums of even records plus 256 times the sums of odd records, and the sums of odd records.
    let bothOne = i16x8.splat(0);
    let oddOne = i16x8.splat(0);
    let bothOther = i16x8.splat(0);
    let oddOther = i16x8.splat(0);
    for (let i: usize = 0; i < stride << 1; i += 16) {
      const low = v128.load(table + (i << 1));
      const high = v128.load(table + (i << 1), 16);
      const bitsOne = v128.load(one + i);
      const sumOne = i8x16.add(i8x16.swizzle(low, v128.and(bitsOne, mask)), i8x16.swizzle(high, i8x16.shr_u(bitsOne, 4)));
      bothOne = i16x8.add(bothOne, sumOne);
      oddOne = i16x8.add(oddOne, i16x8.shr_u(sumOne, 8));
      const bitsOther = v128.load(other + i);
      const sumOther = i8x16.add(i8x16.swizzle(low, v128.and(bitsOther, mask)), i8x16.swizzle(high, i8x16.shr_u(bitsOther, 4)));
      bothOther = i16x8.add(bothOther, sumOther);
      oddOther = i16x8.add(oddOther, i16x8.shr_u(sumOther, 8));
    }
    const row = first + (at << 4);
    output = report(bothOne, oddOne, one + (stride << 1), row, end, a, c, threshold, output);
    output = report(bothOther, oddOther, other + (stride << 1), row + (half << 4), end, a, c, threshold, output);
  }
  return <i32>(output - start) >> 3;
}

/** Reports each of 16 records, up to `end`, whose estimate reaches the threshold. Returns the next output address. */
// @ts-ignore: decorator
@inline
function report(both: v128, odd: v128, factors: usize, row: i32, end: i32, a: f32, c: f32, threshold: f32, output: usize): usize {
  const even = i16x8.sub(both, i16x8.shl(odd, 8));
  const e0 = estimatesOf(i32x4.extend_low_i16x8_u(even), factors, a, c);
  const e1 = estimatesOf(i32x4.extend_high_i16x8_u(even), factors + 16, a, c);
  const e2 = estimatesOf(i32x4.extend_low_i16x8_u(odd), factors + 32, a, c);
  const e3 = estimatesOf(i32x4.extend_high_i16x8_u(odd), factors + 48, a, c);
  const minimum = f32x4.splat(threshold);
  const some = v128.or(v128.or(f32x4.ge(e0, minimum), f32x4.ge(e1, minimum)), v128.or(f32x4.ge(e2, minimum), f32x4.ge(e3, minimum)));
  if (!v128.any_true(some)) return output;
  // Scratch memory past everything that these records can add to the results.
  const scratch = output + (<usize>LANES << 3);
  v128.store(scratch, e0);
  v128.store(scratch, e1, 16);
  v128.store(scratch, e2, 32);
  v128.store(scratch, e3, 48);
  for (let lane = 0, lanes = min(LANES, end - row); lane < lanes; lane++) {
    const estimate = load<f32>(scratch + (((lane & 1) << 5) | ((lane >> 1) << 2)));
    if (estimate >= threshold) {
      store<i32>(output, row + lane);
      store<f32>(output, estimate, 4);
      output += 8;
    }
  }
  return output;
}

/** Computes the estimates of four records from their sums and factors. */
// @ts-ignore: decorator
@inline
function estimatesOf(sums: v128, factors: usize, a: f32, c: f32): v128 {
  const products = f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(sums), f32x4.splat(a)), f32x4.splat(c));
  return f32x4.mul(v128.load(factors), products);
}
