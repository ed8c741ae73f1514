/** Stands before a piece that continues a word. */
const CONTINUES = "##";
/** Pieces of one word; what is longer is no word. */
const MOST_PIECES = 16;

/** As for words in lexical-vector.ts: FNV-1a over UTF-16 code units. */
const FNV_PRIME = 0x01000193;
const BEGINNING = 0x811c9dc5 | 0;
const CONTINUATION = 0x1b873593;

/** Splits words into the pieces of a vocabulary, always taking the longest that fits. It allocates nothing. */
export class PieceIndex {
  /** Pieces. */
  readonly size: number;
  /** The pieces' code units, one after another, and where each begins. */
  readonly #units: Uint16Array;
  readonly #starts: Uint32Array;
  /** Whether a piece continues a word, by its number. */
  readonly #continues: Uint8Array;
  /** Open addressing: the number of a piece, plus 1. */
  readonly #slots: Int32Array;
  /** Of the beginnings of what is being looked up, by length. */
  readonly #hashes: Int32Array;

  /** @param vocabulary The pieces, each ended by a line feed. */
  constructor(vocabulary: string) {
    let lines = 0;
    for (let at = vocabulary.indexOf("\n"); at >= 0; at = vocabulary.indexOf("\n", at + 1)) lines++;
    const slots = 1 << Math.ceil(Math.log2(lines * 2 + 1));
    this.size = lines;
    this.#slots = new Int32Array(slots);
    this.#units = new Uint16Array(vocabulary.length);
    this.#starts = new Uint32Array(lines + 1);
    this.#continues = new Uint8Array(lines);
    let longest = 0;
    let at = 0;
    for (let number = 0, from = 0; number < lines; number++) {
      const end = vocabulary.indexOf("\n", from);
      const continues = end - from > CONTINUES.length && vocabulary.startsWith(CONTINUES, from);
      if (continues) from += CONTINUES.length;
      let hash = continues ? CONTINUATION : BEGINNING;
      this.#continues[number] = continues ? 1 : 0;
      this.#starts[number] = at;
      longest = Math.max(longest, end - from);
      for (; from < end; from++) {
        const unit = vocabulary.charCodeAt(from);
        this.#units[at++] = unit;
        hash = Math.imul(hash ^ unit, FNV_PRIME);
      }
      from++;
      let slot = this.#slotOf(hash);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (slots - 1);
      this.#slots[slot] = number + 1;
    }
    this.#starts[lines] = at;
    this.#hashes = new Int32Array(longest + 1);
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

  /** The number of the piece that was found last. */
  #found = 0;

  /** The length of the longest piece that stands at a place; 0 where none does. */
  #longestAt(text: string, from: number, end: number, continues: boolean): number {
    const hashes = this.#hashes;
    const most = Math.min(end - from, hashes.length - 1);
    let hash = continues ? CONTINUATION : BEGINNING;
    for (let length = 1; length <= most; length++) {
      hash = Math.imul(hash ^ text.charCodeAt(from + length - 1), FNV_PRIME);
      hashes[length] = hash;
    }
    for (let length = most; length > 0; length--) {
      for (let slot = this.#slotOf(hashes[length]!); ; slot = (slot + 1) & (this.#slots.length - 1)) {
        const number = this.#slots[slot]! - 1;
        if (number < 0) break;
        if (!this.#is(number, text, from, length, continues)) continue;
        this.#found = number;
        return length;
      }
    }
    return 0;
  }

  #is(number: number, text: string, from: number, length: number, continues: boolean): boolean {
    const start = this.#starts[number]!;
    if (this.#starts[number + 1]! - start !== length || (this.#continues[number] === 1) !== continues) return false;
    for (let index = 0; index < length; index++) {
      if (this.#units[start + index] !== text.charCodeAt(from + index)) return false;
    }
    return true;
  }

  #slotOf(hash: number): number {
    return (Math.imul(hash, 0x9e3779b1) >>> 8) & (this.#slots.length - 1);
  }
}
