import type { TextVectors } from "../engine/engine.js";
import { termsOf } from "../text-analysis/analyze.js";
import { WORD } from "../text-analysis/keyword-text.js";
import { likelyFunctionWords } from "../text-analysis/language.js";
import type { CallOptions } from "../types.js";
import type { Sentence } from "./split-sentences.js";

/** A sentence with what is known about its surroundings. */
export interface CandidateSentence {
  readonly sentence: Sentence;
  /** The headings above its passage and the name of its document. */
  readonly context: string;
}

/** Weights of a score. Chosen on xquad-en, where half of the questions had lost their paragraphs. */
const WEIGHTS = { coverage: 0.6, similarity: 0.4, number: 0.08, name: 0.08, tableRow: -0.1 };
/** What a term of the question counts that is not in the sentence but before it, or in a word of similar meaning. */
const CREDIT = { context: 0.5, previous: 0.35, answered: 0.9, similar: 0.8 };
/** Cosines of words: unrelated ones have less than `from`, synonyms `to` or more. */
const SIMILAR = { from: 0.15, to: 0.5 };
const MIN_WORD_LENGTH = 3;

const ASKS_NUMBER =
  /\b(?:when|how (?:many|much|long|far|high|often|old|big|large|deep|heavy)|(?:what|which) (?:time|year|date|day|price|percentage|number))\b/i;
const HAS_NUMBER =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|dozen|hundred|thousand|half)\b/i;
const ASKS_NAME = /\bwho\b/i;
/** Two capitalized words that don't begin a sentence. */
const HAS_NAME = /[^.!?\s]\s\p{Lu}\p{L}+ \p{Lu}\p{L}+/u;

/**
 * Scores how likely each sentence answers a question, mostly 0 to 1: the share of the question's terms that it covers,
 * weighted by their rarity among the sentences, and the similarity of its meaning.
 */
export async function scoreSentences(
  question: string,
  candidates: readonly CandidateSentence[],
  vectors: TextVectors,
  call: CallOptions,
): Promise<readonly number[]> {
  const asked = contentWords(question);
  const known = candidates.map(({ sentence, context }) => ({
    words: distinctWords(sentence.text),
    own: new Set(termsOf(sentence.text)),
    previous: new Set(termsOf(sentence.previous)),
    context: new Set(termsOf(`${context} ${sentence.heading}`)),
  }));
  const terms = new Map(asked.map((word) => [termsOf(word)[0] ?? word, word]));
  const rarity = new Map(
    [...terms.keys()].map((term) => {
      const having = known.filter(({ own }) => own.has(term)).length;
      return [term, Math.log(1 + (candidates.length + 1) / (having + 0.5))];
    }),
  );
  const total = [...rarity.values()].reduce((sum, weight) => sum + weight, 0);
  const similar = await similarWords(asked, new Set(known.flatMap(({ words }) => words)), vectors, call);
  const [ofQuestion, ...ofSentences] = await vectors.embed([question, ...candidates.map(textOf)], call);

  return candidates.map(({ sentence }, index) => {
    const { own, previous, context, words } = known[index]!;
    let covered = 0;
    for (const [term, word] of terms) {
      const credit = own.has(term)
        ? 1
        : Math.max(
            context.has(term) ? CREDIT.context : 0,
            previous.has(term) ? (sentence.previous.endsWith("?") ? CREDIT.answered : CREDIT.previous) : 0,
            CREDIT.similar * Math.max(0, ...words.map((other) => similar.get(word)?.get(other) ?? 0)),
          );
      covered += credit * rarity.get(term)!;
    }
    return (
      WEIGHTS.coverage * (total > 0 ? covered / total : 0) +
      WEIGHTS.similarity * cosine(ofQuestion!, ofSentences[index]!) +
      (ASKS_NUMBER.test(question) && HAS_NUMBER.test(sentence.text) ? WEIGHTS.number : 0) +
      (ASKS_NAME.test(question) && HAS_NAME.test(sentence.text) ? WEIGHTS.name : 0) +
      (sentence.isTableRow ? WEIGHTS.tableRow : 0)
    );
  });
}

function textOf({ sentence }: CandidateSentence): string {
  return sentence.text;
}

/** The words of a question without function words, or all if it has no others. */
function contentWords(question: string): readonly string[] {
  const words = [...new Set(question.toLowerCase().match(WORD))];
  const functionWords = likelyFunctionWords(words);
  const content = words.filter((word) => !functionWords.has(word));
  return content.length > 0 ? content : words;
}

function distinctWords(text: string): readonly string[] {
  const words = [...new Set(text.toLowerCase().match(WORD))];
  const functionWords = likelyFunctionWords(words);
  return words.filter((word) => word.length >= MIN_WORD_LENGTH && !functionWords.has(word));
}

/** For each word of the question, other words of similar meaning, from above 0 to 1. */
async function similarWords(
  asked: readonly string[],
  others: ReadonlySet<string>,
  vectors: TextVectors,
  call: CallOptions,
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const all = [...new Set([...asked, ...others])];
  const embedded = await vectors.embedWords(all, call);
  const vectorOf = new Map(all.map((word, index) => [word, embedded[index]!]));
  return new Map(
    asked.map((word) => {
      const similar = new Map<string, number>();
      for (const other of others) {
        const degree = (cosine(vectorOf.get(word)!, vectorOf.get(other)!) - SIMILAR.from) / (SIMILAR.to - SIMILAR.from);
        if (degree > 0) similar.set(other, Math.min(1, degree));
      }
      return [word, similar];
    }),
  );
}

/** Cosine similarity; 0 if either vector is all zeros. */
function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, normA, normB] = [0, 0, 0];
  for (let index = 0; index < a.length; index++) {
    dot += a[index]! * b[index]!;
    normA += a[index]! ** 2;
    normB += b[index]! ** 2;
  }
  return normA > 0 && normB > 0 ? dot / Math.sqrt(normA * normB) : 0;
}
