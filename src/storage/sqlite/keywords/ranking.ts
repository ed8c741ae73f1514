import { BoundedHeap } from "../../../util/bounded-heap.js";
import { LiveRows } from "./live-rows.js";
import type { Postings } from "./postings.js";

/** BM25 (Robertson and Zaragoza) with the constants of SQLite (sqlite.org/fts5.html#the_bm25_function). */
const K1 = 1.2;
const B = 0.75;
/** The weight of a term that at least half of the rows contain: positive, but next to nothing. */
const MIN_IDF = 1e-6;

/** A row that contains at least one of the terms. */
export interface RankedRow {
  readonly number: number;
  readonly bm25: number;
  /** The number of terms that it contains. */
  readonly terms: number;
}

interface WeighedTerm {
  readonly postings: Postings;
  /** Live rows that contain the term. */
  readonly containing: number;
  readonly idf: number;
  /** Upper bound of its contribution to a score. */
  readonly most: number;
}

/** Bounds are summed in another order than scores, and rounding must not make them too low. */
const ROUNDING = 1 + 1e-9;

/** Scores rows by their terms. Reuses its working memory. */
export class Ranking {
  #scores = new Float64Array(0);
  #terms = new Uint8Array(0);
  #touched = new Uint32Array(0);
  #count = 0;
  #rows: LiveRows = new LiveRows();

  /** The number of scored rows. */
  get count(): number {
    return this.#count;
  }

  /**
   * Scores every live row that contains a term, and clears earlier scores. At most 255 terms.
   *
   * If only the best few rows are wanted, rows that can't be among them are skipped: terms with the highest bounds come
   * first, and once enough rows score more than all remaining terms can contribute, those only add to rows already
   * found (MaxScore: Turtle and Flood, Query Evaluation: Strategies and Optimizations, 1995). A row with every term
   * contains the first one, so none is missed.
   *
   * Returns the limit of the score of a row that repeats every term; never reached.
   */
  score(rows: LiveRows, terms: readonly Postings[], deaths: number, wanted = Number.POSITIVE_INFINITY): number {
    this.#clear(rows.size);
    this.#rows = rows;
    const weighed = terms.map((postings) => weigh(rows, postings, deaths)).sort((a, b) => b.most - a.most);
    let rest = weighed.reduce((sum, { most }) => sum + most, 0);
    let open = true;
    for (const term of weighed) {
      open &&= !(term.postings.size > this.#count && this.#leastOfBest(wanted) > rest * ROUNDING);
      if (open) this.#addAll(rows, term);
      else this.#addToMet(rows, term);
      rest -= term.most;
    }
    return (K1 + 1) * weightOfAll(weighed);
  }

  #addAll({ alive, lengths, live, words }: LiveRows, { postings, idf }: WeighedTerm): void {
    const scores = this.#scores;
    const terms = this.#terms;
    const touched = this.#touched;
    let count = this.#count;
    const ofLength = (K1 * B * live) / words;
    const { numbers, counts, size } = postings;
    for (let index = 0; index < size; index++) {
      const number = numbers[index]!;
      if (alive[number] === 0) continue;
      if (terms[number] === 0) touched[count++] = number;
      terms[number] = terms[number]! + 1;
      scores[number] = scores[number]! + idf * saturated(counts[index]!, ofLength * lengths[number]!);
    }
    this.#count = count;
  }

  #addToMet({ lengths, live, words }: LiveRows, { postings, idf }: WeighedTerm): void {
    const ofLength = (K1 * B * live) / words;
    for (let index = 0; index < this.#count; index++) {
      const number = this.#touched[index]!;
      const count = postings.countOf(number);
      if (count === 0) continue;
      this.#terms[number] = this.#terms[number]! + 1;
      this.#scores[number] = this.#scores[number]! + idf * saturated(count, ofLength * lengths[number]!);
    }
  }

  /** The lowest of the best scores so far; minus infinity if there are fewer. */
  #leastOfBest(wanted: number): number {
    if (this.#count < wanted) return Number.NEGATIVE_INFINITY;
    const best = new BoundedHeap<number>(wanted, (a, b) => a < b);
    for (let index = 0; index < this.#count; index++) best.add(this.#scores[this.#touched[index]!]!);
    return best.worst!;
  }

  /** Removes rows that are not marked exactly this often. */
  keep(marks: Uint16Array, often: number): void {
    let kept = 0;
    for (let index = 0; index < this.#count; index++) {
      const number = this.#touched[index]!;
      if (marks[number] === often) this.#touched[kept++] = number;
      else this.#forget(number);
    }
    this.#count = kept;
  }

  /** The best rows: those with every term first, then by score, then in the order of documents. */
  best(limit: number, allTerms: number): readonly RankedRow[] {
    const worse = (a: number, b: number) => this.#isWorse(a, b, allTerms);
    const best = new BoundedHeap(limit, worse);
    for (let index = 0; index < this.#count; index++) {
      const number = this.#touched[index]!;
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
    const apart = documentSeqs[a]! - documentSeqs[b]!;
    return apart === 0 ? chunkSeqs[a]! > chunkSeqs[b]! : apart > 0;
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

function weigh(rows: LiveRows, postings: Postings, deaths: number): WeighedTerm {
  const containing = postings.aliveRows(rows, deaths);
  const idf = Math.max(MIN_IDF, Math.log((rows.live - containing + 0.5) / (containing + 0.5)));
  return { postings, containing, idf, most: idf * saturated(postings.mostCounted, 0) };
}

/**
 * A term without rows weighs as much as the rarest one with rows: its own weight would dominate in a small collection.
 */
function weightOfAll(terms: readonly WeighedTerm[]): number {
  const known = terms.filter(({ containing }) => containing > 0).map(({ idf }) => idf);
  return known.reduce((sum, idf) => sum + idf, 0) + (terms.length - known.length) * Math.max(0, ...known);
}

/** The saturated term frequency; `ofLength` is K1 × B × the row's length / the mean length. */
function saturated(count: number, ofLength: number): number {
  return (count * (K1 + 1)) / (count + K1 * (1 - B) + ofLength);
}
