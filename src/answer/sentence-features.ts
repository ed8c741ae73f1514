import type { TextEmbedder } from "../engine/engine.js";
import { termsOf } from "../text-analysis/analyze.js";
import { keywordText, WORD_PATTERN } from "../text-analysis/keyword-text.js";
import { likelyFunctionWords } from "../text-analysis/language.js";
import { ENGLISH } from "../text-analysis/stemming.js";
import type { CallOptions } from "../types.js";
import { collapseWhitespace } from "../util/collapse-whitespace.js";
import { ANSWER_TYPES, type AnswerType, hasAnswerType, removeMeasureWords, typesAskedFor } from "./answer-types.js";
import { countedTerms, hasCountOf, isNumber } from "./counted-terms.js";
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
 * weighted by their rarity among the sentences or by their importance to the question's meaning. Words of similar
 * meaning count in part. An answer type's feature is 1 if the question asks for it and the sentence has its form,
 * else 0.
 */
export interface SentenceFeatures extends Readonly<Record<AnswerType, number>> {
  /** Share of terms in the sentence, or in a question right before it, by rarity. */
  readonly covered: number;
  /** Share of the other terms for which the sentence has words of similar meaning, by rarity. */
  readonly similar: number;
  /** Share of the remaining terms that are in the headings, the table's header or the document's name, by rarity. */
  readonly inContext: number;
  /** Share of the remaining terms that the whole passage lacks, by importance. */
  readonly missing: number;
  /** Share of names and numbers that the whole passage lacks, by rarity. */
  readonly missingNames: number;
  /** 1 if the question asks how many of something and the sentence has a number right before it, else 0. */
  readonly count: number;
  /** Logarithm of one plus the number of the question's terms. */
  readonly logTermCount: number;
  /** Cosine similarity of the question and the sentence after its headings and the document's name. */
  readonly similarity: number;
  /** 1 for the first sentence of a passage, else 0. */
  readonly startsPassage: number;
  /** Reciprocal of the passage's rank: 1 for the best passage. */
  readonly reciprocalRank: number;
}

/** The cosine similarity up to which words have nothing in common, and from which on they are synonyms. */
const UNRELATED_COSINE = 0.2;
const SYNONYM_COSINE = 0.6;
/** The maximum number of a question's words, since each is compared with every word of the passages. */
const MAX_ASKED_WORDS = 40;
/** Matches a number, or a capitalized word that doesn't begin a sentence. */
const NAME_PATTERN = /(?<=[^.!?\s]\s)(?:\p{Lu}|\d)[\p{L}\p{M}\p{N}]*/gu;
/** Matches numbers, whose vectors say nothing. */
const DIGITS_PATTERN = /^\d+$/;
/** The importance of a word whose removal doesn't change the question's meaning. */
const MIN_IMPORTANCE = 0.01;

export interface FeatureSource {
  readonly candidates: readonly CandidateSentence[];
  /** Computes the features of each candidate for a question. */
  featuresOf(question: string): Promise<readonly SentenceFeatures[]>;
}

/** The terms of a text and the words to compare by meaning. */
interface Vocabulary {
  readonly terms: ReadonlySet<string>;
  readonly words: readonly string[];
}

