import { BoundedHeap } from "../../util/bounded-heap.js";
import type { Postings } from "./postings.js";

/** BM25 (Robertson and Zaragoza) with the constants of SQLite (sqlite.org/fts5.html#the_bm25_function). */
const K1 = 1.2;
const B = 0.75;
/** The minimum weight of a term, for terms that at least half of the rows contain. */
const MIN_IDF = 1e-6;

/** The rows with a term. */
export interface TermStatistics {
  /** The number of live rows that contain the term. */
  readonly liveCount: number;
  /** At least the highest number of occurrences in one of them. */
  readonly maxCount: number;
}

/** Rows to rank, by their numbers. */
export interface RankedRows {
  /** The number of rows, live or dead. */
  readonly size: number;
  readonly liveCount: number;
  /** The total number of words of live rows. */
  readonly wordCount: number;
  readonly lengths: Uint32Array;
  readonly alive: Uint8Array;
  readonly chunkSeqs: Float64Array;
  readonly documentSeqs: Float64Array;
  statisticsOf(postings: Postings): TermStatistics;
}

/** A row that contains at least one of the terms. */
export interface RankedRow {
  readonly number: number;
  readonly bm25: number;
  /** The number of terms that the row contains. */
  readonly termCount: number;
}

/** A term to score rows by. */
export interface ScoredTerm {
  readonly postings: Postings;
  /** The share of its contribution that counts, from 0 to 1. */
  readonly weight: number;
  /** Tells the rows that have the word itself from those that have compounds of it only. @default all have it */
  readonly partial?: {
    /** The rows with the word itself: some of the term's postings. */
    readonly words: Postings;
    /** The share of the weight that counts in the other rows. */
    readonly share: number;
  };
}

interface WeightedTerm {
  readonly postings: Postings;
  /** The rows with the word itself; `null` if all have it. */
  readonly words: Postings | null;
  /** The number of live rows that contain the term. */
  readonly liveCount: number;
  /** The inverse document frequency of the word, or of its compounds if no row has the word. */
  readonly idf: number;
  /** The inverse document frequency of the word, as far as it counts. */
  readonly weight: number;
  /** The weight in rows without the word itself. */
  readonly otherWeight: number;
  /** The upper bound of the term's contribution to a score. */
  readonly maxContribution: number;
}

/** Bounds are summed in another order than scores. This factor keeps rounding from making a bound too low. */
const ROUNDING_MARGIN = 1 + 1e-9;

/** Scores rows by their terms. Reuses its buffers for the next query. */
export class Ranking {
  /** By row number. */
  #scores = new Float64Array(0);
  /** The number of terms that each row contains, by row number. */
  #termCounts = new Uint8Array(0);
  /** The numbers of the scored rows, in the first `#count` elements. */
  #scored = new Uint32Array(0);
  #count = 0;
  #rows: RankedRows | null = null;
  /** The scored terms, in the order in which they were given. */
  #terms: readonly WeightedTerm[] = [];

  /** The number of scored rows. */
  get count(): number {
    return this.#count;
  }

