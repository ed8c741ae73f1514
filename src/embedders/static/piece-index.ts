import { loadKernel } from "./load-kernel.js";

/** Maximum number of pieces of a word. */
const MAX_PIECES = 16;

/** FNV-1a over UTF-16 code units, as in lexical/vector.ts. */
const FNV_PRIME = 0x01000193;
const BEGINNING = 0x811c9dc5 | 0;
const CONTINUATION = 0x1b873593;
const GOLDEN_RATIO = 0x9e3779b1;

const LINE_FEED = 10;
const HASH_SIGN = 35;

interface IndexArrays {
  /** The vocabulary's code units: pieces, each ended by a line feed, `##` before one that continues a word. */
  readonly units: Uint16Array;
  /** Start of each piece, after its `##`; the last element is the length of the longest piece. */
  readonly starts: Int32Array;
  /** Open addressing: piece number plus 1. */
  readonly slots: Int32Array;
}

/** Splits words into pieces of a vocabulary, greedily by longest match, without allocations. */
export class PieceIndex {
  /** Actual number of pieces, which differs from the expected one if the vocabulary is damaged. */
  readonly size: number;
  readonly #arrays: IndexArrays;
  /** Hashes of the prefixes of the current lookup, by length. */
  readonly #hashes: Int32Array;

  /**
   * @param pieces Expected number of pieces.
   * @param options.kernel false to use JavaScript instead of WebAssembly, ten times slower in a new process
   */
  constructor(vocabulary: string, pieces: number, { kernel = true }: { readonly kernel?: boolean } = {}) {
    const slots = 2 ** Math.ceil(Math.log2(pieces * 2));
    const startsAt = slots * 4;
    const unitsAt = startsAt + (pieces + 1) * 4;
    const bytes = unitsAt + vocabulary.length * 2;
    const loaded = kernel ? loadKernel(bytes) : null;
    const buffer = loaded?.buffer ?? new ArrayBuffer(bytes);
    this.#arrays = {
      units: new Uint16Array(buffer, unitsAt, vocabulary.length),
      starts: new Int32Array(buffer, startsAt, pieces + 1),
      slots: new Int32Array(buffer, 0, slots),
    };
    new Uint8Array(buffer, unitsAt).set(Buffer.from(vocabulary, "utf16le"));
    this.size = loaded
      ? loaded.index(unitsAt, vocabulary.length, startsAt, pieces, 0, slots - 1)
      : buildIndex(this.#arrays);
    this.#hashes = new Int32Array(this.#arrays.starts[pieces]! + 1);
  }

  /** Writes at most 16 pieces of a word into an array from an offset. Returns the offset after them. */
  split(text: string, start: number, end: number, pieces: Uint16Array, offset: number): number {
    const last = offset + MAX_PIECES;
    for (let from = start; from < end && offset < last; ) {
      const length = this.#longestAt(text, from, end, from > start);
      if (length > 0) pieces[offset++] = this.#lastFound;
      from += Math.max(1, length);
    }
    return offset;
  }

  /** Whether a piece has `length` code units. */
  hasLength(piece: number, length: number): boolean {
    const { units, starts } = this.#arrays;
    return units[starts[piece]! + length] === LINE_FEED;
  }

  /** The number of the last piece found. */
  #lastFound = 0;

  /** Length of the longest piece at a position, or 0. */
  #longestAt(text: string, from: number, end: number, continues: boolean): number {
    const hashes = this.#hashes;
    const { slots } = this.#arrays;
    const mask = slots.length - 1;
    const maxLength = Math.min(end - from, hashes.length - 1);
    let hash = continues ? CONTINUATION : BEGINNING;
    for (let length = 1; length <= maxLength; length++) {
      hash = Math.imul(hash ^ text.charCodeAt(from + length - 1), FNV_PRIME);
      hashes[length] = hash;
    }
    for (let length = maxLength; length > 0; length--) {
      for (let slot = slotOf(hashes[length]!, mask); slots[slot] !== 0; slot = (slot + 1) & mask) {
        if (!this.#isPieceAt(slots[slot]! - 1, text, from, length, continues)) continue;
        this.#lastFound = slots[slot]! - 1;
        return length;
      }
    }
    return 0;
  }

  #isPieceAt(number: number, text: string, from: number, length: number, continues: boolean): boolean {
    const { units, starts } = this.#arrays;
    const start = starts[number]!;
    if (units[start + length] !== LINE_FEED || (units[start - 1] === HASH_SIGN) !== continues) return false;
    for (let index = 0; index < length; index++) {
      if (units[start + index] !== text.charCodeAt(from + index)) return false;
    }
    return true;
  }
}

/** JavaScript version of the kernel's `index`. */
function buildIndex({ units, starts, slots }: IndexArrays): number {
  const mask = slots.length - 1;
  const pieces = starts.length - 1;
  let number = 0;
  for (let at = 0; at < units.length; at++) {
    const continues = units[at] === HASH_SIGN && units[at + 1] === HASH_SIGN && units[at + 2] !== LINE_FEED;
    if (continues) at += 2;
    const start = at;
    let hash = continues ? CONTINUATION : BEGINNING;
    for (; at < units.length && units[at] !== LINE_FEED; at++) hash = Math.imul(hash ^ units[at]!, FNV_PRIME);
    if (at >= units.length) break;
    if (number++ >= pieces) continue;
    let slot = slotOf(hash, mask);
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = number;
    starts[number - 1] = start;
    starts[pieces] = Math.max(starts[pieces]!, at - start);
  }
  return number;
}

function slotOf(hash: number, mask: number): number {
  return (Math.imul(hash, GOLDEN_RATIO) >>> 8) & mask;
}
