import { loadKernel } from "./load-kernel.js";

/** Pieces of one word; what is longer is no word. */
const MOST_PIECES = 16;

/** As for words in lexical-vector.ts: FNV-1a over UTF-16 code units. */
const FNV_PRIME = 0x01000193;
const BEGINNING = 0x811c9dc5 | 0;
const CONTINUATION = 0x1b873593;
const GOLDEN = 0x9e3779b1;

const LINE_FEED = 10;
const HASH_SIGN = 35;

interface IndexArrays {
  /** The vocabulary's code units: pieces, each ended by a line feed, `##` before one that continues a word. */
  readonly units: Uint16Array;
  /** Where each piece begins, behind its `##`; at the end, the length of the longest. */
  readonly starts: Int32Array;
  /** Open addressing: the number of a piece, plus 1. */
  readonly slots: Int32Array;
}

/** Splits words into the pieces of a vocabulary, always taking the longest that fits. It allocates nothing. */
export class PieceIndex {
  /** Pieces of the vocabulary: not those that were promised, where it is damaged. */
  readonly size: number;
  readonly #arrays: IndexArrays;
  /** Of the beginnings of what is being looked up, by length. */
  readonly #hashes: Int32Array;

  /**
   * @param pieces How many the vocabulary should have.
   * @param options.kernel false to do without WebAssembly, which is ten times slower in a process that has just begun
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

  /** Writes the pieces of a word of a text into an array from a place on, at most 16; returns the place behind them. */
  split(text: string, start: number, end: number, pieces: Uint16Array, place: number): number {
    const last = place + MOST_PIECES;
    for (let from = start; from < end && place < last; ) {
      const length = this.#longestAt(text, from, end, from > start);
      if (length > 0) pieces[place++] = this.#found;
      from += Math.max(1, length);
    }
    return place;
  }

  /** Whether a piece has so many code units. */
  hasLength(piece: number, length: number): boolean {
    const { units, starts } = this.#arrays;
    return units[starts[piece]! + length] === LINE_FEED;
  }

  /** The number of the piece that was found last. */
  #found = 0;

  /** The length of the longest piece that stands at a place; 0 where none does. */
  #longestAt(text: string, from: number, end: number, continues: boolean): number {
    const hashes = this.#hashes;
    const { slots } = this.#arrays;
    const mask = slots.length - 1;
    const most = Math.min(end - from, hashes.length - 1);
    let hash = continues ? CONTINUATION : BEGINNING;
    for (let length = 1; length <= most; length++) {
      hash = Math.imul(hash ^ text.charCodeAt(from + length - 1), FNV_PRIME);
      hashes[length] = hash;
    }
    for (let length = most; length > 0; length--) {
      for (let slot = slotOf(hashes[length]!, mask); slots[slot] !== 0; slot = (slot + 1) & mask) {
        if (!this.#is(slots[slot]! - 1, text, from, length, continues)) continue;
        this.#found = slots[slot]! - 1;
        return length;
      }
    }
    return 0;
  }

  #is(number: number, text: string, from: number, length: number, continues: boolean): boolean {
    const { units, starts } = this.#arrays;
    const start = starts[number]!;
    if (units[start + length] !== LINE_FEED || (units[start - 1] === HASH_SIGN) !== continues) return false;
    for (let index = 0; index < length; index++) {
      if (units[start + index] !== text.charCodeAt(from + index)) return false;
    }
    return true;
  }
}

/** What the kernel's `index` does. */
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
  return (Math.imul(hash, GOLDEN) >>> 8) & mask;
}
