import { encodeBlock, type StoredBlock } from "./block-form.js";
import { ByteReader, ByteWriter } from "./byte-writer.js";
import { type BlockDocument, type PostingsBlock, toLengthNumber } from "./postings-block.js";

/** A block to be merged with others. */
export interface MergedBlock {
  readonly block: PostingsBlock;
  readonly positions: Uint8Array;
}

/** A block, and the numbers of its chunks in the merged one. */
interface Source extends MergedBlock {
  /** The number of the first chunk, if all documents are kept. */
  readonly base: number;
  /** The number of each chunk, -1 for one that isn't kept; `null` if all are. */
  readonly numbers: Int32Array | null;
}

/** How many numbers describe the postings of a term in a source. */
const SEGMENT = 5;

/**
 * Merges blocks into one, with those documents that `keeps` returns true for. Of blocks with all their documents, postings
 * and positions are copied as bytes, except for the first posting of each term.
 */
export function mergeBlocks(
  blocks: readonly MergedBlock[],
  keeps: (document: BlockDocument) => boolean = () => true,
): StoredBlock {
  const merger = new BlockMerger();
  for (const block of blocks) merger.add(block, keeps);
  return merger.build();
}

class BlockMerger {
  readonly #documents: { documentSeq: number; generation: number; chunks: number }[] = [];
  readonly #chunkSeqs: number[] = [];
  readonly #lengths: number[] = [];
  readonly #sources: Source[] = [];
  /**
   * For each term, as the Latin-1 of its UTF-8, which sorts like the bytes: number of the source, range of the postings,
   * range of the positions, and so on.
   */
  readonly #terms = new Map<string, number[]>();

  add(merged: MergedBlock, keeps: (document: BlockDocument) => boolean): void {
    const { block, positions } = merged;
    const base = this.#chunkSeqs.length;
    const numbers = this.#addChunks(block, keeps);
    if (this.#chunkSeqs.length === base) return;
    const isWhole = this.#chunkSeqs.length - base === block.chunkCount;
    const source = this.#sources.push({ block, positions, base, numbers: isWhole ? null : numbers }) - 1;
    block.readTerms(positions, (term, from, to, positionsFrom, positionsTo) => {
      const segments = this.#terms.get(term);
      if (segments) segments.push(source, from, to, positionsFrom, positionsTo);
      else this.#terms.set(term, [source, from, to, positionsFrom, positionsTo]);
    });
  }

  build(): StoredBlock {
    return encodeBlock(this.#heads(), this.#entries());
  }

  #heads() {
    return { documents: this.#documents, chunkSeqs: this.#chunkSeqs, lengths: this.#lengths };
  }

  *#entries() {
    const postings = new ByteWriter(1024);
    const positions = new ByteWriter(1024);
    for (const term of [...this.#terms.keys()].sort(compareCodes)) {
      const segments = this.#terms.get(term)!;
      postings.clear();
      positions.clear();
      let last = -1;
      for (let at = 0; at < segments.length; at += SEGMENT) {
        const source = this.#sources[segments[at]!]!;
        const copy = source.numbers === null ? copyAll : copyKept;
        last = copy(source, segments, at, last, { postings, positions });
      }
      if (postings.length > 0)
        yield { term: Buffer.from(term, "latin1"), postings: postings.bytes, positions: positions.bytes };
    }
  }

  /** Adds the documents that are kept. Returns the new number of each chunk, -1 for one that isn't kept. */
  #addChunks(block: PostingsBlock, keeps: (document: BlockDocument) => boolean): Int32Array {
    const numbers = new Int32Array(block.chunkCount).fill(-1);
    let chunk = 0;
    for (const document of block.documents()) {
      const end = chunk + document.chunks;
      if (keeps(document)) {
        this.#addDocument(document);
        for (; chunk < end; chunk++) {
          this.#lengths.push(toLengthNumber(block.wordCount(chunk), block.stemming(chunk)));
          numbers[chunk] = this.#chunkSeqs.push(block.chunkSeqs[chunk]!) - 1;
        }
      }
      chunk = end;
    }
    return numbers;
  }

  /** Adds a document. Continues the last one if it is the same: each batch of its chunks was a part. */
  #addDocument({ documentSeq, generation, chunks }: BlockDocument): void {
    const last = this.#documents.at(-1);
    if (last?.documentSeq === documentSeq && last.generation === generation) last.chunks += chunks;
    else this.#documents.push({ documentSeq, generation, chunks });
  }
}

function compareCodes(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

interface Target {
  readonly postings: ByteWriter;
  readonly positions: ByteWriter;
}

/** Copies a term's occurrences in a source of which all chunks are kept. Returns the last chunk. */
function copyAll(
  { block, positions, base }: Source,
  segments: number[],
  at: number,
  last: number,
  target: Target,
): number {
  const to = segments[at + 2]!;
  const reader = new ByteReader(block.bytes, segments[at + 1]!);
  const first = reader.readNumber();
  let chunk = base + (first >>> 1);
  target.postings.writeNumber(2 * (chunk - last - 1) + (first & 1));
  target.postings.writeBytes(block.bytes.subarray(reader.at, to));
  target.positions.writeBytes(positions.subarray(segments[at + 3]!, segments[at + 4]!));
  if (first & 1) reader.readNumber();
  while (reader.at < to) {
    const step = reader.readNumber();
    chunk += (step >>> 1) + 1;
    if (step & 1) reader.readNumber();
  }
  return chunk;
}

/** Copies a term's occurrences in the kept chunks of a source. Returns the last chunk. */
function copyKept(
  { block, positions, numbers }: Source,
  segments: number[],
  at: number,
  last: number,
  target: Target,
): number {
  const to = segments[at + 2]!;
  const reader = new ByteReader(block.bytes, segments[at + 1]!);
  const places = new ByteReader(positions, segments[at + 3]!);
  let previous = last;
  for (let chunk = -1; reader.at < to; ) {
    const step = reader.readNumber();
    chunk += (step >>> 1) + 1;
    const count = step & 1 ? reader.readNumber() : 1;
    const from = places.at;
    for (let place = 0; place < count; place++) places.readNumber();
    const number = numbers![chunk]!;
    if (number < 0) continue;
    target.postings.writeNumber(2 * (number - previous - 1) + (step & 1));
    if (step & 1) target.postings.writeNumber(count);
    target.positions.writeBytes(positions.subarray(from, places.at));
    previous = number;
  }
  return previous;
}
