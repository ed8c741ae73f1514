import type { Analyzer } from "../../text-analysis/analyzer.js";
import { haveCompounds } from "../../text-analysis/compounds.js";
import { isStemmedWord, type KeywordTerm } from "../../text-analysis/keyword-term.js";
import { similarWords, type Vocabulary } from "../../text-analysis/similar-words.js";
import type { Stemming } from "../../text-analysis/stemming.js";
import { groupBy } from "../../util/group-by.js";
import type { SimilarWords } from "../search-index.js";
import { mergePostings, type Postings } from "./postings.js";
import type { RankedRows, ScoredTerm } from "./ranking.js";

/** What a keyword index has to find similar words with. */
export interface SimilarTermsIndex {
  readonly analyzer: Analyzer;
  readonly stemmings: ReadonlySet<Stemming>;
  readonly vocabulary: Vocabulary;
  postings(terms: readonly KeywordTerm[]): readonly Postings[];
  /** Returns the postings of a word without compounds. */
  wordPostings(term: KeywordTerm): Postings;
  postingsOfToken(token: string): Postings;
}

/**
 * What a similar word contributes to a score: it may be another word. With what its positions add, that is about half of what
 * BM25 gives for a word. Of npl's queries, some of which have correct words that no passage has, 0.3 finds more than 0.5.
 */
const SIMILAR_WEIGHT = 0.3;
/** So many similar words are looked for in place of one, the likeliest. */
const MAX_SIMILAR_WORDS = 3;
/** For so many words of a query similar ones are looked for, which takes a few milliseconds for each. */
const MAX_UNKNOWN_TERMS = 8;

/**
 * The share of a word's contribution that counts in a row that has a compound with the word only, or the parts of the word
 * apart. On translated manuals in six languages, .5 and .7 find more than .3.
 */
const COMPOUND_SHARE = 0.5;

/** Returns the terms with their postings and, if wanted, those of similar words for terms that no live row has. */
export function toScoredTerms(
  index: SimilarTermsIndex,
  rows: RankedRows,
  { terms, typoTolerance }: { readonly terms: readonly KeywordTerm[]; readonly typoTolerance: boolean },
): { readonly scored: readonly ScoredTerm[]; readonly similarWords: readonly SimilarWords[] } {
  const similarWords: SimilarWords[] = [];
  let unknownCount = 0;
  const mayBeCompounds = haveCompounds(index.stemmings);
  const scoredTerm = (term: KeywordTerm, postings: Postings): ScoredTerm => {
    const words = mayBeCompounds && isStemmedWord(term) ? index.wordPostings(term) : postings;
    if (words.size === postings.size) return { postings, weight: 1 };
    return { postings, weight: 1, partial: { words, share: COMPOUND_SHARE } };
  };
  const scored = index.postings(terms).map((postings, position): ScoredTerm => {
    const term = terms[position]!;
    const isUnknown = typoTolerance && !term.prefix && rows.statisticsOf(postings).liveCount === 0;
    if (!isUnknown || ++unknownCount > MAX_UNKNOWN_TERMS) return scoredTerm(term, postings);
    const similar = findSimilar(index, rows, term.text);
    if (!similar) return scoredTerm(term, postings);
    similarWords.push({ term, words: similar.words });
    return { postings: similar.postings, weight: SIMILAR_WEIGHT };
  });
  return { scored, similarWords };
}

/** The index has tokens of rows that are not live. They have no influence, not even on which words are similar enough. */
function findSimilar(
  index: SimilarTermsIndex,
  rows: RankedRows,
  typed: string,
): { readonly words: readonly string[]; readonly postings: Postings } | null {
  const { analyzer, vocabulary, stemmings } = index;
  for (const distance of [1, 2] as const) {
    const live = similarWords(analyzer, vocabulary, typed, { distance, stemmings })
      .map((similar) => ({ ...similar, postings: index.postingsOfToken(similar.token) }))
      .filter(({ postings }) => rows.statisticsOf(postings).liveCount > 0);
    const best = [...groupBy(live, ({ word }) => word)]
      .map(([word, tokens]) => {
        const postings = mergePostings(tokens.map(({ postings }) => postings));
        const likelihood = Math.max(...tokens.map((token) => token.likelihood));
        return { word, postings, score: likelihood * rows.statisticsOf(postings).liveCount };
      })
      .sort((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1))
      .slice(0, MAX_SIMILAR_WORDS);
    if (best.length > 0)
      return { words: best.map(({ word }) => word), postings: mergePostings(best.map(({ postings }) => postings)) };
  }
  return null;
}
