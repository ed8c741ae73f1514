/** A published chunk and its length in words. */
export interface LiveRow {
  readonly chunkSeq: number;
  readonly documentSeq: number;
  readonly words: number;
}

/**
 * The published chunks of a scope, numbered in the order of their addition. Numbers are never reused: a chunk that is
 * no longer published keeps its number and is dead.
 */
export class LiveRows {
  /** Assigned numbers. */
  size = 0;
  /** The number of live rows, and of their words. */
  live = 0;
  words = 0;
  #chunkSeqs = new Float64Array(1024);
  #documentSeqs = new Float64Array(1024);
  #lengths = new Uint32Array(1024);
  #alive = new Uint8Array(1024);
  /** The numbers in the order of chunks. */
  #order = new Uint32Array(1024);
  #newestDocument = 0;

  /** Lengths in words. */
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

  append(rows: readonly LiveRow[]): void {
    this.#reserve(this.size + rows.length);
    const ascending = rows.toSorted((a, b) => a.chunkSeq - b.chunkSeq);
    const added = ascending.map((row, index) => {
      const number = this.size + index;
      this.#chunkSeqs[number] = row.chunkSeq;
      this.#documentSeqs[number] = row.documentSeq;
      this.#lengths[number] = row.words;
      this.#alive[number] = 1;
      this.words += row.words;
      this.#newestDocument = Math.max(this.#newestDocument, row.documentSeq);
      return number;
    });
    this.live += rows.length;
    this.#insert(added);
    this.size += rows.length;
  }

  /** The given documents that may have rows. Most changes are of new documents, which have none. */
  knownAmong(documentSeqs: ReadonlySet<number>): ReadonlySet<number> {
    return new Set([...documentSeqs].filter((documentSeq) => documentSeq <= this.#newestDocument));
  }

  /** Marks the rows of documents as dead; returns their number. */
  kill(documentSeqs: ReadonlySet<number>): number {
    let killed = 0;
    const known = this.knownAmong(documentSeqs);
    if (known.size === 0) return 0;
    for (let number = 0; number < this.size; number++) {
      if (!this.#alive[number] || !known.has(this.#documentSeqs[number]!)) continue;
      this.#alive[number] = 0;
      this.words -= this.#lengths[number]!;
      killed++;
    }
    this.live -= killed;
    return killed;
  }

  /**
   * Calls back for each chunk of an ascending list that has a row, alive or dead, with its index in the list and its
   * number.
   */
  match(chunkSeqs: ArrayLike<number>, found: (index: number, number: number) => void): void {
    let from = 0;
    for (let index = 0; index < chunkSeqs.length; index++) {
      const wanted = chunkSeqs[index]!;
      from = this.#seek(wanted, from);
      if (from === this.size) return;
      if (this.#chunkSeqs[this.#order[from]!] === wanted) found(index, this.#order[from]!);
    }
  }

  /**
   * The first position, from a given one on, whose chunk is not before the wanted one (exponential, then binary
   * search).
   */
  #seek(wanted: number, from: number): number {
    const order = this.#order;
    const chunkSeqs = this.#chunkSeqs;
    let step = 1;
    let low = from;
    while (low + step < this.size && chunkSeqs[order[low + step]!]! < wanted) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, this.size);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (chunkSeqs[order[middle]!]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Merges new numbers into the order from its end: most chunks are new, so few numbers move. */
  #insert(added: number[]): void {
    const seq = (number: number) => this.#chunkSeqs[number]!;
    let old = this.size - 1;
    for (let place = this.size + added.length - 1; added.length > 0; place--) {
      const isOld = old >= 0 && seq(this.#order[old]!) > seq(added.at(-1)!);
      this.#order[place] = isOld ? this.#order[old--]! : added.pop()!;
    }
  }

  #reserve(size: number): void {
    if (size <= this.#alive.length) return;
    const capacity = Math.max(size, this.#alive.length * 2);
    this.#chunkSeqs = grown(this.#chunkSeqs, new Float64Array(capacity));
    this.#documentSeqs = grown(this.#documentSeqs, new Float64Array(capacity));
    this.#lengths = grown(this.#lengths, new Uint32Array(capacity));
    this.#alive = grown(this.#alive, new Uint8Array(capacity));
    this.#order = grown(this.#order, new Uint32Array(capacity));
  }
}

function grown<Numbers extends Float64Array | Uint32Array | Uint8Array>(old: Numbers, larger: Numbers): Numbers {
  larger.set(old);
  return larger;
}
