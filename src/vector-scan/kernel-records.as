// Scores records (record.ts); query.ts derives the bounds of the estimates.

/** Bytes after a record's codes: f32 scale, f32 residual, f64 chunk. */
export const TAIL_BYTES: usize = 16;

/**
 * Scores `count` consecutive records, and writes the record number (i32) and estimate (f32) of each whose cosine can
 * reach `threshold` to `output`. Returns how many were written.
 *
 * estimate = scale * factor * (codes . query), upper bound = estimate + residual * spread + slack
 *
 * The residual of a dead record is NaN, so the record reaches no threshold.
 *
 * Reads records from four positions at a time, a quarter of the range apart: processors prefetch from several memory
 * pages at once, but from a single page more slowly than the kernel scores.
 */
export function scan(
  query: usize,
  records: usize,
  stride: usize,
  first: i32,
  count: i32,
  factor: f32,
  spread: f32,
  slack: f32,
  threshold: f32,
  output: usize,
): i32 {
  const size = stride + TAIL_BYTES;
  const start = output;
  const last = records + <usize>(first + count - 1) * size;
  const quarter = (count + 3) >> 2;
  const gap = <usize>quarter * size;
  for (let at = 0; at < quarter; at++) {
    const a = records + <usize>(first + at) * size;
    // Positions past the end read the last record again, which validLanes excludes.
    const b = min(a + gap, last);
    const c = min(b + gap, last);
    const d = min(c + gap, last);
    let reached = scoreFour(query, stride, a, b, c, d, factor, spread, slack, threshold) & validLanes(at, quarter, count);
    while (reached) {
      const lane = ctz(reached);
      store<i32>(output, first + at + lane * quarter);
      v128.store32_lane(output, estimateOf(lane), 0, 4);
      output += 8;
      reached &= reached - 1;
    }
  }
  return <i32>(output - start) >> 3;
}

/** Like `scan`, for the records whose numbers are at `rows`. */
export function scanRows(
  query: usize,
  records: usize,
  stride: usize,
  rows: usize,
  count: i32,
  factor: f32,
  spread: f32,
  slack: f32,
  threshold: f32,
  output: usize,
): i32 {
  const size = stride + TAIL_BYTES;
  const start = output;
  for (let at = 0; at < count; at += 4) {
    const r0 = load<i32>(rows + ((<usize>at) << 2));
    const r1 = load<i32>(rows + ((<usize>min(at + 1, count - 1)) << 2));
    const r2 = load<i32>(rows + ((<usize>min(at + 2, count - 1)) << 2));
    const r3 = load<i32>(rows + ((<usize>min(at + 3, count - 1)) << 2));
    const a = records + <usize>r0 * size;
    const b = records + <usize>r1 * size;
    const c = records + <usize>r2 * size;
    const d = records + <usize>r3 * size;
    let reached = scoreFour(query, stride, a, b, c, d, factor, spread, slack, threshold) & (0xf >> max(0, at + 4 - count));
    while (reached) {
      const lane = ctz(reached);
      store<i32>(output, load<i32>(rows + ((<usize>(at + lane)) << 2)));
      v128.store32_lane(output, estimateOf(lane), 0, 4);
      output += 8;
      reached &= reached - 1;
    }
  }
  return <i32>(output - start) >> 3;
}

/** The estimates of the four records scored last. */
let estimates: v128 = i64x2.splat(0);

// @ts-ignore: decorator
@inline
function estimateOf(lane: i32): v128 {
  if (lane == 0) return estimates;
  if (lane == 1) return v128.shuffle<i32>(estimates, estimates, 1, 1, 1, 1);
  if (lane == 2) return v128.shuffle<i32>(estimates, estimates, 2, 2, 2, 2);
  return v128.shuffle<i32>(estimates, estimates, 3, 3, 3, 3);
}

/**
 * Scores four records at once, so that each part of the query is read once for all. Returns a bit for each record that
 * can reach the threshold.
 */
