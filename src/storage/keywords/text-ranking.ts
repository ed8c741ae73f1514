import type { Analyzer } from "../../text-analysis/analyzer.js";
import { isStemmedWord, type KeywordTerm } from "../../text-analysis/keyword-term.js";
import type { Stemming } from "../../text-analysis/stemming.js";
import { type SoughtWord, WordFinder, type WordOccurrence } from "../../text-analysis/word-finder.js";
import { getOrCreate } from "../../util/get-or-create.js";
import type { SimilarWords } from "../search-index.js";
import type { RankedRow, Ranking } from "./ranking.js";
import { POSITIONS_WEIGHT, scorePositions, type WeightedWord } from "./word-positions.js";

/**
 * The share of a word's contribution that counts in a passage that has the word in another form only. On chunkeval and npl,
 * .8 to .95 find more than 1 does.
 */
const OTHER_FORM_SHARE = 0.8;
/** The texts of at least so many rows are read. 50 find no more on chunkeval and npl, and 24 find less. */
const MIN_READ = 32;
/**
 * So many of the best rows by BM25, or as many as are searched for, may be ordered by their texts. In npl, scifact and
 * chunkeval, no query for ten passages needs more than 95.
 */
const MAX_CANDIDATES = 200;
/** The texts of so many more rows are read at a time. */
const BATCH_SIZE = 16;

/** The indexed text of a row. */
export interface RowText {
  readonly text: string;
  readonly stemming: Stemming;
}

/** A search whose rows are ordered. */
interface RankedSearch {
  readonly terms: readonly KeywordTerm[];
  /** What was looked for in place of some of the terms. */
  readonly similarWords: readonly SimilarWords[];
  /** The highest possible BM25. */
  readonly ceiling: number;
  /** The number of rows to return. */
  readonly limit: number;
  /** The number of rows that are ordered by their texts. The others are placed among them by their BM25. @default limit */
  readonly orderedByText?: number | undefined;
  /** The number of terms in rows that come before all others. */
  readonly completeCount: number;
}

/** A word of the query that is looked for in texts. */
interface QueryWord extends WeightedWord, SoughtWord {
  /** The place of its term in the list of all terms. */
  readonly place: number;
}

/**
 * Returns how many of the best rows by BM25 to rank, each number to be tried if the one before doesn't suffice. The first
 * suffices for most queries, and ranking more takes longer.
 */
export function candidateCounts(limit: number): readonly number[] {
  const first = 2 * Math.max(limit, MIN_READ);
  return first < MAX_CANDIDATES ? [first, MAX_CANDIDATES] : [Math.max(limit, MAX_CANDIDATES)];
}

/**
 * Orders the best rows of a ranking by BM25 by what only their texts tell: a word of the query counts less where a row has
 * it in another form only, with another ending or with other diacritics, and more where it stands near the others and at
 * the beginning. The texts of the best rows are read, and of more until no other can be among the best without what its
 * positions would add.
 */
export class TextRanking {
  readonly #ranking: Ranking;
  readonly #analyzer: Analyzer;
  readonly #candidates: readonly RankedRow[];
  readonly #search: RankedSearch;
  readonly #words: readonly QueryWord[];
  readonly #finders = new Map<Stemming, WordFinder>();
  /** The number of rows to return that are ordered by their texts. */
  readonly #orderedCount: number;
  /** What adjusted scores are divided by, so that none exceeds the ceiling. */
  readonly #scale: number;
  /** The first candidates with their adjusted scores, best first. */
  #ordered: readonly RankedRow[] = [];
  #readCount = 0;

