import { loadKernel } from "./load-kernel.js";

/** Maximum number of pieces that a word is split into. */
export const MAX_PIECES_PER_WORD = 16;

/** FNV-1a over UTF-16 code units, as in lexical/vector.ts. */
const FNV_PRIME = 0x01000193;
/** Seeds for a piece that begins a word, and for one that continues a word. */
const BEGINNING_SEED = 0x811c9dc5 | 0;
const CONTINUATION_SEED = 0x1b873593;
const GOLDEN_RATIO = 0x9e3779b1;

const LINE_FEED = 10;
const HASH_SIGN = 35;

interface IndexArrays {
  /** The vocabulary's code units. Each piece ends with a line feed; `##` precedes a piece that continues a word. */
  readonly units: Uint16Array;
  /** The start of each piece, after any `##`; the last element is the length of the longest piece. */
  readonly starts: Int32Array;
  /** An open-addressing hash table of piece numbers plus 1; 0 marks a free slot. */
  readonly slots: Int32Array;
}

/** Splits words into pieces of a vocabulary, greedily by longest match, without allocations. */
export class PieceIndex {
  /** Actual number of pieces, which differs from the expected number if the vocabulary is damaged. */
  readonly size: number;
  readonly #arrays: IndexArrays;
  /** Hashes of the prefixes of the text being looked up, by length. */
  readonly #hashes: Int32Array;

  /**
   * @param pieceCount Expected number of pieces.
   * @param options.useKernel Whether to use WebAssembly. JavaScript is ten times slower in a new process. @default true
   */
  constructor(vocabulary: string, pieceCount: number, { useKernel = true }: { readonly useKernel?: boolean } = {}) {
    const slotCount = 2 ** Math.ceil(Math.log2(pieceCount * 2));
    const startsAt = slotCount * 4;
    const unitsAt = startsAt + (pieceCount + 1) * 4;
    const byteCount = unitsAt + vocabulary.length * 2;
    const kernel = useKernel ? loadKernel(byteCount) : null;
    const buffer = kernel?.buffer ?? new ArrayBuffer(byteCount);
    this.#arrays = {
      units: new Uint16Array(buffer, unitsAt, vocabulary.length),
      starts: new Int32Array(buffer, startsAt, pieceCount + 1),
      slots: new Int32Array(buffer, 0, slotCount),
    };
    new Uint8Array(buffer, unitsAt).set(Buffer.from(vocabulary, "utf16le"));
    this.size = kernel
      ? kernel.buildIndex(unitsAt, vocabulary.length, startsAt, pieceCount, 0, slotCount - 1)
      : buildIndex(this.#arrays);
    this.#hashes = new Int32Array(this.#arrays.starts[pieceCount]! + 1);
  }

  /** Writes up to 16 pieces of a word into `pieces`, from `offset` on. Returns the offset after the last piece. */
  split(text: string, start: number, end: number, pieces: Uint16Array, offset: number): number {
    const maxOffset = offset + MAX_PIECES_PER_WORD;
    for (let from = start; from < end && offset < maxOffset; ) {
      const length = this.#longestAt(text, from, end, from > start);
      if (length > 0) pieces[offset++] = this.#lastFoundPiece;
      from += Math.max(1, length);
    }
    return offset;
  }

  /** Returns whether a piece has `length` code units. */
  hasLength(piece: number, length: number): boolean {
    const { units, starts } = this.#arrays;
    return units[starts[piece]! + length] === LINE_FEED;
  }

  /** The number of the piece that `#longestAt` found last. */
  #lastFoundPiece = 0;

  /** Finds the longest piece at a position and keeps its number. Returns its length, or 0 if there is none. */
  #longestAt(text: string, from: number, end: number, continues: boolean): number {
    const hashes = this.#hashes;
    const { slots } = this.#arrays;
    const mask = slots.length - 1;
    const maxLength = Math.min(end - from, hashes.length - 1);
    let hash = continues ? CONTINUATION_SEED : BEGINNING_SEED;
    for (let length = 1; length <= maxLength; length++) {
      hash = Math.imul(hash ^ text.charCodeAt(from + length - 1), FNV_PRIME);
      hashes[length] = hash;
    }
    for (let length = maxLength; length > 0; length--) {
      for (let slot = slotOf(hashes[length]!, mask); slots[slot] !== 0; slot = (slot + 1) & mask) {
        if (!this.#isPieceAt(slots[slot]! - 1, text, from, length, continues)) continue;
        this.#lastFoundPiece = slots[slot]! - 1;
        return length;
      }
    }
    return 0;
  }

  #isPieceAt(piece: number, text: string, from: number, length: number, continues: boolean): boolean {
    const { units, starts } = this.#arrays;
    const start = starts[piece]!;
    if (units[start + length] !== LINE_FEED || (units[start - 1] === HASH_SIGN) !== continues) return false;
    for (let index = 0; index < length; index++) {
      if (units[start + index] !== text.charCodeAt(from + index)) return false;
    }
    return true;
  }
}

/** Does what the kernel's `buildIndex` does, in JavaScript. */
function buildIndex({ units, starts, slots }: IndexArrays): number {
  const mask = slots.length - 1;
  const pieceCount = starts.length - 1;
  let number = 0;
  for (let at = 0; at < units.length; at++) {
    const continues = units[at] === HASH_SIGN && units[at + 1] === HASH_SIGN && units[at + 2] !== LINE_FEED;
    if (continues) at += 2;
    const start = at;
    let hash = continues ? CONTINUATION_SEED : BEGINNING_SEED;
    for (; at < units.length && units[at] !== LINE_FEED; at++) hash = Math.imul(hash ^ units[at]!, FNV_PRIME);
    if (at >= units.length) break;
    if (number++ >= pieceCount) continue;
    let slot = slotOf(hash, mask);
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = number;
    starts[number - 1] = start;
    starts[pieceCount] = Math.max(starts[pieceCount]!, at - start);
  }
  return number;
}

function slotOf(hash: number, mask: number): number {
  return (Math.imul(hash, GOLDEN_RATIO) >>> 8) & mask;
}
