import type { Postings } from "./postings.js";
import type { RankedRows, TermStatistics } from "./ranking.js";

/** A published chunk to index. */
export interface NewRow {
  readonly chunkSeq: number;
  readonly documentSeq: number;
  readonly wordCount: number;
}

/**
 * The indexed chunks of a scope, numbered in the order in which they were added. Numbers are never reused: the row of a
 * chunk that is no longer published keeps its number and is dead.
 */
export class IndexedRows implements RankedRows {
  /** The number of rows, live or dead. */
  size = 0;
  /** The number of live rows. */
  liveCount = 0;
  /** The total number of words of live rows. */
  wordCount = 0;
  #chunkSeqs = new Float64Array(1024);
  #documentSeqs = new Float64Array(1024);
  #lengths = new Uint32Array(1024);
  #alive = new Uint8Array(1024);
  /** Row numbers, ordered by `chunkSeq`. */
  #order = new Uint32Array(1024);
  #maxDocumentSeq = 0;

  get deadCount(): number {
    return this.size - this.liveCount;
  }

  statisticsOf(postings: Postings): TermStatistics {
    return { liveCount: postings.countLive(this), maxCount: postings.maxCount };
  }

  /** The length of each row, in words. */
  get lengths(): Uint32Array {
    return this.#lengths;
  }

  /** 1 for live rows, 0 for dead ones. */
  get alive(): Uint8Array {
    return this.#alive;
  }

  get chunkSeqs(): Float64Array {
    return this.#chunkSeqs;
  }

  get documentSeqs(): Float64Array {
    return this.#documentSeqs;
  }

  get bytes(): number {
    return this.#alive.length * 25;
  }

  /** Adds live rows, numbered in the order of `chunkSeq`. */
  append(rows: readonly NewRow[]): void {
    this.#reserve(this.size + rows.length);
    const ascending = rows.toSorted((a, b) => a.chunkSeq - b.chunkSeq);
    const added = ascending.map((row, index) => {
      const number = this.size + index;
      this.#chunkSeqs[number] = row.chunkSeq;
      this.#documentSeqs[number] = row.documentSeq;
      this.#lengths[number] = row.wordCount;
      this.#alive[number] = 1;
      this.wordCount += row.wordCount;
      this.#maxDocumentSeq = Math.max(this.#maxDocumentSeq, row.documentSeq);
      return number;
    });
    this.liveCount += rows.length;
    this.#insert(added);
    this.size += rows.length;
  }

  /** Returns the given documents that may have rows. Most changes concern new documents, which have none. */
  filterKnown(documentSeqs: ReadonlySet<number>): ReadonlySet<number> {
    return new Set([...documentSeqs].filter((documentSeq) => documentSeq <= this.#maxDocumentSeq));
  }

  /** Marks the live rows of documents as dead. Returns how many were marked. */
  markDead(documentSeqs: ReadonlySet<number>): number {
    let markedCount = 0;
    const known = this.filterKnown(documentSeqs);
    if (known.size === 0) return 0;
    for (let number = 0; number < this.size; number++) {
      if (!this.#alive[number] || !known.has(this.#documentSeqs[number]!)) continue;
      this.#alive[number] = 0;
      this.wordCount -= this.#lengths[number]!;
      markedCount++;
    }
    this.liveCount -= markedCount;
    return markedCount;
  }

  /**
   * Calls `onMatch` for each chunk of an ascending list that has a row, live or dead, with the chunk's index in the
   * list and the row's number.
   */
  match(chunkSeqs: ArrayLike<number>, onMatch: (index: number, number: number) => void): void {
    let from = 0;
    for (let index = 0; index < chunkSeqs.length; index++) {
      const chunkSeq = chunkSeqs[index]!;
      from = this.#seek(chunkSeq, from);
      if (from === this.size) return;
      if (this.#chunkSeqs[this.#order[from]!] === chunkSeq) onMatch(index, this.#order[from]!);
    }
  }

  /**
   * Returns the first position in `#order`, starting at `from`, whose chunk is not less than the given chunk. Uses an
   * exponential, then a binary search.
   */
  #seek(chunkSeq: number, from: number): number {
    const order = this.#order;
    const chunkSeqs = this.#chunkSeqs;
    let step = 1;
    let low = from;
    while (low + step < this.size && chunkSeqs[order[low + step]!]! < chunkSeq) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, this.size);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (chunkSeqs[order[middle]!]! < chunkSeq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Merges new row numbers into `#order`, starting at the end: most chunks are new, so few numbers move. */
  #insert(added: number[]): void {
    const seq = (number: number) => this.#chunkSeqs[number]!;
    let old = this.size - 1;
    for (let position = this.size + added.length - 1; added.length > 0; position--) {
      const isOld = old >= 0 && seq(this.#order[old]!) > seq(added.at(-1)!);
      this.#order[position] = isOld ? this.#order[old--]! : added.pop()!;
    }
  }

  #reserve(size: number): void {
    if (size <= this.#alive.length) return;
    const capacity = Math.max(size, this.#alive.length * 2);
    this.#chunkSeqs = copyInto(this.#chunkSeqs, new Float64Array(capacity));
    this.#documentSeqs = copyInto(this.#documentSeqs, new Float64Array(capacity));
    this.#lengths = copyInto(this.#lengths, new Uint32Array(capacity));
    this.#alive = copyInto(this.#alive, new Uint8Array(capacity));
    this.#order = copyInto(this.#order, new Uint32Array(capacity));
  }
}

function copyInto<Numbers extends Float64Array | Uint32Array | Uint8Array>(old: Numbers, larger: Numbers): Numbers {
  larger.set(old);
  return larger;
}
