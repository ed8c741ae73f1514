import type { Analyzer } from "../../text-analysis/analyzer.js";
import type { KeywordTerm } from "../../text-analysis/keyword-term.js";
import { similarWords } from "../../text-analysis/similar-words.js";
import type { Stemming } from "../../text-analysis/stemming.js";
import type { SimilarWords } from "../search-index.js";
import type { IndexedRows } from "./indexed-rows.js";
import { mergePostings, type Postings } from "./postings.js";
import type { ScoredTerm } from "./ranking.js";
import type { CachedVocabulary } from "./vocabulary.js";

/** What a keyword index has to find similar words with. */
export interface SimilarTermsIndex {
  readonly analyzer: Analyzer;
  readonly rows: IndexedRows;
  readonly deadCount: number;
  readonly stemmings: ReadonlySet<Stemming>;
  readonly vocabulary: CachedVocabulary;
  postings(terms: readonly KeywordTerm[]): readonly Postings[];
}

/**
 * What a similar word contributes to a score: it may be another word. On collections whose queries have rare, but correct
 * words, half as much finds what was found without similar words.
 */
const SIMILAR_WEIGHT = 0.5;
/** So many similar words are looked for in place of one, those in the most chunks. */
const MAX_SIMILAR_WORDS = 3;
/** So many words of a query get similar words, at the most: each takes about a millisecond. */
const MAX_CORRECTED_TERMS = 8;

/** Returns the terms with their postings and, if wanted, those of similar words for terms that no live row has. */
export function toScoredTerms(
  index: SimilarTermsIndex,
  terms: readonly KeywordTerm[],
  { typoTolerance }: { readonly typoTolerance: boolean },
): { readonly scored: readonly ScoredTerm[]; readonly similarWords: readonly SimilarWords[] } {
  const similarWords: SimilarWords[] = [];
  const scored = index.postings(terms).map((postings, position): ScoredTerm => {
    const term = terms[position]!;
    const mayBeWrong = typoTolerance && !term.prefix && similarWords.length < MAX_CORRECTED_TERMS;
    if (!mayBeWrong || postings.countLive(index.rows, index.deadCount) > 0) return { postings, weight: 1 };
    const similar = findSimilar(index, term.text);
    if (!similar) return { postings, weight: 1 };
    similarWords.push({ term, words: similar.words });
    return { postings: similar.postings, weight: SIMILAR_WEIGHT };
  });
  return { scored, similarWords };
}

function findSimilar(
  index: SimilarTermsIndex,
  word: string,
): { readonly words: readonly string[]; readonly postings: Postings } | null {
  const { analyzer, vocabulary, stemmings, rows, deadCount } = index;
  for (const distance of [1, 2] as const) {
    const words = similarWords(analyzer, vocabulary, word, { distance, stemmings });
    const postings = index.postings(words.map((text) => ({ text, prefix: false })));
    const live = words
      .map((text, position) => ({ text, postings: postings[position]! }))
      .map((found) => ({ ...found, liveCount: found.postings.countLive(rows, deadCount) }))
      .filter(({ liveCount }) => liveCount > 0)
      .sort((a, b) => b.liveCount - a.liveCount || (a.text < b.text ? -1 : 1))
      .slice(0, MAX_SIMILAR_WORDS);
    if (live.length > 0)
      return { words: live.map(({ text }) => text), postings: mergePostings(live.map(({ postings }) => postings)) };
  }
  return null;
}
