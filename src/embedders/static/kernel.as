// AssemblyScript, compiled to WebAssembly with SIMD by the build (tsup.config.ts). static-table.ts and piece-index.ts
// define the memory layout; the caller passes all addresses.

/**
 * Adds the rows of `count` pieces, each code times the row's weight, to `sum`, which has two f32 for each of a row's
 * `stride` bytes. Each 16 bytes of a row hold the codes of 32 dimensions in two's complement: byte i holds dimension i
 * in its low half and dimension 16 + i in its high half. A code is at most 7 and a weight at most 32767, so 8192 rows
 * don't overflow 32 bits.
 */
export function addRows(codes: usize, stride: usize, weights: usize, pieces: usize, count: i32, sum: usize): void {
  const end = pieces + (<usize>count << 1);
  for (let block: usize = 0; block < stride; block += 16) {
    let a = i32x4.splat(0);
    let b = i32x4.splat(0);
    let c = i32x4.splat(0);
    let d = i32x4.splat(0);
    let e = i32x4.splat(0);
    let f = i32x4.splat(0);
    let g = i32x4.splat(0);
    let h = i32x4.splat(0);
    for (let at = pieces; at < end; at += 2) {
      const piece = <usize>load<u16>(at);
      const weight = i16x8.splat(load<i16>(weights + (piece << 1)));
      const packed = v128.load(codes + piece * stride + block);
      const low = i8x16.shr_s(i8x16.shl(packed, 4), 4);
      const high = i8x16.shr_s(packed, 4);
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
    accumulate(target, a);
    accumulate(target + 16, b);
    accumulate(target + 32, c);
    accumulate(target + 48, d);
    accumulate(target + 64, e);
    accumulate(target + 80, f);
    accumulate(target + 96, g);
    accumulate(target + 112, h);
  }
}

function accumulate(target: usize, sums: v128): void {
  v128.store(target, f32x4.add(v128.load(target), f32x4.convert_i32x4_s(sums)));
}

/**
 * Indexes a vocabulary of `length` UTF-16 code units, in which each piece ends with a line feed. Writes the starts of
 * the first `pieceCount` pieces, then the length of the longest piece, and writes each piece's number plus 1 into a
 * slot. Returns the number of pieces in the vocabulary.
 */
export function buildIndex(units: usize, length: i32, starts: usize, pieceCount: i32, slots: usize, mask: i32): i32 {
  let number = 0;
  let longest = 0;
  for (let at = 0; at < length; at++) {
    const continues = unit(units, at) == 35 && unit(units, at + 1) == 35 && unit(units, at + 2) != 10;
    if (continues) at += 2;
    const start = at;
    let hash: i32 = continues ? 0x1b873593 : <i32>0x811c9dc5;
    for (; at < length && unit(units, at) != 10; at++) hash = (hash ^ unit(units, at)) * 0x01000193;
    if (at >= length) break;
    if (number++ >= pieceCount) continue;
    let slot = ((hash * <i32>0x9e3779b1) >>> 8) & mask;
    while (load<i32>(slots + (<usize>slot << 2)) != 0) slot = (slot + 1) & mask;
    store<i32>(slots + (<usize>slot << 2), number);
    store<i32>(starts + (<usize>(number - 1) << 2), start);
    longest = max(longest, at - start);
  }
  store<i32>(starts + (<usize>pieceCount << 2), longest);
  return number;
}

function unit(units: usize, at: i32): i32 {
  return <i32>load<u16>(units + (<usize>at << 1));
}