  /**
   * Scores every live row that contains a term, and clears earlier scores. At most 255 terms.
   *
   * With a limit, skips rows that can't be among the best: terms with the highest bounds come first, and once enough
   * rows score more than all remaining terms can contribute, the remaining terms only add to rows already found
   * (MaxScore: Turtle and Flood, Query Evaluation: Strategies and Optimizations, 1995). A row with every term is never
   * skipped, since it contains the first term.
   *
   * Returns the score that a row approaches by repeating every term.
   */
  score(rows: RankedRows, terms: readonly ScoredTerm[], limit = Number.POSITIVE_INFINITY): number {
    this.#clear(rows.size);
    this.#rows = rows;
    this.#terms = terms.map((term) => weigh(rows, term));
    const weighted = this.#terms.toSorted((a, b) => b.maxContribution - a.maxContribution);
    let remaining = weighted.reduce((sum, { maxContribution }) => sum + maxContribution, 0);
    let addsRows = true;
    for (const term of weighted) {
      addsRows &&= !(term.postings.size > this.#count && this.#lowestOfBest(limit) > remaining * ROUNDING_MARGIN);
      if (addsRows) this.#addToAll(rows, term);
      else this.#addToScored(rows, term);
      remaining -= term.maxContribution;
    }
    return (K1 + 1) * totalWeight(weighted);
  }

  #addToAll({ alive, lengths, liveCount, wordCount }: RankedRows, term: WeightedTerm): void {
    const { postings, words, weight, otherWeight } = term;
    const wordNumbers = words?.numbers.subarray(0, words.size);
    let wordIndex = 0;
    const scores = this.#scores;
    const termCounts = this.#termCounts;
    const scored = this.#scored;
    let count = this.#count;
    const lengthFactor = (K1 * B * liveCount) / wordCount;
    const { numbers, counts, size } = postings;
    for (let index = 0; index < size; index++) {
      const number = numbers[index]!;
      if (alive[number] === 0) continue;
      if (termCounts[number] === 0) scored[count++] = number;
      termCounts[number] = termCounts[number]! + 1;
      let factor = weight;
      if (wordNumbers) {
        while (wordNumbers[wordIndex]! < number) wordIndex++;
        if (wordNumbers[wordIndex] !== number) factor = otherWeight;
      }
      scores[number] = scores[number]! + factor * saturatedFrequency(counts[index]!, lengthFactor * lengths[number]!);
    }
    this.#count = count;
  }

