import { ENGLISH, type Stemming } from "../../../text-analysis/stemming.js";
import { ByteReader } from "./byte-writer.js";

// The words of chunks, as they are stored and as a reader holds them: nothing is decoded until a term is looked up. All
// fixed numbers are little-endian, like every machine that runs Node.
//
// - u32: the version of this form, the number of documents, of chunks, and of terms
// - for each document f64 number, for each chunk f64 number
// - for each document u32 generation and u32 number of chunks, for each chunk u32 length in words and stemming
// - for each 16th term u32 offset of its entry
// - an entry for each term, ordered by the bytes of its UTF-8: length, UTF-8, length of the postings, postings
//
// A posting is the distance to the chunk of the posting before, and how often the chunk has the term. Chunks are numbered
// from 0, in the order of the documents. The positions are separate, since only phrases need them:
//
// - for each 16th term u32 offset of its entry
// - an entry for each term: length, then for each occurrence the distance to the one before in the chunk

export const FORMAT_VERSION = 1;
export const HEADER_BYTES = 16;
/** One of this many terms has an offset. */
export const TERMS_PER_OFFSET = 16;
/** The lower bits of a chunk's number are its length in words, the upper ones how its words are stemmed. */
const LENGTH_BITS = 26;
/** The upper bits for English, of which the first blocks had one. */
const ENGLISH_BITS = 32;

/** Returns the number that has the length of a chunk in words and how they are stemmed. */
export function toLengthNumber(wordCount: number, stemming: Stemming): number {
  return (stemming === ENGLISH ? ENGLISH_BITS : stemming) * 2 ** LENGTH_BITS + wordCount;
}

/** A generation of a document in a block. */
export interface BlockDocument {
  readonly documentSeq: number;
  readonly generation: number;
  /** The number of its chunks, which are consecutive. */
  readonly chunks: number;
}

/** A term of a block, and where its postings are. */
export interface TermEntry {
  /** The position of the term in the block, from 0. */
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

/** The words of the chunks of some documents. */
export class PostingsBlock {
  readonly bytes: Uint8Array;
  readonly chunkSeqs: Float64Array;
  readonly #documentSeqs: Float64Array;
  readonly #generations: Uint32Array;
  readonly #chunkCounts: Uint32Array;
  readonly #lengths: Uint32Array;
  readonly #offsets: Uint32Array;
  readonly #termCount: number;

  constructor(stored: Uint8Array) {
    // Numbers are aligned only at the start of a buffer, and a part of one would keep the rest of it in memory.
    const isWhole = stored.byteLength === stored.buffer.byteLength;
    this.bytes = isWhole ? stored : new Uint8Array(stored);
    const { buffer } = this.bytes;
    const [version, documents = 0, chunks = 0, terms = 0] = new Uint32Array(buffer, 0, HEADER_BYTES / 4);
    if (version !== FORMAT_VERSION) throw new Error(`A keyword block has the unknown format ${version}.`);
    let at = HEADER_BYTES;
    const take = (bytes: number) => {
      at += bytes;
      return at - bytes;
    };
    this.#documentSeqs = new Float64Array(buffer, take(8 * documents), documents);
    this.chunkSeqs = new Float64Array(buffer, take(8 * chunks), chunks);
    this.#generations = new Uint32Array(buffer, take(4 * documents), documents);
    this.#chunkCounts = new Uint32Array(buffer, take(4 * documents), documents);
    this.#lengths = new Uint32Array(buffer, take(4 * chunks), chunks);
    const offsets = Math.ceil(terms / TERMS_PER_OFFSET);
    this.#offsets = new Uint32Array(buffer, take(4 * offsets), offsets);
    this.#termCount = terms;
  }

  get chunkCount(): number {
    return this.chunkSeqs.length;
  }