  /** @param candidates The best rows, in order */
  constructor(ranking: Ranking, analyzer: Analyzer, search: RankedSearch, candidates: readonly RankedRow[]) {
    this.#ranking = ranking;
    this.#analyzer = analyzer;
    this.#search = search;
    this.#orderedCount = Math.min(search.limit, search.orderedByText ?? search.limit);
    this.#candidates = candidates;
    this.#words = ranking.weights().flatMap((weight, place): readonly QueryWord[] => {
      const term = search.terms[place]!;
      const similar = search.similarWords.find((words) => words.term === term);
      const texts = similar?.words ?? [term.text];
      return weight.idf > 0 && isStemmedWord(term)
        ? [{ ...weight, place, texts, isSimilar: similar !== undefined }]
        : [];
    });
    // With what their positions add, similar words contribute less than the whole word that is in the ceiling.
    const soughtCeiling = this.#words.reduce((sum, { ceiling, isSimilar }) => sum + (isSimilar ? 0 : ceiling), 0);
    this.#scale = search.ceiling > 0 ? 1 + POSITIONS_WEIGHT * (soughtCeiling / search.ceiling) : 1;
  }

  /** Returns the rows whose texts {@link addTexts} needs next; none if the best are known. */
  unread(): readonly RankedRow[] {
    if (this.#words.length === 0) return [];
    const from = this.#readCount;
    if (from === 0) return this.#candidates.slice(0, Math.max(MIN_READ, this.#orderedCount));
    const next = this.#candidates[from];
    return next && this.#mayBeAmongBest(next) ? this.#candidates.slice(from, from + BATCH_SIZE) : [];
  }

  /** Adds the texts of the rows that {@link unread} has returned, in the same order. */
  addTexts(texts: readonly RowText[]): void {
    const from = this.#readCount;
    this.#readCount += texts.length;
    const adjusted = texts.map((text, index) => this.#adjust(this.#candidates[from + index]!, text));
    this.#ordered = this.#sort([...this.#ordered, ...adjusted]);
  }

  /** Whether rows that BM25 ranks after the candidates may be among the best. */
  get isExhausted(): boolean {
    const last = this.#candidates.at(-1);
    return this.#words.length > 0 && last !== undefined && this.#mayBeAmongBest(last);
  }

  /** Returns the best rows, best first. */
  best(): readonly RankedRow[] {
    const unread = this.#candidates.slice(this.#readCount).map((row) => this.#unadjusted(row));
    return this.#sort([...this.#ordered, ...unread]).slice(0, this.#search.limit);
  }

  /** Whether a row whose text has not been read may be among the best of those that have. */
  #mayBeAmongBest(row: RankedRow): boolean {
    const last = this.#ordered[this.#orderedCount - 1];
    return !last || this.#compare(this.#unadjusted(row), last) < 0;
  }

  #unadjusted(row: RankedRow): RankedRow {
    return { ...row, bm25: row.bm25 / this.#scale };
  }

  #adjust(row: RankedRow, text: RowText): RankedRow {
    const occurrences = this.#find(text);
    const contributions = this.#ranking.contributions(row.number);
    const additions = scorePositions(occurrences, this.#words);
    const found = new Set(occurrences.map(({ word }) => word));
    const exact = new Set(occurrences.filter(({ isExact }) => isExact).map(({ word }) => word));
    let { bm25 } = row;
    for (const [word, { place }] of this.#words.entries()) {
      bm25 += additions[word]!;
      const isOtherForm = found.has(word) && !exact.has(word);
      if (isOtherForm) bm25 -= (1 - OTHER_FORM_SHARE) * (contributions[place]! + additions[word]!);
    }
    return { ...row, bm25: bm25 / this.#scale };
  }

  #find({ text, stemming }: RowText): readonly WordOccurrence[] {
    const finder = getOrCreate(this.#finders, stemming, () => {
      return new WordFinder(this.#analyzer, this.#words, stemming);
    });
    return finder.find(text);
  }

  /** Stable: of equal rows, those that BM25 ranks higher come first. */
  #sort(rows: readonly RankedRow[]): readonly RankedRow[] {
    return rows.toSorted((a, b) => this.#compare(a, b));
  }

  #compare(a: RankedRow, b: RankedRow): number {
    const isComplete = ({ termCount }: RankedRow) => Number(termCount === this.#search.completeCount);
    return isComplete(b) - isComplete(a) || b.bm25 - a.bm25;
  }
}
