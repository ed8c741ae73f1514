import type { TextEmbedder } from "../engine/engine.js";
import { termsOf } from "../text-analysis/analyze.js";
import { keywordText, WORD_PATTERN } from "../text-analysis/keyword-text.js";
import { likelyFunctionWords } from "../text-analysis/language.js";
import type { CallOptions } from "../types.js";
import { collapseWhitespace } from "../util/collapse-whitespace.js";
import { decidesQuestion, lacksAnswerType, removeMeasureWords } from "./answer-types.js";
import { type Sentence, splitSentences } from "./split-sentences.js";

/** The stored text of a passage and its context. */
export interface SourceText {
  readonly text: string;
  /** The passage's headings and the name of its document. */
  readonly context: string;
}

/** A sentence of a passage. */
export interface CandidateSentence {
  readonly sentence: Sentence;
  /** The index of the sentence's passage. */
  readonly passage: number;
}

/**
 * Features that make a sentence more or less likely to answer a question. Shares are fractions of the question's terms,
 * weighted by their rarity among the sentences or by their importance to the question's meaning.
 */
export interface SentenceFeatures {
  /** Share of terms in the sentence, or in a question right before it, by rarity. */
  readonly covered: number;
  /** Share of the other terms for which the sentence has words of similar meaning, by rarity. */
  readonly similar: number;
  /** Share of the remaining terms that are in the headings or the document's name, by rarity. */
  readonly inContext: number;
  /** Share of the remaining terms that are only in the previous sentence, by importance. */
  readonly inPrevious: number;
  /** Share of the remaining terms that the whole passage lacks, by importance. */
  readonly missing: number;
  /** Share of names and numbers that the whole passage lacks, by rarity. */
  readonly missingNames: number;
  /** Share of the question's pairs of adjacent terms that the sentence has; at most three pairs count. */
  readonly pairs: number;
  /** Logarithm of one plus the number of the question's terms. */
  readonly terms: number;
  /** Cosine similarity of the sentence and the question. */
  readonly similarity: number;
  /** Cosine similarity of the sentence, with its heading and the previous sentence, and the question. */
  readonly similarityInPlace: number;
  /** 1 if the question asks for a number, a time or a place that the sentence lacks, else 0. */
  readonly lacksType: number;
  /** 1 if the question can be answered with yes or no and the sentence permits, forbids or denies something, else 0. */
  readonly decides: number;
  /** 1 for the first sentence of a passage, else 0. */
  readonly opens: number;
  /** 1 for sentences of the best passage, else 0. */
  readonly inFirst: number;
}

/** Words with at least this cosine similarity count as synonyms. */
const SYNONYM_COSINE = 0.5;
const MIN_WORD_LENGTH = 3;
/** The maximum number of a question's words, since each is compared with every word of the passages. */
const MAX_ASKED_WORDS = 40;
const MAX_PAIRS = 3;
/** Matches a number, or a capitalized word that doesn't begin a sentence. */
const NAME_PATTERN = /(?<=[^.!?\s]\s)(?:\p{Lu}|\d)[\p{L}\p{M}\p{N}]*/gu;
/** The importance of a word whose removal doesn't change the question's meaning. */
const MIN_IMPORTANCE = 0.01;

export interface FeatureSource {
  readonly candidates: readonly CandidateSentence[];
  /** Computes the features of each candidate for a question. */
  featuresOf(question: string): Promise<readonly SentenceFeatures[]>;
}

