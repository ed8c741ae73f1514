// AssemblyScript, compiled to WebAssembly with SIMD by the build (tsup.config.ts). Where things lie in memory is said by
// record.ts and segment.ts; every address here is given by the caller.

/** Bytes behind a record's codes: f32 scale, f32 residual, f64 chunk. */
const TAIL: usize = 16;

/**
 * Scores `count` records that lie one after another, and notes those whose cosine can reach `threshold`: number of the record, f32
 * estimate. Returns how many.
 *
 * estimate = scale * factor * (codes . query), possible = estimate + residual * spread + slack
 *
 * A residual that is not a number is that of a dead record: it reaches nothing.
 *
 * The records are read from four places at a time, a quarter of them from each: processors fetch ahead from several pages of memory at
 * once, and from one alone more slowly than it is scored.
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
  found: usize,
): i32 {
  const size = stride + TAIL;
  const start = found;
  const last = records + <usize>(first + count - 1) * size;
  const quarter = (count + 3) >> 2;
  const gap = <usize>quarter * size;
  for (let at = 0; at < quarter; at++) {
    const a = records + <usize>(first + at) * size;
    // Beyond the last record the last is read again, and not counted.
    const b = min(a + gap, last);
    const c = min(b + gap, last);
    const d = min(c + gap, last);
    const known = 4 - <i32>(at + quarter >= count) - <i32>(at + 2 * quarter >= count) - <i32>(at + 3 * quarter >= count);
    let reached = reaching(query, stride, a, b, c, d, factor, spread, slack, threshold) & ((1 << known) - 1);
    while (reached) {
      const lane = ctz(reached);
      store<i32>(found, first + at + lane * quarter);
      v128.store32_lane(found, shifted(lane), 0, 4);
      found += 8;
      reached &= reached - 1;
    }
  }
  return <i32>(found - start) >> 3;
}

/** As `scan`, for the records whose numbers stand at `rows`. */
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
  found: usize,
): i32 {
  const size = stride + TAIL;
  const start = found;
  for (let at = 0; at < count; at += 4) {
    const r0 = load<i32>(rows + ((<usize>at) << 2));
    const r1 = load<i32>(rows + ((<usize>min(at + 1, count - 1)) << 2));
    const r2 = load<i32>(rows + ((<usize>min(at + 2, count - 1)) << 2));
    const r3 = load<i32>(rows + ((<usize>min(at + 3, count - 1)) << 2));
    const a = records + <usize>r0 * size;
    const b = records + <usize>r1 * size;
    const c = records + <usize>r2 * size;
    const d = records + <usize>r3 * size;
    let reached = reaching(query, stride, a, b, c, d, factor, spread, slack, threshold) & (0xf >> max(0, at + 4 - count));
    while (reached) {
      const lane = ctz(reached);
      store<i32>(found, load<i32>(rows + ((<usize>(at + lane)) << 2)));
      v128.store32_lane(found, shifted(lane), 0, 4);
      found += 8;
      reached &= reached - 1;
    }
  }
  return <i32>(found - start) >> 3;
}

/** The estimates of the four records that were scored last. */
let estimates: v128 = i64x2.splat(0);

// @ts-ignore: decorator
@inline
function shifted(lane: i32): v128 {
  if (lane == 0) return estimates;
  if (lane == 1) return v128.shuffle<i32>(estimates, estimates, 1, 1, 1, 1);
  if (lane == 2) return v128.shuffle<i32>(estimates, estimates, 2, 2, 2, 2);
  return v128.shuffle<i32>(estimates, estimates, 3, 3, 3, 3);
}

