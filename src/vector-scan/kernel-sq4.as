// Derives and scores 4-bit codes, as documented in sq4.ts.

import { validLanes, canReach, TAIL_BYTES, total } from "./kernel-records";

/** Bytes after the codes: f32 scale, f32 residual. */
const SQ4_TAIL_BYTES: usize = 8;
/** The number of 8-bit steps in a 4-bit step. */
const STEP: i32 = 17;
/** Added to stored codes, so that none is negative. */
const SHIFT: i32 = 7;

/** Derives the 4-bit codes of records. */
export function encodeSq4(records: usize, stride: usize, sq4: usize, width: usize, first: i32, count: i32): void {
  const size = stride + TAIL_BYTES;
  for (let row = first, end = first + count; row < end; row++) {
    const record = records + <usize>row * size;
    const target = sq4 + <usize>row * (width + SQ4_TAIL_BYTES);
    let squares = i32x4.splat(0);
    for (let i: usize = 0; i < width; i += 16) {
      const from = record + (i << 1);
      // The second half of the last group may be padding.
      const hasSecondHalf = (i << 1) + 16 < stride;
      const c0 = v128.load_ext<i8>(from);
      const c1 = v128.load_ext<i8>(from, 8);
      const c2 = hasSecondHalf ? v128.load_ext<i8>(from, 16) : i16x8.splat(0);
      const c3 = hasSecondHalf ? v128.load_ext<i8>(from, 24) : i16x8.splat(0);
      const h0 = steps(c0);
      const h1 = steps(c1);
      const h2 = steps(c2);
      const h3 = steps(c3);
      squares = i32x4.add(squares, i32x4.add(i32x4.add(squaredErrors(c0, h0), squaredErrors(c1, h1)), i32x4.add(squaredErrors(c2, h2), squaredErrors(c3, h3))));
      const low = v128.or(shift(h0), i16x8.shl(shift(h1), 4));
      v128.store(target + i, v128.or(low, v128.or(i16x8.shl(shift(h2), 8), i16x8.shl(shift(h3), 12))));
    }
    const sum =
      i32x4.extract_lane(squares, 0) + i32x4.extract_lane(squares, 1) + i32x4.extract_lane(squares, 2) + i32x4.extract_lane(squares, 3);
    const scale = load<f32>(record + stride);
    const residual = <f64>load<f32>(record + stride, 4) + <f64>scale * sqrt(<f64>sum);
    store<f32>(target + width, scale);
    // Rounded up.
    store<f32>(target + width, <f32>(residual * (1 + 4 * 2 ** -24)), 4);
  }
}

/** Divides codes by the step and rounds, by multiplying with 1/17 in units of 2^-15. */
// @ts-ignore: decorator
@inline
function steps(codes: v128): v128 {
  return i16x8.q15mulr_sat_s(codes, i16x8.splat(1928));
}

/** Returns the squared rounding errors of codes, in four sums. */
// @ts-ignore: decorator
@inline
function squaredErrors(codes: v128, steps: v128): v128 {
  const errors = i16x8.sub(codes, i16x8.mul(steps, i16x8.splat(<i16>STEP)));
  return i32x4.dot_i16x8_s(errors, errors);
}

// @ts-ignore: decorator
@inline
function shift(steps: v128): v128 {
  return i16x8.add(steps, i16x8.splat(<i16>SHIFT));
}

/**
 * Writes the numbers of the records whose cosine can reach `threshold` according to their 4-bit codes, computed as in
 * `scan`. Returns how many were written.
 */
export function scanSq4(
  query: usize,
  sq4: usize,
  width: usize,
  first: i32,
  count: i32,
  factor: f32,
  spread: f32,
  slack: f32,
  threshold: f32,
  output: usize,
): i32 {
  const size = width + SQ4_TAIL_BYTES;
  const start = output;
  const last = sq4 + <usize>(first + count - 1) * size;
  // What SHIFT contributes to each record's sum.
  let shifts = i32x4.splat(0);
  for (let i: usize = 0; i < width << 2; i += 16)
    shifts = i32x4.add(shifts, i32x4.dot_i16x8_s(v128.load(query + i), i16x8.splat(<i16>(STEP * SHIFT))));
  const base = total(shifts, shifts, shifts, shifts);
  const quarter = (count + 3) >> 2;
  const gap = <usize>quarter * size;
  for (let at = 0; at < quarter; at++) {
    const a = sq4 + <usize>(first + at) * size;
    const b = min(a + gap, last);
    const c = min(b + gap, last);
    const d = min(c + gap, last);
    let sa = i32x4.splat(0);
    let sb = i32x4.splat(0);
    let sc = i32x4.splat(0);
    let sd = i32x4.splat(0);
    for (let i: usize = 0; i < width; i += 16) {
      const part = query + (i << 2);
      const q0 = v128.load(part);
      const q1 = v128.load(part, 16);
      const q2 = v128.load(part, 32);
      const q3 = v128.load(part, 48);
      sa = i32x4.add(sa, dotSq4(v128.load(a + i), q0, q1, q2, q3));
      sb = i32x4.add(sb, dotSq4(v128.load(b + i), q0, q1, q2, q3));
      sc = i32x4.add(sc, dotSq4(v128.load(c + i), q0, q1, q2, q3));
      sd = i32x4.add(sd, dotSq4(v128.load(d + i), q0, q1, q2, q3));
    }
    const sums = i32x4.sub(i32x4.mul(total(sa, sb, sc, sd), i32x4.splat(STEP)), base);
    let reached = canReach(sums, a + width, b + width, c + width, d + width, factor, spread, slack, threshold) & validLanes(at, quarter, count);
    while (reached) {
      store<i32>(output, first + at + ctz(reached) * quarter);
      output += 4;
      reached &= reached - 1;
    }
  }
  return <i32>(output - start) >> 2;
}

/** Returns the products of 32 4-bit codes with a query's codes, in four sums. */
// @ts-ignore: decorator
@inline
function dotSq4(codes: v128, q0: v128, q1: v128, q2: v128, q3: v128): v128 {
  const mask = i16x8.splat(15);
  const low = i32x4.add(
    i32x4.dot_i16x8_s(v128.and(codes, mask), q0),
    i32x4.dot_i16x8_s(v128.and(i16x8.shr_u(codes, 4), mask), q1),
  );
  const high = i32x4.add(
    i32x4.dot_i16x8_s(v128.and(i16x8.shr_u(codes, 8), mask), q2),
    i32x4.dot_i16x8_s(i16x8.shr_u(codes, 12), q3),
  );
  return i32x4.add(low, high);
}
