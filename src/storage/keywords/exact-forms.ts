import { exactWords } from "../../text-analysis/exact-word.js";
import { isStemmedWord, type KeywordTerm } from "../../text-analysis/keyword-term.js";
import type { Stemming } from "../../text-analysis/stemming.js";
import type { RankedRow, Ranking, ScoredTerm } from "./ranking.js";

/**
 * The share of a word's contribution that counts in a passage that has the word in another form only. On chunkeval and npl,
 * .8 to .95 find more than 1 does.
 */
const OTHER_FORM_SHARE = 0.8;
/**
 * So many of the best rows by BM25, or as many as are searched for, may be ordered by their forms. In npl, scifact and
 * chunkeval, no query for ten passages needs more than 95.
 */
const MIN_CANDIDATES = 200;
/** The factor by which more candidates are ranked if the first ones don't suffice. */
const CANDIDATE_FACTOR = 4;
/** The texts of so many more rows are read at a time. */
const BATCH_SIZE = 16;

/** The indexed text of a row. */
export interface RowText {
  readonly text: string;
  readonly stemming: Stemming;
}

/** The terms of a search. */
interface FormTerms {
  readonly terms: readonly KeywordTerm[];
  readonly scored: readonly ScoredTerm[];
  /** Whether other forms count less. @default false */
  readonly exactForms?: boolean | undefined;
}

/**
 * Returns how many of the best rows by BM25 to rank, each number to be tried if the one before doesn't suffice. The first
 * suffices for most queries, and ranking more takes longer.
 */
export function candidateCounts(limit: number): readonly number[] {
  const counts: number[] = [];
  for (let count = 2 * limit; count < MIN_CANDIDATES; count *= CANDIDATE_FACTOR) counts.push(count);
  return [...counts, Math.max(limit, MIN_CANDIDATES)];
}

/**
 * Orders the best rows of a ranking by BM25 in which a word of the query counts less where a row has it in another form only:
 * with another ending or with other diacritics. The index has stems, so the texts of rows are read, from the best on, until
 * no other can be among the best.
 */
export class FormRanking {
  readonly #ranking: Ranking;
  readonly #candidates: readonly RankedRow[];
  readonly #limit: number;
  readonly #completeCount: number;
  /** The places of the terms to look for in texts, in the list of all terms. */
  readonly #places: readonly number[];
  readonly #terms: readonly KeywordTerm[];
  readonly #scored: readonly ScoredTerm[];
  /** The first candidates with their deductions, best first. */
  #ordered: readonly RankedRow[] = [];
  #readCount = 0;

  /**
   * @param candidates The best rows, in order, of which the best `limit` are needed
   * @param completeCount The number of terms in rows that come before all others
   */
  constructor(
    ranking: Ranking,
    { terms, scored, exactForms = false }: FormTerms,
    candidates: readonly RankedRow[],
    { limit, completeCount }: { readonly limit: number; readonly completeCount: number },
  ) {
    this.#ranking = ranking;
    this.#candidates = candidates;
    this.#limit = limit;
    this.#completeCount = completeCount;
    const isLookedFor = (place: number) => scored[place]!.weight === 1 && isStemmedWord(terms[place]!);
    this.#places = exactForms ? [...terms.keys()].filter(isLookedFor) : [];
    this.#terms = terms;
    this.#scored = scored;
  }

  /** Returns the rows whose texts {@link addTexts} needs next; none if the best are known. */
  unread(): readonly RankedRow[] {
    if (this.#places.length === 0) return [];
    const from = this.#readCount;
    if (from === 0) return this.#candidates.slice(0, this.#limit);
    const next = this.#candidates[from];
    const last = this.#ordered[this.#limit - 1];
    if (!next || (last && this.#compare(next, last) >= 0)) return [];
    return this.#candidates.slice(from, from + BATCH_SIZE);
  }

  /** Adds the texts of the rows that {@link unread} has returned, in the same order. */
  addTexts(texts: readonly RowText[]): void {
    const rows = this.#candidates.slice(this.#readCount, this.#readCount + texts.length);
    this.#readCount += texts.length;
    const scored = rows.map((row, index) => ({ ...row, bm25: row.bm25 - this.#deduction(row, texts[index]!) }));
    // Stable: of equal rows, those that BM25 ranks higher come first.
    this.#ordered = [...this.#ordered, ...scored].sort((a, b) => this.#compare(a, b));
  }

  /** Whether rows that BM25 ranks after the candidates may be among the best. */
  get isExhausted(): boolean {
    if (this.#places.length === 0) return false;
    const lastCandidate = this.#candidates.at(-1);
    const last = this.#ordered[this.#limit - 1];
    return lastCandidate !== undefined && (!last || this.#compare(lastCandidate, last) < 0);
  }

  /** Returns the best rows, best first. */
  best(): readonly RankedRow[] {
    return (this.#places.length === 0 ? this.#candidates : this.#ordered).slice(0, this.#limit);
  }

  #deduction({ number }: RankedRow, { text, stemming }: RowText): number {
    const contributions = this.#ranking.contributions(number);
    const hasWord = (place: number) => this.#scored[place]!.partial?.words.countOf(number) !== 0;
    const found = this.#places.filter((place) => contributions[place]! > 0 && hasWord(place));
    const typed = found.map((place) => this.#terms[place]!.text);
    const areExact = exactWords(typed, text, stemming);
    const others = found.filter((_, index) => !areExact[index]);
    return (1 - OTHER_FORM_SHARE) * others.reduce((total, place) => total + contributions[place]!, 0);
  }

  #compare(a: RankedRow, b: RankedRow): number {
    const isComplete = ({ termCount }: RankedRow) => Number(termCount === this.#completeCount);
    return isComplete(b) - isComplete(a) || b.bm25 - a.bm25;
  }
}