/** Splits passages into sentences and embeds them once, to compute their features for several questions. */
export async function readSentences(
  sources: readonly SourceText[],
  embedder: TextEmbedder,
  call: CallOptions,
): Promise<FeatureSource> {
  const passageTerms = sources.map(({ text, context }) => new Set(termsIn(`${text} ${context}`)));
  const candidates = sources.flatMap(({ text }, passage) =>
    splitSentences(text).map((sentence) => ({ sentence, passage })),
  );
  const texts = candidates.map(({ sentence: { text } }) => text);
  const places = candidates.map(({ sentence: { heading, previous, text } }) => `${heading} ${previous} ${text}`);
  const embedded = await embedder.embed([...texts, ...places], call);
  const known = candidates.map(({ sentence, passage }, index) => ({
    ...sentence,
    passage,
    opens: candidates[index - 1]?.passage !== passage,
    terms: termsIn(sentence.text),
    own: new Set(termsIn(sentence.text)),
    before: new Set(termsIn(sentence.previous)),
    context: new Set(termsIn(`${sources[passage]!.context} ${sentence.heading}`)),
    words: wordsOf(sentence.text).content.filter((word) => word.length >= MIN_WORD_LENGTH),
    vector: embedded[index]!,
    vectorInPlace: embedded[candidates.length + index]!,
  }));
  const words = [...new Set(known.flatMap((candidate) => candidate.words))];
  const wordVectors = await embedder.embedWords(words, call);

  async function featuresOf(text: string): Promise<readonly SentenceFeatures[]> {
    const question = collapseWhitespace(text);
    const { all, content } = wordsOf(removeMeasureWords(question));
    const asked = (content.length > 0 ? content : all).slice(0, MAX_ASKED_WORDS);
    const allWords = wordsOf(question).all;
    const terms = new Map(asked.map((word) => [termsOf(word)[0] ?? word, word]));
    const [whole] = await embedder.embed([question], call);
    const withoutEach = asked.map((word) => allWords.filter((other) => other !== word).join(" "));
    const [meaning, ...others] = await embedder.embedWords([question, ...withoutEach, ...asked], call);
    const importance = toShares(
      asked.map((word, index) => [word, Math.max(MIN_IMPORTANCE, 1 - cosine(meaning!, others[index]!))]),
    );
    const rarity = toShares(
      [...terms.keys()].map((term) => {
        const having = known.filter(({ own }) => own.has(term)).length;
        return [term, Math.log(1 + (known.length + 1) / (having + 0.5))];
      }),
    );
    const degrees = new Map(
      asked.map((word, index) => {
        const vector = others[asked.length + index]!;
        return [word, new Map(words.map((other, at) => [other, degreeOf(cosine(vector, wordVectors[at]!))]))];
      }),
    );
    const questionTerms = termsIn(question);
    const pairs = new Set(pairsOf(questionTerms));
    const names = [...question.matchAll(NAME_PATTERN)]
      .flatMap(([name]) => termsOf(name))
      .filter((name) => terms.has(name));

    return known.map((candidate) => {
      let [covered, similar, inContext, inPrevious, missing] = [0, 0, 0, 0, 0];
      const passage = passageTerms[candidate.passage]!;
      for (const [term, word] of terms) {
        const [rare, important] = [rarity.get(term)!, importance.get(word)!];
        const isBefore = candidate.before.has(term);
        if (candidate.own.has(term) || (isBefore && candidate.previous.endsWith("?"))) {
          covered += rare;
          continue;
        }
        const degree = Math.max(0, ...candidate.words.map((other) => degrees.get(word)!.get(other)!));
        const rest = 1 - degree;
        similar += degree * rare;
        if (candidate.context.has(term)) inContext += rest * rare;
        else if (isBefore) inPrevious += rest * important;
        else if (!passage.has(term)) missing += rest * important;
      }
      const common = pairsOf(candidate.terms).filter((pair) => pairs.has(pair)).length;
      return {
        covered,
        similar,
        inContext,
        inPrevious,
        missing,
        missingNames: names.reduce((sum, name) => sum + (passage.has(name) ? 0 : rarity.get(name)!), 0),
        pairs: Math.min(MAX_PAIRS, common) / Math.max(1, pairs.size),
        terms: Math.log(1 + terms.size),
        similarity: cosine(whole!, candidate.vector),
        similarityInPlace: cosine(whole!, candidate.vectorInPlace),
        lacksType: Number(lacksAnswerType(question, candidate.text)),
        decides: Number(decidesQuestion(question, candidate.text)),
        opens: Number(candidate.opens),
        inFirst: Number(candidate.passage === 0),
      };
    });
  }

  return { candidates, featuresOf };
}

/** Returns the terms of a text, in order; in scripts without spaces, terms are pairs of characters. */
function termsIn(text: string): readonly string[] {
  return termsOf(keywordText(text, true));
}

/** Returns the distinct words of a text, and which of them aren't function words. */
function wordsOf(text: string): { readonly all: readonly string[]; readonly content: readonly string[] } {
  const all = [...new Set(keywordText(text, true).toLowerCase().match(WORD_PATTERN))];
  const functionWords = likelyFunctionWords(all);
  return { all, content: all.filter((word) => !functionWords.has(word)) };
}

function pairsOf(terms: readonly string[]): readonly string[] {
  return terms.slice(1).map((term, index) => `${terms[index]} ${term}`);
}

function toShares(weights: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  return new Map(weights.map(([key, weight]) => [key, weight / total]));
}

/** Converts a cosine similarity to the degree, 0 to 1, to which two words are synonyms. */
function degreeOf(cosineOfWords: number): number {
  return Math.min(1, Math.max(0, cosineOfWords / SYNONYM_COSINE));
}

/** Computes the cosine similarity; 0 if either vector is all zeros. */
function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, normA, normB] = [0, 0, 0];
  for (let index = 0; index < a.length; index++) {
    dot += a[index]! * b[index]!;
    normA += a[index]! ** 2;
    normB += b[index]! ** 2;
  }
  return normA > 0 && normB > 0 ? dot / Math.sqrt(normA * normB) : 0;
}
