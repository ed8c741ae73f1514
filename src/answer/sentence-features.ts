import type { TextEmbedder } from "../engine/engine.js";
import { termsOf } from "../text-analysis/analyze.js";
import { keywordText, WORD_PATTERN } from "../text-analysis/keyword-text.js";
import { likelyFunctionWords } from "../text-analysis/language.js";
import { ENGLISH } from "../text-analysis/stemming.js";
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
  /** The index of the sentence's passage among the sources. */
  readonly passageIndex: number;
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
  /** Share of the question's bigrams (pairs of adjacent terms) that the sentence has; at most three count. */
  readonly bigrams: number;
  /** Logarithm of one plus the number of the question's terms. */
  readonly logTermCount: number;
  /** Cosine similarity of the sentence and the question. */
  readonly similarity: number;
  /** Cosine similarity of the sentence, with its heading and the previous sentence, and the question. */
  readonly similarityInPlace: number;
  /** 1 if the question asks for a number, a time or a place that the sentence lacks, else 0. */
  readonly lacksType: number;
  /** 1 if the question can be answered with yes or no and the sentence permits, forbids or denies something, else 0. */
  readonly decides: number;
  /** 1 for the first sentence of a passage, else 0. */
  readonly startsPassage: number;
  /** 1 for sentences of the best passage, else 0. */
  readonly inBestPassage: number;
}

/** Words with at least this cosine similarity count as synonyms. */
const SYNONYM_COSINE = 0.5;
const MIN_WORD_LENGTH = 3;
/** The maximum number of a question's words, since each is compared with every word of the passages. */
const MAX_ASKED_WORDS = 40;
const MAX_BIGRAMS = 3;
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
  const candidates = sources.flatMap(({ text }, passageIndex) =>
    splitSentences(text).map((sentence) => ({ sentence, passageIndex })),
  );
  const texts = candidates.map(({ sentence: { text } }) => text);
  const textsInPlace = candidates.map(({ sentence: { heading, previous, text } }) => `${heading} ${previous} ${text}`);
  const embedded = await embedder.embed([...texts, ...textsInPlace], call);
  const analyzed = candidates.map(({ sentence, passageIndex }, index) => ({
    ...sentence,
    passageIndex,
    startsPassage: candidates[index - 1]?.passageIndex !== passageIndex,
    bigrams: bigramsOf(termsIn(sentence.text)),
    ownTerms: new Set(termsIn(sentence.text)),
    previousTerms: new Set(termsIn(sentence.previous)),
    contextTerms: new Set(termsIn(`${sources[passageIndex]!.context} ${sentence.heading}`)),
    words: wordsOf(sentence.text).content.filter((word) => word.length >= MIN_WORD_LENGTH),
    vector: embedded[index]!,
    vectorInPlace: embedded[candidates.length + index]!,
  }));
  const words = [...new Set(analyzed.flatMap((candidate) => candidate.words))];
  const wordVectors = await embedder.embedWords(words, call);

  async function featuresOf(text: string): Promise<readonly SentenceFeatures[]> {
    const question = collapseWhitespace(text);
    const { all, content } = wordsOf(removeMeasureWords(question));
    const askedWords = (content.length > 0 ? content : all).slice(0, MAX_ASKED_WORDS);
    const allWords = wordsOf(question).all;
    const wordsByTerm = new Map(askedWords.map((word) => [termsOf(word)[0] ?? word, word]));
    const [questionVector] = await embedder.embed([question], call);
    const withoutEach = askedWords.map((word) => allWords.filter((other) => other !== word).join(" "));
    const [meaning, ...otherMeanings] = await embedder.embedWords([question, ...withoutEach, ...askedWords], call);
    const importance = toShares(
      askedWords.map((word, index) => [word, Math.max(MIN_IMPORTANCE, 1 - cosine(meaning!, otherMeanings[index]!))]),
    );
    const rarity = toShares(
      [...wordsByTerm.keys()].map((term) => {
        const sentenceCount = analyzed.filter(({ ownTerms }) => ownTerms.has(term)).length;
        return [term, Math.log(1 + (analyzed.length + 1) / (sentenceCount + 0.5))];
      }),
    );
    const synonymDegrees = new Map(
      askedWords.map((word, index) => {
        const vector = otherMeanings[askedWords.length + index]!;
        return [word, new Map(words.map((other, at) => [other, synonymDegreeOf(cosine(vector, wordVectors[at]!))]))];
      }),
    );
    const questionBigrams = new Set(bigramsOf(termsIn(question)));
    const names = [...question.matchAll(NAME_PATTERN)]
      .flatMap(([name]) => termsOf(name))
      .filter((name) => wordsByTerm.has(name));

    return analyzed.map((candidate) => {
      let [covered, similar, inContext, inPrevious, missing] = [0, 0, 0, 0, 0];
      const termsOfPassage = passageTerms[candidate.passageIndex]!;
      for (const [term, word] of wordsByTerm) {
        const [termRarity, wordImportance] = [rarity.get(term)!, importance.get(word)!];
        const isInPrevious = candidate.previousTerms.has(term);
        if (candidate.ownTerms.has(term) || (isInPrevious && candidate.previous.endsWith("?"))) {
          covered += termRarity;
          continue;
        }
        const degree = Math.max(0, ...candidate.words.map((other) => synonymDegrees.get(word)!.get(other)!));
        const rest = 1 - degree;
        similar += degree * termRarity;
        if (candidate.contextTerms.has(term)) inContext += rest * termRarity;
        else if (isInPrevious) inPrevious += rest * wordImportance;
        else if (!termsOfPassage.has(term)) missing += rest * wordImportance;
      }
      const sharedBigramCount = candidate.bigrams.filter((bigram) => questionBigrams.has(bigram)).length;
      return {
        covered,
        similar,
        inContext,
        inPrevious,
        missing,
        missingNames: names.reduce((sum, name) => sum + (termsOfPassage.has(name) ? 0 : rarity.get(name)!), 0),
        bigrams: Math.min(MAX_BIGRAMS, sharedBigramCount) / Math.max(1, questionBigrams.size),
        logTermCount: Math.log(1 + wordsByTerm.size),
        similarity: cosine(questionVector!, candidate.vector),
        similarityInPlace: cosine(questionVector!, candidate.vectorInPlace),
        lacksType: Number(lacksAnswerType(question, candidate.text)),
        decides: Number(decidesQuestion(question, candidate.text)),
        startsPassage: Number(candidate.startsPassage),
        inBestPassage: Number(candidate.passageIndex === 0),
      };
    });
  }

  return { candidates, featuresOf };
}

