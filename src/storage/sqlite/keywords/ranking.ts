import { BoundedHeap } from "../../../util/bounded-heap.js";
import { LiveRows } from "./live-rows.js";
import type { Postings } from "./postings.js";

/** BM25 (Robertson and Zaragoza) with the constants of SQLite (sqlite.org/fts5.html#the_bm25_function). */
const K1 = 1.2;
const B = 0.75;
/** The minimum weight of a term, for terms that at least half of the rows contain. */
const MIN_IDF = 1e-6;

/** A row that contains at least one of the terms. */
export interface RankedRow {
  readonly number: number;
  readonly bm25: number;
  /** The number of terms that it contains. */
  readonly terms: number;
}

interface WeightedTerm {
  readonly postings: Postings;
  /** The number of live rows that contain the term. */
  readonly liveRows: number;
  readonly idf: number;
  /** Upper bound of its contribution to a score. */
  readonly maxContribution: number;
}

/** Bounds are summed in a different order than scores, and rounding must not make them too low. */
const ROUNDING = 1 + 1e-9;

/** Scores rows by their terms. Reuses its working memory. */
export class Ranking {
  #scores = new Float64Array(0);
  #terms = new Uint8Array(0);
  #scored = new Uint32Array(0);
  #count = 0;
  #rows: LiveRows = new LiveRows();

  /** The number of scored rows. */
  get count(): number {
    return this.#count;
  }

  /**
   * Scores every live row that contains a term, and clears earlier scores. At most 255 terms.
   *
   * If only the best rows up to a limit are wanted, rows that can't be among them are skipped: terms with the highest
   * bounds come first, and once enough rows score more than all remaining terms can contribute, those only add to rows
   * already found (MaxScore: Turtle and Flood, Query Evaluation: Strategies and Optimizations, 1995). A row with every
   * term contains the first one, so none is missed.
   *
   * Returns the score that a row approaches by repeating every term.
   */
  score(rows: LiveRows, terms: readonly Postings[], deadRows: number, limit = Number.POSITIVE_INFINITY): number {
    this.#clear(rows.size);
    this.#rows = rows;
    const weighted = terms.map((postings) => weight(rows, postings, deadRows));
    weighted.sort((a, b) => b.maxContribution - a.maxContribution);
    let remaining = weighted.reduce((sum, { maxContribution }) => sum + maxContribution, 0);
    let addsRows = true;
    for (const term of weighted) {
      addsRows &&= !(term.postings.size > this.#count && this.#lowestOfBest(limit) > remaining * ROUNDING);
      if (addsRows) this.#addToAll(rows, term);
      else this.#addToScored(rows, term);
      remaining -= term.maxContribution;
    }
    return (K1 + 1) * totalWeight(weighted);
  }

  #addToAll({ alive, lengths, live, words }: LiveRows, { postings, idf }: WeightedTerm): void {
    const scores = this.#scores;
    const terms = this.#terms;
    const scored = this.#scored;
    let count = this.#count;
    const lengthFactor = (K1 * B * live) / words;
    const { numbers, counts, size } = postings;
    for (let index = 0; index < size; index++) {
      const number = numbers[index]!;
      if (alive[number] === 0) continue;
      if (terms[number] === 0) scored[count++] = number;
      terms[number] = terms[number]! + 1;
      scores[number] = scores[number]! + idf * saturatedFrequency(counts[index]!, lengthFactor * lengths[number]!);
    }
    this.#count = count;
  }

  #addToScored({ lengths, live, words }: LiveRows, { postings, idf }: WeightedTerm): void {
    const lengthFactor = (K1 * B * live) / words;
    for (let index = 0; index < this.#count; index++) {
      const number = this.#scored[index]!;
      const count = postings.countOf(number);
      if (count === 0) continue;
      this.#terms[number] = this.#terms[number]! + 1;
      this.#scores[number] = this.#scores[number]! + idf * saturatedFrequency(count, lengthFactor * lengths[number]!);
    }
  }

  /** The lowest of the `limit` best scores so far; minus infinity if there are fewer. */
  #lowestOfBest(limit: number): number {
    if (this.#count < limit) return Number.NEGATIVE_INFINITY;
    const best = new BoundedHeap<number>(limit, (a, b) => a < b);
    for (let index = 0; index < this.#count; index++) best.add(this.#scores[this.#scored[index]!]!);
    return best.worst!;
  }

  /** Removes rows that don't have exactly this number of marks. */
  keep(marks: Uint16Array, count: number): void {
    let kept = 0;
    for (let index = 0; index < this.#count; index++) {
      const number = this.#scored[index]!;
      if (marks[number] === count) this.#scored[kept++] = number;
      else this.#reset(number);
    }
    this.#count = kept;
  }

  /** The best rows: those with every term first, then by score, then in the order of documents. */
  best(limit: number, allTerms: number): readonly RankedRow[] {
    const worse = (a: number, b: number) => this.#isWorse(a, b, allTerms);
    const best = new BoundedHeap(limit, worse);
    for (let index = 0; index < this.#count; index++) {
      const number = this.#scored[index]!;
      const { worst } = best;
      // A cheap check first: most rows are clearly worse than the worst so far.
      if (worst !== undefined && this.#terms[number]! < allTerms && this.#scores[number]! < this.#scores[worst]!)
        continue;
      best.add(number);
    }
    return best.items
      .toSorted((a, b) => (worse(a, b) ? 1 : -1))
      .map((number) => ({ number, bm25: this.#scores[number]!, terms: this.#terms[number]! }));
  }

  #isWorse(a: number, b: number, allTerms: number): boolean {
    const completeA = this.#terms[a] === allTerms;
    const completeB = this.#terms[b] === allTerms;
    if (completeA !== completeB) return completeB;
    const difference = this.#scores[a]! - this.#scores[b]!;
    if (difference !== 0) return difference < 0;
    const { documentSeqs, chunkSeqs } = this.#rows;
    const distance = documentSeqs[a]! - documentSeqs[b]!;
    return distance === 0 ? chunkSeqs[a]! > chunkSeqs[b]! : distance > 0;
  }

  #clear(size: number): void {
    for (let index = 0; index < this.#count; index++) this.#reset(this.#scored[index]!);
    this.#count = 0;
    if (size <= this.#terms.length) return;
    const capacity = Math.ceil(size * 1.25);
    this.#scores = new Float64Array(capacity);
    this.#terms = new Uint8Array(capacity);
    this.#scored = new Uint32Array(capacity);
  }

  #reset(number: number): void {
    this.#scores[number] = 0;
    this.#terms[number] = 0;
  }
}

function weight(rows: LiveRows, postings: Postings, deadRows: number): WeightedTerm {
  const liveRows = postings.countLive(rows, deadRows);
  const idf = Math.max(MIN_IDF, Math.log((rows.live - liveRows + 0.5) / (liveRows + 0.5)));
  return { postings, liveRows, idf, maxContribution: idf * saturatedFrequency(postings.maxCount, 0) };
}

/** A term without rows counts like the rarest one with rows: its own weight would dominate in a small collection. */
function totalWeight(terms: readonly WeightedTerm[]): number {
  const known = terms.filter(({ liveRows }) => liveRows > 0).map(({ idf }) => idf);
  return known.reduce((sum, idf) => sum + idf, 0) + (terms.length - known.length) * Math.max(0, ...known);
}

/** The saturated term frequency; `lengthTerm` is K1 × B × the row's length / the mean length. */
function saturatedFrequency(count: number, lengthTerm: number): number {
  return (count * (K1 + 1)) / (count + K1 * (1 - B) + lengthTerm);
}
