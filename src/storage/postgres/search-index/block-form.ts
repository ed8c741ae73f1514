import { ByteWriter } from "./byte-writer.js";
import { type BlockDocument, FORMAT_VERSION, HEADER_BYTES, TERMS_PER_OFFSET } from "./postings-block.js";

/** A block in its stored form: `postings-block.ts` describes it. */
export interface StoredBlock {
  readonly words: Uint8Array;
  readonly positions: Uint8Array;
}

/** What precedes the terms of a block. */
export interface BlockHead {
  readonly documents: readonly BlockDocument[];
  readonly chunkSeqs: readonly number[];
  /** The length of each chunk in words and how they are stemmed, as `toLengthNumber` returns it. */
  readonly lengths: readonly number[];
}

/** A term of a block in its stored form. */
export interface StoredTerm {
  /** The term's UTF-8. */
  readonly term: Uint8Array;
  readonly postings: Uint8Array;
  readonly positions: Uint8Array;
}

/** Returns a block with the given terms, which are in the order of their UTF-8. */
export function encodeBlock(head: BlockHead, terms: Iterable<StoredTerm>): StoredBlock {
  const words = new ByteWriter(1024);
  const positions = new ByteWriter(1024);
  const offsets = { words: [] as number[], positions: [] as number[] };
  let termCount = 0;
  for (const stored of terms) {
    if (termCount++ % TERMS_PER_OFFSET === 0) {
      offsets.words.push(words.length);
      offsets.positions.push(positions.length);
    }
    writeSized(words, stored.term);
    writeSized(words, stored.postings);
    writeSized(positions, stored.positions);
  }
  const { documents, chunkSeqs, lengths } = head;
  const offsetBytes = 4 * offsets.words.length;
  const entriesAt = HEADER_BYTES + 16 * documents.length + 12 * chunkSeqs.length + offsetBytes;
  return {
    words: Buffer.concat([
      bytesOf(Uint32Array.of(FORMAT_VERSION, documents.length, chunkSeqs.length, termCount)),
      bytesOf(Float64Array.from(documents, ({ documentSeq }) => documentSeq)),
      bytesOf(Float64Array.from(chunkSeqs)),
      bytesOf(Uint32Array.from(documents, ({ generation }) => generation)),
      bytesOf(Uint32Array.from(documents, ({ chunks }) => chunks)),
      bytesOf(Uint32Array.from(lengths)),
      bytesOf(Uint32Array.from(offsets.words, (offset) => entriesAt + offset)),
      words.bytes,
    ]),
    positions: Buffer.concat([
      bytesOf(Uint32Array.from(offsets.positions, (offset) => offsetBytes + offset)),
      positions.bytes,
    ]),
  };
}

/** Sets the sequence numbers of the chunks of a block with one document. */
export function setChunkSeqs(words: Uint8Array, chunkSeqs: readonly number[]): void {
  words.set(bytesOf(Float64Array.from(chunkSeqs)), HEADER_BYTES + 8);
}

function writeSized(target: ByteWriter, bytes: Uint8Array): void {
  target.writeNumber(bytes.length);
  target.writeBytes(bytes);
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
