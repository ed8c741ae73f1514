/** Higher counts are capped at this value, since they would hardly change the score. */
const MAX_COUNT = 255;
/** A term in more than one of this many rows also has an array with the counts of all rows, for faster lookups. */
const COMMON_INTERVAL = 8;

/** The rows that contain a term, ascending, with the number of occurrences in each. Includes dead rows. */
export class Postings {
  /** The number of rows. */
  size = 0;
  /** The highest count. */
  maxCount = 0;
  /** All rows below this number have been searched for the term. */
  upTo = 0;
  #numbers: Uint32Array;
  #counts: Uint8Array;
  /** The counts by row number, if the term is common; empty until needed. */
  #countByRow = new Uint8Array(0);
  /** The cached number of live rows, and the state in which they were counted. */
  #liveCache = { count: 0, size: 0, deadCount: -1 };

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
    for (const index of inAscendingOrder(added.numbers)) {
      this.#numbers[this.size] = added.numbers[index]!;
      this.#counts[this.size] = Math.min(added.counts[index]!, MAX_COUNT);
      this.maxCount = Math.max(this.maxCount, this.#counts[this.size]!);
      this.size++;
    }
    this.upTo = upTo;
    this.#countByRow = new Uint8Array(0);
  }

  /** Returns how often a row contains the term. */
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

  /** Counts the live rows with the term. Counts again only after changes. */
  countLive({ alive, deadCount }: { readonly alive: Uint8Array; readonly deadCount: number }): number {
    const cached = this.#liveCache;
    if (cached.deadCount === deadCount && cached.size === this.size) return cached.count;
    let count = 0;
    for (let index = 0; index < this.size; index++) count += alive[this.#numbers[index]!]!;
    this.#liveCache = { count, size: this.size, deadCount };
    return count;
  }

  /** Counts the rows with the term among those that are marked with 1, and finds their highest count. */
  count(marked: Uint8Array): { readonly liveCount: number; readonly maxCount: number } {
    let liveCount = 0;
    let maxCount = 0;
    for (let index = 0; index < this.size; index++) {
      if (marked[this.#numbers[index]!] === 0) continue;
      liveCount++;
      maxCount = Math.max(maxCount, this.#counts[index]!);
    }
    return { liveCount, maxCount };
  }

  get #isCommon(): boolean {
    return this.size * COMMON_INTERVAL > this.upTo;
  }

  #countOfCommon(number: number): number {
    if (this.#countByRow.length === 0) {
      this.#countByRow = new Uint8Array(this.upTo);
      for (let index = 0; index < this.size; index++) this.#countByRow[this.#numbers[index]!] = this.#counts[index]!;
    }
    return this.#countByRow[number]!;
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

/** Returns the rows that contain one of several terms, with the number of occurrences of all of them. */
export function mergePostings(terms: readonly Postings[]): Postings {
  return terms.reduce((merged, term) => {
    const numbers: number[] = [];
    const counts: number[] = [];
    for (let at = 0, other = 0; at < merged.size || other < term.size; ) {
      const [a = Number.POSITIVE_INFINITY, b = Number.POSITIVE_INFINITY] = [
        at < merged.size ? merged.numbers[at] : undefined,
        other < term.size ? term.numbers[other] : undefined,
      ];
      numbers.push(Math.min(a, b));
      counts.push((a <= b ? merged.counts[at++]! : 0) + (b <= a ? term.counts[other++]! : 0));
    }
    const both = new Postings(numbers.length);
    both.extend({ numbers, counts }, Math.max(merged.upTo, term.upTo));
    return both;
  });
}

/** Returns the indexes of numbers in the ascending order of the numbers. */
function inAscendingOrder(numbers: readonly number[]): Iterable<number> {
  const isAscending = numbers.every((number, index) => index === 0 || numbers[index - 1]! < number);
  return isAscending ? numbers.keys() : [...numbers.keys()].sort((a, b) => numbers[a]! - numbers[b]!);
}