  #addToScored({ lengths, liveCount, wordCount }: RankedRows, term: WeightedTerm): void {
    const { postings } = term;
    const lengthFactor = (K1 * B * liveCount) / wordCount;
    for (let index = 0; index < this.#count; index++) {
      const number = this.#scored[index]!;
      const count = postings.countOf(number);
      if (count === 0) continue;
      this.#termCounts[number] = this.#termCounts[number]! + 1;
      this.#scores[number] =
        this.#scores[number]! + weightIn(number, term) * saturatedFrequency(count, lengthFactor * lengths[number]!);
    }
  }

  /** Returns the lowest of the `limit` best scores so far; minus infinity if there are fewer scores. */
  #lowestOfBest(limit: number): number {
    if (this.#count < limit) return Number.NEGATIVE_INFINITY;
    const best = new BoundedHeap<number>(limit, (a, b) => a < b);
    for (let index = 0; index < this.#count; index++) best.add(this.#scores[this.#scored[index]!]!);
    return best.worst!;
  }

  /** Returns what each term contributes to the score of a row, in the order in which {@link score} was given the terms. */
  contributions(number: number): readonly number[] {
    const { lengths, liveCount, wordCount } = this.#rows!;
    const lengthTerm = ((K1 * B * liveCount) / wordCount) * lengths[number]!;
    return this.#terms.map((term) => {
      const count = term.postings.countOf(number);
      return count === 0 ? 0 : weightIn(number, term) * saturatedFrequency(count, lengthTerm);
    });
  }

  /**
   * Returns the weight of each term, 0 if no row has it, and the most it contributes, in the order in which {@link score} was
   * given the terms.
   */
  weights(): readonly { readonly idf: number; readonly ceiling: number }[] {
    return this.#terms.map(({ liveCount, weight }) => {
      const idf = liveCount > 0 ? weight : 0;
      return { idf, ceiling: (K1 + 1) * idf };
    });
  }

  /** Removes the rows that don't have exactly `markCount` marks. `marks` holds the number of marks of each row. */
  keep(marks: Uint16Array, markCount: number): void {
    let kept = 0;
    for (let index = 0; index < this.#count; index++) {
      const number = this.#scored[index]!;
      if (marks[number] === markCount) this.#scored[kept++] = number;
      else this.#reset(number);
    }
    this.#count = kept;
  }

  /** Returns the best rows: rows with all `termCount` terms first, then by score, then in the order of documents. */
  best(limit: number, termCount: number): readonly RankedRow[] {
    const worse = (a: number, b: number) => this.#isWorse(a, b, termCount);
    const best = new BoundedHeap(limit, worse);
    for (let index = 0; index < this.#count; index++) {
      const number = this.#scored[index]!;
      const { worst } = best;
      // A cheap check first: most rows are clearly worse than the worst so far.
      if (worst !== undefined && this.#termCounts[number]! < termCount && this.#scores[number]! < this.#scores[worst]!)
        continue;
      best.add(number);
    }
    return best.items
      .toSorted((a, b) => (worse(a, b) ? 1 : -1))
      .map((number) => ({ number, bm25: this.#scores[number]!, termCount: this.#termCounts[number]! }));
  }

  #isWorse(a: number, b: number, termCount: number): boolean {
    const isCompleteA = this.#termCounts[a] === termCount;
    const isCompleteB = this.#termCounts[b] === termCount;
    if (isCompleteA !== isCompleteB) return isCompleteB;
    const difference = this.#scores[a]! - this.#scores[b]!;
    if (difference !== 0) return difference < 0;
    const { documentSeqs, chunkSeqs } = this.#rows!;
    const distance = documentSeqs[a]! - documentSeqs[b]!;
    return distance === 0 ? chunkSeqs[a]! > chunkSeqs[b]! : distance > 0;
  }

  #clear(size: number): void {
    for (let index = 0; index < this.#count; index++) this.#reset(this.#scored[index]!);
    this.#count = 0;
    if (size <= this.#termCounts.length) return;
    const capacity = Math.ceil(size * 1.25);
    this.#scores = new Float64Array(capacity);
    this.#termCounts = new Uint8Array(capacity);
    this.#scored = new Uint32Array(capacity);
  }

  #reset(number: number): void {
    this.#scores[number] = 0;
    this.#termCounts[number] = 0;
  }
}

/** Compounds don't lower the weight of the word: they are often more frequent. */
function weigh(rows: RankedRows, { postings, weight: share, partial }: ScoredTerm): WeightedTerm {
  const { liveCount, maxCount } = rows.statisticsOf(postings);
  const idfOf = (count: number) => Math.max(MIN_IDF, Math.log((rows.liveCount - count + 0.5) / (count + 0.5)));
  const wordCount = partial ? rows.statisticsOf(partial.words).liveCount : liveCount;
  const idf = idfOf(wordCount > 0 ? wordCount : liveCount);
  const weight = share * idf;
  return {
    postings,
    words: partial?.words ?? null,
    liveCount,
    idf,
    weight,
    otherWeight: partial ? share * partial.share * idfOf(liveCount) : weight,
    // More rows have the term than the word, so no other row has a higher weight.
    maxContribution: weight * saturatedFrequency(maxCount, 0),
  };
}

/** Returns the weight of a term in a row that contains it. */
function weightIn(number: number, { words, weight, otherWeight }: WeightedTerm): number {
  return words === null || words.countOf(number) > 0 ? weight : otherWeight;
}

/**
 * Sums weights. A term without rows weighs as much as the rarest other term, so as not to dominate in a small scope.
 */
function totalWeight(terms: readonly WeightedTerm[]): number {
  const known = terms.filter(({ liveCount }) => liveCount > 0).map(({ idf }) => idf);
  return known.reduce((sum, idf) => sum + idf, 0) + (terms.length - known.length) * Math.max(0, ...known);
}

/** Returns the saturated term frequency. `lengthTerm` is K1 × B × the row's length / the mean length. */
function saturatedFrequency(count: number, lengthTerm: number): number {
  return (count * (K1 + 1)) / (count + K1 * (1 - B) + lengthTerm);
}