/** Returns the terms of a text, in order; in scripts without spaces, terms are bigrams of characters. */
function termsIn(text: string): readonly string[] {
  return termsOf(keywordText(text, ENGLISH));
}

/** Returns the distinct words of a text, and which of them aren't function words. */
function wordsOf(text: string): { readonly all: readonly string[]; readonly content: readonly string[] } {
  const all = [...new Set(keywordText(text, ENGLISH).toLowerCase().match(WORD_PATTERN))];
  const functionWords = likelyFunctionWords(all);
  return { all, content: all.filter((word) => !functionWords.has(word)) };
}

function bigramsOf(terms: readonly string[]): readonly string[] {
  return terms.slice(1).map((term, index) => `${terms[index]} ${term}`);
}

function toShares(weights: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  return new Map(weights.map(([key, weight]) => [key, weight / total]));
}

/** Converts a cosine similarity to the degree, 0 to 1, to which two words are synonyms. */
function synonymDegreeOf(cosineOfWords: number): number {
  return Math.min(1, Math.max(0, cosineOfWords / SYNONYM_COSINE));
}

/** Computes the cosine similarity; 0 if either is a zero vector. */
function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, normA, normB] = [0, 0, 0];
  for (let index = 0; index < a.length; index++) {
    dot += a[index]! * b[index]!;
    normA += a[index]! ** 2;
    normB += b[index]! ** 2;
  }
  return normA > 0 && normB > 0 ? dot / Math.sqrt(normA * normB) : 0;
}