// @ts-ignore: decorator
@inline
function scoreFour(
  query: usize,
  stride: usize,
  a: usize,
  b: usize,
  c: usize,
  d: usize,
  factor: f32,
  spread: f32,
  slack: f32,
  threshold: f32,
): i32 {
  let sa = i32x4.splat(0);
  let sb = i32x4.splat(0);
  let sc = i32x4.splat(0);
  let sd = i32x4.splat(0);
  for (let i: usize = 0; i < stride; i += 16) {
    const low = v128.load(query + (i << 1));
    const high = v128.load(query + (i << 1), 16);
    sa = i32x4.add(sa, i32x4.dot_i16x8_s(v128.load_ext<i8>(a + i), low));
    sb = i32x4.add(sb, i32x4.dot_i16x8_s(v128.load_ext<i8>(b + i), low));
    sc = i32x4.add(sc, i32x4.dot_i16x8_s(v128.load_ext<i8>(c + i), low));
    sd = i32x4.add(sd, i32x4.dot_i16x8_s(v128.load_ext<i8>(d + i), low));
    sa = i32x4.add(sa, i32x4.dot_i16x8_s(v128.load_ext<i8>(a + i, 8), high));
    sb = i32x4.add(sb, i32x4.dot_i16x8_s(v128.load_ext<i8>(b + i, 8), high));
    sc = i32x4.add(sc, i32x4.dot_i16x8_s(v128.load_ext<i8>(c + i, 8), high));
    sd = i32x4.add(sd, i32x4.dot_i16x8_s(v128.load_ext<i8>(d + i, 8), high));
  }
  return canReach(total(sa, sb, sc, sd), a + stride, b + stride, c + stride, d + stride, factor, spread, slack, threshold);
}

/** Returns the sums of the lanes of four vectors. */
// @ts-ignore: decorator
@inline
export function total(sa: v128, sb: v128, sc: v128, sd: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(sa, sb, 0, 4, 1, 5), v128.shuffle<i32>(sa, sb, 2, 6, 3, 7));
  const cd = i32x4.add(v128.shuffle<i32>(sc, sd, 0, 4, 1, 5), v128.shuffle<i32>(sc, sd, 2, 6, 3, 7));
  return i32x4.add(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7));
}

/**
 * Returns a bit for each of four records that can reach the threshold. Their tails begin with f32 scale and residual.
 */
// @ts-ignore: decorator
@inline
export function canReach(
  sums: v128,
  a: usize,
  b: usize,
  c: usize,
  d: usize,
  factor: f32,
  spread: f32,
  slack: f32,
  threshold: f32,
): i32 {
  // Transposes four pairs of scale and residual.
  const ta = v128.shuffle<i32>(v128.load64_zero(a), v128.load64_zero(b), 0, 4, 1, 5);
  const tc = v128.shuffle<i32>(v128.load64_zero(c), v128.load64_zero(d), 0, 4, 1, 5);
  const scales = v128.shuffle<i32>(ta, tc, 0, 1, 4, 5);
  const residuals = v128.shuffle<i32>(ta, tc, 2, 3, 6, 7);
  const estimate = f32x4.mul(f32x4.convert_i32x4_s(sums), f32x4.mul(scales, f32x4.splat(factor)));
  const upperBound = f32x4.add(estimate, f32x4.add(f32x4.mul(residuals, f32x4.splat(spread)), f32x4.splat(slack)));
  estimates = estimate;
  return i32x4.bitmask(f32x4.ge(upperBound, f32x4.splat(threshold)));
}

/** Returns a bit for each quarter of `count` that has a record at this offset. */
// @ts-ignore: decorator
@inline
export function validLanes(at: i32, quarter: i32, count: i32): i32 {
  const quarters = 4 - <i32>(at + quarter >= count) - <i32>(at + 2 * quarter >= count) - <i32>(at + 3 * quarter >= count);
  return (1 << quarters) - 1;
}
