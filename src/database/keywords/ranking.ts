import type { LiveRows } from "./live-rows.js";
import type { Postings } from "./postings.js";

/** Robertson and Zaragoza's BM25 with the constants of SQLite's (sqlite.org/fts5.html#the_bm25_function). */
const K1 = 1.2;
const B = 0.75;
/** What a term weighs that at least half of the rows contain: next to nothing, never less. */
const LEAST_IDF = 1e-6;

/** A row that contains at least one of the terms. */
export interface RankedRow {
  readonly number: number;
  readonly bm25: number;
  /** How many of the terms it contains. */
  readonly terms: number;
}

/** Scores rows by the terms that they contain. Its working memory is kept for the next query. */
export class Ranking {
  #scores = new Float64Array(0);
  #terms = new Uint8Array(0);
  #touched = new Uint32Array(0);
  #count = 0;
  #chunkSeqs: Float64Array = new Float64Array(0);

  /** Rows that were scored. */
  get count(): number {
    return this.#count;
  }

  /** Scores every live row that contains a term; forgets what was scored before. At most 255 terms. */
  score(rows: LiveRows, terms: readonly Postings[], deaths: number): void {
    this.#clear(rows.size);
    this.#chunkSeqs = rows.chunkSeqs;
    const { alive, lengths } = rows;
    const ofLength = (K1 * B * rows.live) / rows.words;
    for (const postings of terms) {
      const containing = postings.aliveRows(rows, deaths);
      const idf = Math.max(LEAST_IDF, Math.log((rows.live - containing + 0.5) / (containing + 0.5)));
      const { numbers, counts, size } = postings;
      for (let index = 0; index < size; index++) {
        const number = numbers[index]!;
        if (alive[number] === 0) continue;
        if (this.#terms[number] === 0) this.#touched[this.#count++] = number;
        this.#terms[number] = this.#terms[number]! + 1;
        const count = counts[index]!;
        const weight = (count * (K1 + 1)) / (count + K1 * (1 - B) + ofLength * lengths[number]!);
        this.#scores[number] = this.#scores[number]! + idf * weight;
      }
    }
  }

  /** Leaves only rows that contain every one of some terms. */
  keep(rows: LiveRows, required: readonly Postings[]): void {
    const met = new Uint16Array(rows.size);
    for (const { numbers, size } of required)
      for (let index = 0; index < size; index++) met[numbers[index]!] = met[numbers[index]!]! + 1;
    let kept = 0;
    for (let index = 0; index < this.#count; index++) {
      const number = this.#touched[index]!;
      if (met[number] === required.length) this.#touched[kept++] = number;
      else this.#forget(number);
    }
    this.#count = kept;
  }

  /** The best rows: those with every term first, then by score, then in the order of their chunks. */
  best(limit: number, allTerms: number): readonly RankedRow[] {
    const heap: number[] = [];
    const worse = (a: number, b: number) => this.#isWorse(a, b, allTerms);
    for (let index = 0; index < this.#count; index++) {
      const number = this.#touched[index]!;
      if (heap.length < limit) pushUp(heap, number, worse);
      else if (worse(heap[0]!, number)) replaceTop(heap, number, worse);
    }
    return heap
      .sort((a, b) => (worse(a, b) ? 1 : -1))
      .map((number) => ({ number, bm25: this.#scores[number]!, terms: this.#terms[number]! }));
  }

  #isWorse(a: number, b: number, allTerms: number): boolean {
    const completeA = this.#terms[a] === allTerms;
    const completeB = this.#terms[b] === allTerms;
    if (completeA !== completeB) return completeB;
    const difference = this.#scores[a]! - this.#scores[b]!;
    return difference === 0 ? this.#chunkSeqs[a]! > this.#chunkSeqs[b]! : difference < 0;
  }

  #clear(size: number): void {
    for (let index = 0; index < this.#count; index++) this.#forget(this.#touched[index]!);
    this.#count = 0;
    if (size <= this.#terms.length) return;
    const capacity = Math.ceil(size * 1.25);
    this.#scores = new Float64Array(capacity);
    this.#terms = new Uint8Array(capacity);
    this.#touched = new Uint32Array(capacity);
  }

  #forget(number: number): void {
    this.#scores[number] = 0;
    this.#terms[number] = 0;
  }
}

/** Into a heap whose first is the worst. */
function pushUp(heap: number[], added: number, worse: (a: number, b: number) => boolean): void {
  let place = heap.push(added) - 1;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    if (!worse(heap[place]!, heap[parent]!)) return;
    [heap[place], heap[parent]] = [heap[parent]!, heap[place]!];
    place = parent;
  }
}

function replaceTop(heap: number[], added: number, worse: (a: number, b: number) => boolean): void {
  heap[0] = added;
  let place = 0;
  for (;;) {
    let least = place;
    for (const child of [2 * place + 1, 2 * place + 2]) {
      if (child < heap.length && worse(heap[child]!, heap[least]!)) least = child;
    }
    if (least === place) return;
    [heap[place], heap[least]] = [heap[least]!, heap[place]!];
    place = least;
  }
}
