import type { LiveRows } from "./live-rows.js";

/** Higher counts are capped here: they no longer change the score. */
const MOST = 255;
/** A term in at least this share of the rows also has an array over all rows, for lookups in one step. */
const COMMON = 8;

/** The rows that contain a term, ascending, with counts. Includes dead rows. */
export class Postings {
  size = 0;
  /** The highest count. */
  mostCounted = 0;
  /** Rows below this number have been processed. */
  upTo = 0;
  #numbers: Uint32Array;
  #counts: Uint8Array;
  /** By row number, if the term is common; empty until needed. */
  #byNumber = new Uint8Array(0);
  /** The number of live rows at a number of deaths. */
  #alive = { rows: 0, size: 0, deaths: -1 };

  constructor(capacity: number) {
    this.#numbers = new Uint32Array(capacity);
    this.#counts = new Uint8Array(capacity);
  }

  get numbers(): Uint32Array {
    return this.#numbers;
  }

  get counts(): Uint8Array {
    return this.#counts;
  }

  get bytes(): number {
    return this.#numbers.length * 5 + (this.#isCommon ? this.upTo : 0) + 200;
  }

  /** Adds rows from `upTo` on, each once, in any order; `counts` says how often each contains the term. */
  extend(added: { readonly numbers: readonly number[]; readonly counts: readonly number[] }, upTo: number): void {
    this.#reserve(this.size + added.numbers.length);
    for (const index of ascending(added.numbers)) {
      this.#numbers[this.size] = added.numbers[index]!;
      this.#counts[this.size] = Math.min(added.counts[index]!, MOST);
      this.mostCounted = Math.max(this.mostCounted, this.#counts[this.size]!);
      this.size++;
    }
    this.upTo = upTo;
    this.#byNumber = new Uint8Array(0);
  }

  /** How often a row contains the term. */
  countOf(number: number): number {
    if (this.#isCommon) return this.#countOfCommon(number);
    const numbers = this.#numbers;
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[middle]! < number) low = middle + 1;
      else high = middle;
    }
    return low < this.size && numbers[low] === number ? this.#counts[low]! : 0;
  }

  /** The number of live rows with the term; counted again only after changes. */
  aliveRows({ alive }: LiveRows, deaths: number): number {
    const known = this.#alive;
    if (known.deaths === deaths && known.size === this.size) return known.rows;
    let rows = 0;
    for (let index = 0; index < this.size; index++) rows += alive[this.#numbers[index]!]!;
    this.#alive = { rows, size: this.size, deaths };
    return rows;
  }

  get #isCommon(): boolean {
    return this.size * COMMON > this.upTo;
  }

  #countOfCommon(number: number): number {
    if (this.#byNumber.length === 0) {
      this.#byNumber = new Uint8Array(this.upTo);
      for (let index = 0; index < this.size; index++) this.#byNumber[this.#numbers[index]!] = this.#counts[index]!;
    }
    return this.#byNumber[number]!;
  }

  #reserve(size: number): void {
    if (size <= this.#numbers.length) return;
    const numbers = new Uint32Array(Math.max(size, this.#numbers.length * 2));
    const counts = new Uint8Array(numbers.length);
    numbers.set(this.#numbers);
    counts.set(this.#counts);
    this.#numbers = numbers;
    this.#counts = counts;
  }
}

/** The indexes of numbers in ascending order of the numbers. */
function ascending(numbers: readonly number[]): Iterable<number> {
  const isAscending = numbers.every((number, index) => index === 0 || numbers[index - 1]! < number);
  return isAscending ? numbers.keys() : [...numbers.keys()].sort((a, b) => numbers[a]! - numbers[b]!);
}
