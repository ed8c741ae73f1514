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
    let reached = reaching(query, stride, a, b, c, d, factor, spread, slack, threshold) & known(at, quarter, count);
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
  return possible(total(sa, sb, sc, sd), a + stride, b + stride, c + stride, d + stride, factor, spread, slack, threshold);
}

/** The sum of each of four. */
// @ts-ignore: decorator
@inline
function total(sa: v128, sb: v128, sc: v128, sd: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(sa, sb, 0, 4, 1, 5), v128.shuffle<i32>(sa, sb, 2, 6, 3, 7));
  const cd = i32x4.add(v128.shuffle<i32>(sc, sd, 0, 4, 1, 5), v128.shuffle<i32>(sc, sd, 2, 6, 3, 7));
  return i32x4.add(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7));
}

/** One bit for each of four records that can reach the threshold, whose tails begin with f32 scale and f32 residual. */
// @ts-ignore: decorator
@inline
function possible(
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
  // Four times scale and residual, to four scales and four residuals.
  const ta = v128.shuffle<i32>(v128.load64_zero(a), v128.load64_zero(b), 0, 4, 1, 5);
  const tc = v128.shuffle<i32>(v128.load64_zero(c), v128.load64_zero(d), 0, 4, 1, 5);
  const scales = v128.shuffle<i32>(ta, tc, 0, 1, 4, 5);
  const residuals = v128.shuffle<i32>(ta, tc, 2, 3, 6, 7);
  const estimate = f32x4.mul(f32x4.convert_i32x4_s(sums), f32x4.mul(scales, f32x4.splat(factor)));
  const most = f32x4.add(estimate, f32x4.add(f32x4.mul(residuals, f32x4.splat(spread)), f32x4.splat(slack)));
  estimates = estimate;
  return i32x4.bitmask(f32x4.ge(most, f32x4.splat(threshold)));
}

/** One bit for each of the quarters of `count` that has a record so far from its beginning. */
// @ts-ignore: decorator
@inline
function known(at: i32, quarter: i32, count: i32): i32 {
  const quarters = 4 - <i32>(at + quarter >= count) - <i32>(at + 2 * quarter >= count) - <i32>(at + 3 * quarter >= count);
  return (1 << quarters) - 1;
}

/** Bytes behind a sketch's codes: f32 scale, f32 residual. */
const SKETCH_TAIL: usize = 8;
/** Steps of a record's codes that are one of a sketch's. */
const STEP: i32 = 17;
/** What a sketch's codes are stored more by, so that none is negative. */
const SHIFT: i32 = 7;

/** Writes for each record its sketch: what that is is told in sketch.ts. */
export function sketch(records: usize, stride: usize, sketches: usize, width: usize, first: i32, count: i32): void {
  const size = stride + TAIL;
  for (let row = first, end = first + count; row < end; row++) {
    const record = records + <usize>row * size;
    const target = sketches + <usize>row * (width + SKETCH_TAIL);
    let squares = i32x4.splat(0);
    for (let i: usize = 0; i < width; i += 16) {
      const from = record + (i << 1);
      // Half of the last group may lie beyond the codes.
      const all = (i << 1) + 16 < stride;
      const c0 = v128.load_ext<i8>(from);
      const c1 = v128.load_ext<i8>(from, 8);
      const c2 = all ? v128.load_ext<i8>(from, 16) : i16x8.splat(0);
      const c3 = all ? v128.load_ext<i8>(from, 24) : i16x8.splat(0);
      const h0 = steps(c0);
      const h1 = steps(c1);
      const h2 = steps(c2);
      const h3 = steps(c3);
      squares = i32x4.add(squares, i32x4.add(i32x4.add(rest(c0, h0), rest(c1, h1)), i32x4.add(rest(c2, h2), rest(c3, h3))));
      const low = v128.or(shift(h0), i16x8.shl(shift(h1), 4));
      v128.store(target + i, v128.or(low, v128.or(i16x8.shl(shift(h2), 8), i16x8.shl(shift(h3), 12))));
    }
    const sum =
      i32x4.extract_lane(squares, 0) + i32x4.extract_lane(squares, 1) + i32x4.extract_lane(squares, 2) + i32x4.extract_lane(squares, 3);
    const scale = load<f32>(record + stride);
    const residual = <f64>load<f32>(record + stride, 4) + <f64>scale * sqrt(<f64>sum);
    store<f32>(target + width, scale);
    // Rounded up, whichever way the nearest f32 lies.
    store<f32>(target + width, <f32>(residual * (1 + 4 * 2 ** -24)), 4);
  }
}

