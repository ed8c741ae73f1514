// AssemblyScript, compiled to WebAssembly with SIMD by the build (tsup.config.ts). Where things lie in memory is said by
// static-table.ts; every address here is given by the caller.

/**
 * Adds to `sum` (f32, two for each of the `stride` bytes of a row) the rows of `count` pieces, each code times the row's weight.
 *
 * A row's byte i of each 16 holds the codes of places i (low half) and 16 + i (high half) of 32, in two's complement. A code is at most 7
 * and a weight at most 32767, so that 8192 rows don't overflow 32 bits.
 */
export function add(codes: usize, stride: usize, weights: usize, pieces: usize, count: i32, sum: usize): void {
  const last = pieces + (<usize>count << 1);
  for (let block: usize = 0; block < stride; block += 16) {
    let a = i32x4.splat(0);
    let b = i32x4.splat(0);
    let c = i32x4.splat(0);
    let d = i32x4.splat(0);
    let e = i32x4.splat(0);
    let f = i32x4.splat(0);
    let g = i32x4.splat(0);
    let h = i32x4.splat(0);
    for (let at = pieces; at < last; at += 2) {
      const piece = <usize>load<u16>(at);
      const weight = i16x8.splat(load<i16>(weights + (piece << 1)));
      const both = v128.load(codes + piece * stride + block);
      const low = i8x16.shr_s(i8x16.shl(both, 4), 4);
      const high = i8x16.shr_s(both, 4);
      const first = i16x8.extend_low_i8x16_s(low);
      const second = i16x8.extend_high_i8x16_s(low);
      const third = i16x8.extend_low_i8x16_s(high);
      const fourth = i16x8.extend_high_i8x16_s(high);
      a = i32x4.add(a, i32x4.extmul_low_i16x8_s(first, weight));
      b = i32x4.add(b, i32x4.extmul_high_i16x8_s(first, weight));
      c = i32x4.add(c, i32x4.extmul_low_i16x8_s(second, weight));
      d = i32x4.add(d, i32x4.extmul_high_i16x8_s(second, weight));
      e = i32x4.add(e, i32x4.extmul_low_i16x8_s(third, weight));
      f = i32x4.add(f, i32x4.extmul_high_i16x8_s(third, weight));
      g = i32x4.add(g, i32x4.extmul_low_i16x8_s(fourth, weight));
      h = i32x4.add(h, i32x4.extmul_high_i16x8_s(fourth, weight));
    }
    const target = sum + (block << 3);
    put(target, a);
    put(target + 16, b);
    put(target + 32, c);
    put(target + 48, d);
    put(target + 64, e);
    put(target + 80, f);
    put(target + 96, g);
    put(target + 112, h);
  }
}

function put(target: usize, sums: v128): void {
  v128.store(target, f32x4.add(v128.load(target), f32x4.convert_i32x4_s(sums)));
}