  *documents(): Generator<BlockDocument> {
    for (let index = 0; index < this.#documentSeqs.length; index++)
      yield {
        documentSeq: this.#documentSeqs[index]!,
        generation: this.#generations[index]!,
        chunks: this.#chunkCounts[index]!,
      };
  }

  /** Returns the length of a chunk in words. */
  wordCount(chunk: number): number {
    return this.#lengths[chunk]! & (2 ** LENGTH_BITS - 1);
  }

  /** Returns how the words of a chunk are stemmed. */
  stemming(chunk: number): Stemming {
    const bits = this.#lengths[chunk]! >>> LENGTH_BITS;
    return bits === ENGLISH_BITS ? ENGLISH : bits;
  }

  /** Finds a term by its UTF-8. */
  find(term: Uint8Array): TermEntry | null {
    for (const { entry, order } of this.#entriesFrom(term)) {
      if (order === 0) return entry;
      if (order > 0) return null;
    }
    return null;
  }

  /** Yields the terms that begin with a prefix and, if one is given, meet a condition. */
  *startingWith(prefix: Uint8Array, meets?: (term: string) => boolean): Generator<TermEntry> {
    for (const { entry, at, length } of this.#entriesStartingWith(prefix))
      if (!meets || meets(this.#textAt(at, length))) yield entry;
  }

  /** Yields the texts of the terms that begin with a prefix. */
  *textsStartingWith(prefix: Uint8Array): Generator<string> {
    for (const { at, length } of this.#entriesStartingWith(prefix)) yield this.#textAt(at, length);
  }

  /** Calls `onTerm` for all terms in order: the Latin-1 of its UTF-8, and where its postings and positions are. */
  readTerms(
    positions: Uint8Array,
    onTerm: (term: string, from: number, to: number, positionsFrom: number, positionsTo: number) => void,
  ): void {
    if (this.#termCount === 0) return;
    const text = Buffer.from(this.bytes.buffer);
    const words = new ByteReader(this.bytes, this.#offsets[0]!);
    const places = new ByteReader(positions, readOffset(positions, 0));
    for (let index = 0; index < this.#termCount; index++) {
      const length = words.readNumber();
      const term = text.toString("latin1", words.at, words.at + length);
      words.at += length;
      const size = words.readNumber();
      const placesSize = places.readNumber();
      onTerm(term, words.at, words.at + size, places.at, places.at + placesSize);
      words.at += size;
      places.at += placesSize;
    }
  }

  /** Calls `onPosting` for each chunk with a term, in order. */
  read({ from, to }: TermEntry, onPosting: (chunk: number, count: number) => void): void {
    const reader = new ByteReader(this.bytes, from);
    for (let chunk = -1; reader.at < to; ) {
      const step = reader.readNumber();
      chunk += (step >>> 1) + 1;
      onPosting(chunk, step & 1 ? reader.readNumber() : 1);
    }
  }

  /** Calls `onPosting` for each chunk with a term, in order, with the positions of the term in the chunk. */
  readPositions(positions: Uint8Array, entry: TermEntry, onPosting: (chunk: number, places: number[]) => void): void {
    const group = Math.floor(entry.index / TERMS_PER_OFFSET);
    const reader = new ByteReader(positions, readOffset(positions, group));
    for (let index = group * TERMS_PER_OFFSET; index < entry.index; index++) {
      const length = reader.readNumber();
      reader.at += length;
    }
    reader.readNumber();
    this.read(entry, (chunk, count) => {
      const places: number[] = [];
      for (let place = 0; places.length < count; ) {
        place += reader.readNumber();
        places.push(place);
      }
      onPosting(chunk, places);
    });
  }

  *#entriesStartingWith(prefix: Uint8Array): Generator<{ entry: TermEntry; at: number; length: number }> {
    for (const { entry, order, at, length } of this.#entriesFrom(prefix)) {
      if (order < 0) continue;
      if (length < prefix.length || compare(this.bytes, at, prefix.length, prefix) !== 0) return;
      yield { entry, at, length };
    }
  }

  #textAt(at: number, length: number): string {
    const { buffer, byteOffset } = this.bytes;
    return Buffer.from(buffer, byteOffset + at, length).toString();
  }

  /**
   * Yields the entries from the last group that can have a term, each with the order of its term compared with the given
   * one, and the place of its UTF-8.
   */
  *#entriesFrom(term: Uint8Array): Generator<{ entry: TermEntry; order: number; at: number; length: number }> {
    const group = this.#groupOf(term);
    if (group < 0) return;
    const reader = new ByteReader(this.bytes, this.#offsets[group]!);
    for (let index = group * TERMS_PER_OFFSET; index < this.#termCount; index++) {
      const length = reader.readNumber();
      const { at } = reader;
      reader.at += length;
      const size = reader.readNumber();
      const from = reader.at;
      reader.at += size;
      const order = compare(this.bytes, at, length, term);
      yield { entry: { index, from, to: from + size }, order, at, length };
    }
  }

  /** Returns the last group whose first term is not greater, by binary search; -1 if there are no terms. */
  #groupOf(term: Uint8Array): number {
    let low = 0;
    let high = this.#offsets.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const reader = new ByteReader(this.bytes, this.#offsets[middle]!);
      const length = reader.readNumber();
      if (compare(this.bytes, reader.at, length, term) <= 0) low = middle;
      else high = middle - 1;
    }
    return high < 0 ? -1 : low;
  }
}

/** Compares a range of bytes with other bytes. */
function compare(bytes: Uint8Array, at: number, length: number, other: Uint8Array): number {
  const common = Math.min(length, other.length);
  for (let index = 0; index < common; index++) {
    const difference = bytes[at + index]! - other[index]!;
    if (difference !== 0) return difference;
  }
  return length - other.length;
}

function readOffset(bytes: Uint8Array, index: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(4 * index, true);
}
