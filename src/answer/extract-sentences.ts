import type { TextVectors } from "../engine/engine.js";
import type { CallOptions } from "../types.js";
import { type CandidateSentence, scoreSentences } from "./sentence-scorer.js";
import { splitQuestion } from "./split-question.js";
import { type Sentence, splitSentences } from "./split-sentences.js";

/** The stored text of a passage and what stands above it. */
export interface SourceText {
  readonly text: string;
  /** Its headings and the name of its document. */
  readonly context: string;
}

/** A sentence that answers a question. */
export interface ExtractedSentence {
  /** The index of its passage. */
  readonly passage: number;
  readonly sentence: Sentence;
  readonly score: number;
}

/**
 * Scores from here answer the question. Chosen on xquad-en, where half of the questions had lost their paragraphs: 176
 * of 199 are answered from the right paragraph, and 44 of 57 without one are declined.
 */
const MIN_SCORE = 0.4;
/** A further sentence is quoted if its score is at least this share of the first one's. */
const FURTHER_SHARE = 0.85;
const MAX_FURTHER = 2;
/** The weight of the whole text in the score for one of several questions, which may leave out its subject. */
const WHOLE_WEIGHT = 0.25;
/** A sentence that shares more of its words with a chosen one says nothing new. */
const MAX_OVERLAP = 0.6;

/**
 * The sentences that answer a question, the best first; none if no score is high enough. A text with several questions
 * gets the best sentence for each, in their order.
 */
export async function extractSentences(
  question: string,
  sources: readonly SourceText[],
  vectors: TextVectors,
  call: CallOptions,
): Promise<readonly ExtractedSentence[]> {
  const candidates = sources.flatMap(({ text, context }, passage) =>
    splitSentences(text).map((sentence) => ({ sentence, context, passage })),
  );
  if (candidates.length === 0) return [];
  const whole = await scoreSentences(question, candidates, vectors, call);
  const parts = splitQuestion(question);
  if (parts.length === 1) return chooseFurther(toRanking(candidates, whole));
  const chosen: ExtractedSentence[] = [];
  for (const part of parts) {
    const own = await scoreSentences(part, candidates, vectors, call);
    const scores = own.map((score, index) => (1 - WHOLE_WEIGHT) * score + WHOLE_WEIGHT * whole[index]!);
    const [best] = toRanking(candidates, scores);
    if (best && chosen.every(({ sentence }) => sentence !== best.sentence)) chosen.push(best);
  }
  return chosen;
}

/** The sentences with a sufficient score, best first. */
function toRanking(
  candidates: readonly (CandidateSentence & { readonly passage: number })[],
  scores: readonly number[],
): readonly ExtractedSentence[] {
  return candidates
    .map(({ sentence, passage }, index) => ({ sentence, passage, score: scores[index]! }))
    .filter(({ score }) => score >= MIN_SCORE)
    .sort((a, b) => b.score - a.score);
}

/** The best sentence, and others that are nearly as good and say something else. */
function chooseFurther(ranking: readonly ExtractedSentence[]): readonly ExtractedSentence[] {
  const [first, ...others] = ranking;
  if (!first) return [];
  const chosen = [first];
  for (const other of others) {
    if (chosen.length > MAX_FURTHER || other.score < first.score * FURTHER_SHARE) break;
    if (chosen.every(({ sentence }) => overlap(sentence.text, other.sentence.text) <= MAX_OVERLAP)) chosen.push(other);
  }
  return chosen;
}

/** The share of common words, of the shorter text's. */
function overlap(a: string, b: string): number {
  const [words, others] = [a, b].map((text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))) as [
    Set<string>,
    Set<string>,
  ];
  const common = [...words].filter((word) => others.has(word)).length;
  return common / Math.max(1, Math.min(words.size, others.size));
}