/** Splits passages into sentences and embeds them once, to compute their features for several questions. */
export async function readSentences(
  sources: readonly SourceText[],
  embedder: TextEmbedder,
  call: CallOptions,
): Promise<FeatureSource> {
  const passages = sources.map(({ text, context }) => vocabularyOf(`${text} ${context}`));
  const candidates = sources.flatMap(({ text }, passageIndex) =>
    splitSentences(text).map((sentence) => ({ sentence, passageIndex })),
  );
  const vectors = await embedder.embed(
    candidates.map(({ sentence, passageIndex }) =>
      [sources[passageIndex]!.context, sentence.heading, sentence.text].join(" "),
    ),
    call,
  );
  const contexts = new Map<string, Vocabulary>();
  const analyzed = candidates.map(({ sentence, passageIndex }, index) => {
    const context = `${sources[passageIndex]!.context} ${sentence.heading} ${sentence.columns}`;
    if (!contexts.has(context)) contexts.set(context, vocabularyOf(context));
    return {
      text: sentence.text,
      passageIndex,
      startsPassage: candidates[index - 1]?.passageIndex !== passageIndex,
      own: vocabularyOf(sentence.text),
      contentWords: contentWordsIn(sentence.text),
      context: contexts.get(context)!,
      termsOfQuestionBefore: new Set(sentence.previous.endsWith("?") ? termsIn(sentence.previous) : []),
      vector: vectors[index]!,
    };
  });
  const words = [...new Set(passages.flatMap((passage) => passage.words))];
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
        const sentenceCount = analyzed.filter(({ own }) => own.terms.has(term)).length;
        return [term, Math.log(1 + (analyzed.length + 1) / (sentenceCount + 0.5))];
      }),
    );
    const synonymDegrees = new Map(
      askedWords.map((word, index) => {
        const vector = otherMeanings[askedWords.length + index]!;
        return [word, new Map(words.map((other, at) => [other, synonymDegreeOf(cosine(vector, wordVectors[at]!))]))];
      }),
    );
    /** The degree to which a vocabulary has a term: 1 for the term itself, less for words of similar meaning. */
    const degreeIn = ({ terms, words }: Vocabulary, term: string, word: string): number =>
      terms.has(term) ? 1 : Math.max(0, ...words.map((other) => synonymDegrees.get(word)!.get(other) ?? 0));
    const degreesInPassages = passages.map(
      (passage) => new Map([...wordsByTerm].map(([term, word]) => [term, degreeIn(passage, term, word)])),
    );
    const names = [...question.matchAll(NAME_PATTERN)]
      .flatMap(([name]) => termsOf(name))
      .filter((name) => wordsByTerm.has(name));
    const typesAsked = typesAskedFor(question);
    // Function words follow "how many" too, as in "how many are".
    const counted = countedTerms(question).filter((term) => wordsByTerm.has(term));

    return analyzed.map((candidate) => {
      let [covered, similar, inContext, missing] = [0, 0, 0, 0];
      for (const [term, word] of wordsByTerm) {
        const termRarity = rarity.get(term)!;
        if (candidate.own.terms.has(term) || candidate.termsOfQuestionBefore.has(term)) {
          covered += termRarity;
          continue;
        }
        const own = degreeIn(candidate.own, term, word);
        const context = degreeIn(candidate.context, term, word);
        const passage = degreesInPassages[candidate.passageIndex]!.get(term)!;
        similar += own * termRarity;
        inContext += (1 - own) * context * termRarity;
        missing += (1 - own) * (1 - context) * (1 - passage) * importance.get(word)!;
      }
      const passageTerms = passages[candidate.passageIndex]!.terms;
      return {
        covered,
        similar,
        inContext,
        missing,
        missingNames: names.reduce((sum, name) => sum + (passageTerms.has(name) ? 0 : rarity.get(name)!), 0),
        count: Number(hasCountOf(candidate.contentWords, counted)),
        logTermCount: Math.log(1 + wordsByTerm.size),
        similarity: cosine(questionVector!, candidate.vector),
        startsPassage: Number(candidate.startsPassage),
        reciprocalRank: 1 / (1 + candidate.passageIndex),
        ...answerTypeFeatures(typesAsked, candidate.text),
      };
    });
  }

  return { candidates, featuresOf };
}

function answerTypeFeatures(typesAsked: readonly AnswerType[], sentence: string): Record<AnswerType, number> {
  const features = ANSWER_TYPES.map(
    (type) => [type, Number(typesAsked.includes(type) && hasAnswerType(sentence, type))] as const,
  );
  return Object.fromEntries(features) as Record<AnswerType, number>;
}

function vocabularyOf(text: string): Vocabulary {
  const words = wordsOf(text).content.filter((word) => !DIGITS_PATTERN.test(word));
  return { terms: new Set(termsIn(text)), words };
}

/** Returns the terms of a text, in order; in scripts without spaces, terms are bigrams of characters. */
function termsIn(text: string): readonly string[] {
  return termsOf(keywordText(text, ENGLISH));
}

/** Returns the words of a text, in order. */
function wordsIn(text: string): readonly string[] {
  return keywordText(text, ENGLISH).toLowerCase().match(WORD_PATTERN) ?? [];
}

/** Returns the words of a text that are numbers or aren't function words, in order. */
function contentWordsIn(text: string): readonly string[] {
  const words = wordsIn(text);
  const functionWords = likelyFunctionWords(words);
  return words.filter((word) => isNumber(word) || !functionWords.has(word));
}

/** Returns the distinct words of a text, and which of them aren't function words. */
function wordsOf(text: string): { readonly all: readonly string[]; readonly content: readonly string[] } {
  const all = [...new Set(wordsIn(text))];
  const functionWords = likelyFunctionWords(all);
  return { all, content: all.filter((word) => !functionWords.has(word)) };
}

function toShares(weights: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  return new Map(weights.map(([key, weight]) => [key, weight / total]));
}

/** Converts a cosine similarity to the degree, 0 to 1, to which two words are synonyms. */
function synonymDegreeOf(cosineOfWords: number): number {
  const degree = (cosineOfWords - UNRELATED_COSINE) / (SYNONYM_COSINE - UNRELATED_COSINE);
  return Math.min(1, Math.max(0, degree));
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