/** Codes in whole steps, to the nearest: times 1/17, in units of 2^-15. */
// @ts-ignore: decorator
@inline
function steps(codes: v128): v128 {
  return i16x8.q15mulr_sat_s(codes, i16x8.splat(1928));
}

/** The squares of what steps leave of codes, in four sums. */
// @ts-ignore: decorator
@inline
function rest(codes: v128, steps: v128): v128 {
  const left = i16x8.sub(codes, i16x8.mul(steps, i16x8.splat(<i16>STEP)));
  return i32x4.dot_i16x8_s(left, left);
}

// @ts-ignore: decorator
@inline
function shift(steps: v128): v128 {
  return i16x8.add(steps, i16x8.splat(<i16>SHIFT));
}

/**
 * Notes the numbers of the records whose cosine can reach `threshold` for all that their sketches tell, as `scan` reckons it; `base` is
 * what the shift adds to each record's sum. Returns how many.
 */
export function scanSketches(
  query: usize,
  sketches: usize,
  width: usize,
  first: i32,
  count: i32,
  base: i32,
  factor: f32,
  spread: f32,
  slack: f32,
  threshold: f32,
  found: usize,
): i32 {
  const size = width + SKETCH_TAIL;
  const start = found;
  const last = sketches + <usize>(first + count - 1) * size;
  const quarter = (count + 3) >> 2;
  const gap = <usize>quarter * size;
  for (let at = 0; at < quarter; at++) {
    const a = sketches + <usize>(first + at) * size;
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
      sa = i32x4.add(sa, sketched(v128.load(a + i), q0, q1, q2, q3));
      sb = i32x4.add(sb, sketched(v128.load(b + i), q0, q1, q2, q3));
      sc = i32x4.add(sc, sketched(v128.load(c + i), q0, q1, q2, q3));
      sd = i32x4.add(sd, sketched(v128.load(d + i), q0, q1, q2, q3));
    }
    const sums = i32x4.sub(i32x4.mul(total(sa, sb, sc, sd), i32x4.splat(STEP)), i32x4.splat(base));
    let reached = possible(sums, a + width, b + width, c + width, d + width, factor, spread, slack, threshold) & known(at, quarter, count);
    while (reached) {
      store<i32>(found, first + at + ctz(reached) * quarter);
      found += 4;
      reached &= reached - 1;
    }
  }
  return <i32>(found - start) >> 2;
}

/** The products of 32 codes of a sketch with those of a query, in four sums. */
// @ts-ignore: decorator
@inline
function sketched(codes: v128, q0: v128, q1: v128, q2: v128, q3: v128): v128 {
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

/** Records whose signs lie together. */
const LANES: i32 = 16;

/**
 * Writes the signs of records, one bit for each dimension, 1 where positive. Those of 16 records lie together: the first 8 dimensions of
 * each, a byte a record, then the next 8 of each, and so on; behind them 16 factors, f32, first those of the even records. A factor is
 * 1 / (scale * sum of the codes' absolute values), 0 for a record of zeros, and not a number for a dead one, as its residual is.
 */
export function sign(records: usize, stride: usize, signs: usize, first: i32, count: i32): void {
  const size = stride + TAIL;
  const group = (stride << 1) + 64;
  for (let row = first, end = first + count; row < end; row++) {
    const record = records + <usize>row * size;
    const lane = <usize>(row & (LANES - 1));
    let target = signs + <usize>(row >> 4) * group;
    const factor = target + (stride << 1) + (((lane & 1) << 5) | ((lane >> 1) << 2));
    target += lane;
    let sums = i32x4.splat(0);
    for (let i: usize = 0; i < stride; i += 16) {
      const codes = v128.load(record + i);
      const bits = i8x16.bitmask(i8x16.gt_s(codes, i8x16.splat(0)));
      store<u8>(target, <u8>bits);
      store<u8>(target, <u8>(bits >> 8), 16);
      target += 32;
      const sizes = i16x8.extadd_pairwise_i8x16_u(i8x16.abs(codes));
      sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_u(sizes));
    }
    const total = i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3);
    const length = <f32>total * load<f32>(record + stride);
    const residual = load<f32>(record + stride, 4);
    store<f32>(factor, isNaN(residual) ? residual : length > 0 ? 1 / length : 0);
  }
}

