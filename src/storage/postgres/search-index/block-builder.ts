import type { Stemming } from "../../../text-analysis/stemming.js";
import { encodeBlock, type StoredBlock, type StoredTerm } from "./block-form.js";
import { ByteWriter } from "./byte-writer.js";
import { type BlockDocument, toLengthNumber } from "./postings-block.js";

/** The words of a chunk, in order. */
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

/** Builds a block from the words of the chunks of one document. */
export class BlockBuilder {
  readonly #document: Omit<BlockDocument, "chunks">;
  readonly #chunkSeqs: number[] = [];
  readonly #lengths: number[] = [];
  readonly #terms = new Map<string, Occurrences>();

  constructor(document: Omit<BlockDocument, "chunks">) {
    this.#document = document;
  }

  addChunk({ chunkSeq, stemming, terms }: ChunkWords): void {
    this.#lengths.push(toLengthNumber(terms.length, stemming));
    const chunk = this.#chunkSeqs.push(chunkSeq) - 1;
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

  build(): StoredBlock {
    const chunks = this.#chunkSeqs.length;
    const documents = [{ ...this.#document, chunks }];
    return encodeBlock({ documents, chunkSeqs: this.#chunkSeqs, lengths: this.#lengths }, this.#entries());
  }

  *#entries(): Generator<StoredTerm> {
    const terms = [...this.#terms]
      .map(([term, occurrences]) => ({ utf8: Buffer.from(term), occurrences }))
      .sort((a, b) => Buffer.compare(a.utf8, b.utf8));
    const postings = new ByteWriter();
    const positions = new ByteWriter();
    for (const { utf8, occurrences } of terms) {
      postings.clear();
      writePostings(postings, occurrences);
      positions.clear();
      writePositions(positions, occurrences);
      yield { term: utf8, postings: postings.bytes, positions: positions.bytes };
    }
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
