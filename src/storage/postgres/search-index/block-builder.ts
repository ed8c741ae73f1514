import type { Stemming } from "../../../text-analysis/stemming.js";
import { ByteWriter } from "./byte-writer.js";
import {
  type BlockDocument,
  FORMAT_VERSION,
  HEADER_BYTES,
  type PostingsBlock,
  TERMS_PER_OFFSET,
  toLengthNumber,
} from "./postings-block.js";

/** A block in its stored form: `postings-block.ts` describes it. */
export interface StoredBlock {
  readonly words: Uint8Array;
  readonly positions: Uint8Array;
}

/** A block to be merged with others. */
export interface MergedBlock {
  readonly block: PostingsBlock;
  readonly positions: Uint8Array;
}

/** A chunk, and its words in order. */
export interface ChunkWords {
  readonly chunkSeq: number;
  readonly stemming: Stemming;
  readonly terms: readonly string[];
}

/** The occurrences of a term: chunks, how often each has it, and where. */
interface Occurrences {
  readonly chunks: number[];
  readonly counts: number[];
  readonly positions: number[];
}

/** Builds a block from the words of chunks. */
export class BlockBuilder {
  readonly #documents: { documentSeq: number; generation: number; chunks: number }[] = [];
  readonly #chunkSeqs: number[] = [];
  readonly #lengths: number[] = [];
  readonly #terms = new Map<string, Occurrences>();

  /** The number of chunks. */
  get size(): number {
    return this.#chunkSeqs.length;
  }

  /** Adds a document without chunks; the chunks added next are its own. Continues the last document if it is the same. */
  addDocument({ documentSeq, generation }: Omit<BlockDocument, "chunks">): void {
    const last = this.#documents.at(-1);
    if (last?.documentSeq === documentSeq && last.generation === generation) return;
    this.#documents.push({ documentSeq, generation, chunks: 0 });
  }

  addChunk({ chunkSeq, stemming, terms }: ChunkWords): void {
    const chunk = this.#addLength(chunkSeq, terms.length, stemming);
    for (const [position, term] of terms.entries()) {
      const found = this.#occurrencesOf(term);
      if (found.chunks.at(-1) === chunk) found.counts[found.counts.length - 1]!++;
      else {
        found.chunks.push(chunk);
        found.counts.push(1);
      }
      found.positions.push(position);
    }
  }

  /** Adds those documents of another block that `keeps` returns true for. */
  merge({ block, positions }: MergedBlock, keeps: (document: BlockDocument) => boolean): void {
    const numbers = new Int32Array(block.chunkCount).fill(-1);
    let chunk = 0;
    for (const document of block.documents()) {
      if (!keeps(document)) {
        chunk += document.chunks;
        continue;
      }
      this.addDocument(document);
      for (const end = chunk + document.chunks; chunk < end; chunk++)
        numbers[chunk] = this.#addLength(block.chunkSeqs[chunk]!, block.wordCount(chunk), block.stemming(chunk));
    }
    for (const { term, entry } of block.terms()) {
      let found: Occurrences | undefined;
      block.readPositions(positions, entry, (old, places) => {
        if (numbers[old]! < 0) return;
        found ??= this.#occurrencesOf(term);
        found.chunks.push(numbers[old]!);
        found.counts.push(places.length);
        for (const place of places) found.positions.push(place);
      });
    }
  }

  build(): StoredBlock {
    const terms = [...this.#terms]
      .map(([term, occurrences]) => ({ utf8: Buffer.from(term), occurrences }))
      .sort((a, b) => Buffer.compare(a.utf8, b.utf8));
    const offsetCount = Math.ceil(terms.length / TERMS_PER_OFFSET);
    const offsets = { words: new Uint32Array(offsetCount), positions: new Uint32Array(offsetCount) };
    const words = new ByteWriter(1024);
    const positions = new ByteWriter(1024);
    const scratch = new ByteWriter();
    const entriesAt = HEADER_BYTES + 16 * this.#documents.length + 12 * this.size + 4 * offsetCount;
    for (const [index, { utf8, occurrences }] of terms.entries()) {
      if (index % TERMS_PER_OFFSET === 0) {
        offsets.words[index / TERMS_PER_OFFSET] = entriesAt + words.length;
        offsets.positions[index / TERMS_PER_OFFSET] = 4 * offsetCount + positions.length;
      }
      words.writeNumber(utf8.length);
      words.writeBytes(utf8);
      writeSized(words, scratch, () => writePostings(scratch, occurrences));
      writeSized(positions, scratch, () => writePositions(scratch, occurrences));
    }
    return {
      words: Buffer.concat([this.#head(terms.length), bytesOf(offsets.words), words.bytes]),
      positions: Buffer.concat([bytesOf(offsets.positions), positions.bytes]),
    };
  }

  /** Returns what precedes the offsets. */
  #head(termCount: number): Uint8Array {
    const documents = this.#documents;
    return Buffer.concat([
      bytesOf(Uint32Array.of(FORMAT_VERSION, documents.length, this.size, termCount)),
      bytesOf(Float64Array.from(documents, ({ documentSeq }) => documentSeq)),
      bytesOf(Float64Array.from(this.#chunkSeqs)),
      bytesOf(Uint32Array.from(documents, ({ generation }) => generation)),
      bytesOf(Uint32Array.from(documents, ({ chunks }) => chunks)),
      bytesOf(Uint32Array.from(this.#lengths)),
    ]);
  }

  #addLength(chunkSeq: number, wordCount: number, stemming: Stemming): number {
    this.#documents.at(-1)!.chunks++;
    this.#lengths.push(toLengthNumber(wordCount, stemming));
    return this.#chunkSeqs.push(chunkSeq) - 1;
  }

  #occurrencesOf(term: string): Occurrences {
    let found = this.#terms.get(term);
    if (found === undefined) {
      found = { chunks: [], counts: [], positions: [] };
      this.#terms.set(term, found);
    }
    return found;
  }
}

/** Merges blocks into one, with those documents that `keeps` returns true for. */
export function mergeBlocks(
  blocks: readonly MergedBlock[],
  keeps: (document: BlockDocument) => boolean = () => true,
): StoredBlock {
  const builder = new BlockBuilder();
  for (const block of blocks) builder.merge(block, keeps);
  return builder.build();
}

function writePostings(writer: ByteWriter, { chunks, counts }: Occurrences): void {
  let previous = -1;
  for (const [index, chunk] of chunks.entries()) {
    const count = counts[index]!;
    writer.writeNumber(2 * (chunk - previous - 1) + (count > 1 ? 1 : 0));
    if (count > 1) writer.writeNumber(count);
    previous = chunk;
  }
}

function writePositions(writer: ByteWriter, { counts, positions }: Occurrences): void {
  let at = 0;
  for (const count of counts) {
    let previous = 0;
    for (const end = at + count; at < end; at++) {
      writer.writeNumber(positions[at]! - previous);
      previous = positions[at]!;
    }
  }
}

/** Writes what `write` writes to the scratch writer, after its length. */
function writeSized(target: ByteWriter, scratch: ByteWriter, write: () => void): void {
  scratch.clear();
  write();
  target.writeNumber(scratch.length);
  target.writeBytes(scratch.bytes);
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