/**
 * Estimates cosines from signs and notes the records whose estimate reaches `threshold`, as `scan` does. `first` is a multiple of 16.
 *
 * estimate = factor * (a * sum + c)
 *
 * The sum is one of numbers from a table: for each 4 dimensions the one that stands where their 4 signs point, of 16 numbers of 7 bits.
 * 16 records are looked up at a time (Andre, Kermarrec and Le Scouarnec, Cache locality is not enough, 2015). All sums are below 2^16.
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
  found: usize,
): i32 {
  const group = (stride << 1) + 64;
  const start = found;
  const end = first + count;
  const groups = (count + LANES - 1) >> 4;
  const half = (groups + 1) >> 1;
  const mask = i8x16.splat(15);
  // Two places at a time, as in `scan`; where the second has no group, the first is read again, and its records lie beyond the end.
  for (let at = 0; at < half; at++) {
    const one = signs + <usize>((first >> 4) + at) * group;
    const other = at + half < groups ? one + <usize>half * group : one;
    // In 16 bits, the sums of the even records with 256 times those of the odd ones added, and the sums of the odd ones.
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
    found = note(bothOne, oddOne, one + (stride << 1), row, end, a, c, threshold, found);
    found = note(bothOther, oddOther, other + (stride << 1), row + (half << 4), end, a, c, threshold, found);
  }
  return <i32>(found - start) >> 3;
}

/** Notes those of 16 records, up to `end`, whose estimate reaches the threshold, from their sums and factors. Returns where to go on. */
// @ts-ignore: decorator
@inline
function note(both: v128, odd: v128, factors: usize, row: i32, end: i32, a: f32, c: f32, threshold: f32, found: usize): usize {
  const even = i16x8.sub(both, i16x8.shl(odd, 8));
  const e0 = likely(i32x4.extend_low_i16x8_u(even), factors, a, c);
  const e1 = likely(i32x4.extend_high_i16x8_u(even), factors + 16, a, c);
  const e2 = likely(i32x4.extend_low_i16x8_u(odd), factors + 32, a, c);
  const e3 = likely(i32x4.extend_high_i16x8_u(odd), factors + 48, a, c);
  const least = f32x4.splat(threshold);
  const some = v128.or(v128.or(f32x4.ge(e0, least), f32x4.ge(e1, least)), v128.or(f32x4.ge(e2, least), f32x4.ge(e3, least)));
  if (!v128.any_true(some)) return found;
  // Behind all that these can add to what was found.
  const aside = found + (<usize>LANES << 3);
  v128.store(aside, e0);
  v128.store(aside, e1, 16);
  v128.store(aside, e2, 32);
  v128.store(aside, e3, 48);
  for (let lane = 0, lanes = min(LANES, end - row); lane < lanes; lane++) {
    const estimate = load<f32>(aside + (((lane & 1) << 5) | ((lane >> 1) << 2)));
    if (estimate >= threshold) {
      store<i32>(found, row + lane);
      store<f32>(found, estimate, 4);
      found += 8;
    }
  }
  return found;
}

/** The estimates of four records, from their sums and their factors. */
// @ts-ignore: decorator
@inline
function likely(sums: v128, factors: usize, a: f32, c: f32): v128 {
  const products = f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(sums), f32x4.splat(a)), f32x4.splat(c));
  return f32x4.mul(v128.load(factors), products);
}