/** Four records at once, so that each part of the query is read once for all of them. One bit for each that reaches the threshold. */
// @ts-ignore: decorator
@inline
function reaching(
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
  const ab = i32x4.add(v128.shuffle<i32>(sa, sb, 0, 4, 1, 5), v128.shuffle<i32>(sa, sb, 2, 6, 3, 7));
  const cd = i32x4.add(v128.shuffle<i32>(sc, sd, 0, 4, 1, 5), v128.shuffle<i32>(sc, sd, 2, 6, 3, 7));
  const sums = i32x4.add(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7));
  // Each tail's first half: a, b, c, d with scale and residual, to four scales and four residuals.
  const ta = v128.shuffle<i32>(v128.load64_zero(a + stride), v128.load64_zero(b + stride), 0, 4, 1, 5);
  const tc = v128.shuffle<i32>(v128.load64_zero(c + stride), v128.load64_zero(d + stride), 0, 4, 1, 5);
  const scales = v128.shuffle<i32>(ta, tc, 0, 1, 4, 5);
  const residuals = v128.shuffle<i32>(ta, tc, 2, 3, 6, 7);
  const estimate = f32x4.mul(f32x4.convert_i32x4_s(sums), f32x4.mul(scales, f32x4.splat(factor)));
  const possible = f32x4.add(estimate, f32x4.add(f32x4.mul(residuals, f32x4.splat(spread)), f32x4.splat(slack)));
  estimates = estimate;
  return i32x4.bitmask(f32x4.ge(possible, f32x4.splat(threshold)));
}

/** Bytes behind a record's signs: f32 factor, i32 how many are positive. */
const SIGNS_TAIL: usize = 8;

/**
 * Writes for each record the signs of its codes, one bit for each dimension, 1 where positive, in words of 64 bits. The factor is
 * 1 / (scale * sum of the codes' absolute values), 0 for a record of zeros, and not a number for a dead one, as its residual is.
 */
export function sign(records: usize, stride: usize, signs: usize, words: usize, first: i32, count: i32): void {
  const size = stride + TAIL;
  const width = (words << 3) + SIGNS_TAIL;
  for (let row = first, end = first + count; row < end; row++) {
    const record = records + <usize>row * size;
    const target = signs + <usize>row * width;
    let sums = i32x4.splat(0);
    let positive = 0;
    memory.fill(target, 0, width);
    for (let i: usize = 0; i < stride; i += 16) {
      const codes = v128.load(record + i);
      const bits = i8x16.bitmask(i8x16.gt_s(codes, i8x16.splat(0)));
      store<u16>(target + (i >> 3), <u16>bits);
      positive += popcnt(bits);
      const sizes = i16x8.extadd_pairwise_i8x16_u(i8x16.abs(codes));
      sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_u(sizes));
    }
    const total = i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3);
    const length = <f32>total * load<f32>(record + stride);
    const residual = load<f32>(record + stride, 4);
    store<f32>(target + (words << 3), isNaN(residual) ? residual : length > 0 ? 1 / length : 0);
    store<i32>(target + (words << 3), positive, 4);
  }
}

/**
 * Estimates cosines from signs and a query of four bits, which lies in four planes, a word of each after the other, and notes the
 * records whose estimate reaches `threshold`, as `scan` does:
 *
 * estimate = factor * (a * (sum of the query where the sign is positive) + b * positive + c)
 */
export function scanSigns(
  planes: usize,
  signs: usize,
  words: usize,
  first: i32,
  count: i32,
  a: f32,
  b: f32,
  c: f32,
  threshold: f32,
  found: usize,
): i32 {
  const width = (words << 3) + SIGNS_TAIL;
  const start = found;
  let at = signs + <usize>first * width;
  for (let row = first, end = first + count; row < end; row++) {
    let ones: i64 = 0;
    let twos: i64 = 0;
    let fours: i64 = 0;
    let eights: i64 = 0;
    let plane = planes;
    for (const last = at + (words << 3); at < last; at += 8) {
      const bits = load<u64>(at);
      ones += popcnt<i64>(bits & load<u64>(plane));
      twos += popcnt<i64>(bits & load<u64>(plane, 8));
      fours += popcnt<i64>(bits & load<u64>(plane, 16));
      eights += popcnt<i64>(bits & load<u64>(plane, 24));
      plane += 32;
    }
    const sum = <i32>(ones + (twos << 1) + (fours << 2) + (eights << 3));
    const estimate = load<f32>(at) * (a * <f32>sum + b * <f32>load<i32>(at, 4) + c);
    at += SIGNS_TAIL;
    if (estimate >= threshold) {
      store<i32>(found, row);
      store<f32>(found, estimate, 4);
      found += 8;
    }
  }
  return <i32>(found - start) >> 3;
}
