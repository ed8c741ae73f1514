import type { TextVectors } from "../engine/engine.js";
import type { CallOptions } from "../types.js";
import { type CandidateSentence, readSentences, type SourceText } from "./sentence-features.js";
import { scoreOf } from "./sentence-scorer.js";
import { splitQuestion } from "./split-question.js";

/** A sentence that answers a question. */
export interface ExtractedSentence extends CandidateSentence {
  readonly score: number;
}

/**
 * Scores from here answer the question. Chosen on six sets of questions with weights learned without them (`npm run
 * train:answers` prints the figures), so that on average four of five questions without an answer are declined. That
 * holds from -1 on. At -0.75, 337 of 389 are declined on xquad-en and 46 of 56 on the others, and 303 of 389 and 104 of
 * 141 answers are right; at -1, one more is right and six fewer are declined.
 */
const MIN_SCORE = -0.75;
/** A further sentence is quoted if its score is at most this much less than the first one's. */
const FURTHER_MARGIN = 1;
const MAX_FURTHER = 2;
/** The weight of the whole text in the score for one of several questions, which may leave out its subject. */
const WHOLE_WEIGHT = 0.5;
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
  const { candidates, featuresOf } = await readSentences(sources, vectors, call);
  const scoresOf = async (text: string) => (await featuresOf(text)).map(scoreOf);
  const whole = await scoresOf(question);
  const parts = splitQuestion(question);
  if (parts.length === 1) return chooseFurther(toRanking(candidates, whole));
  const chosen: ExtractedSentence[] = [];
  for (const part of parts) {
    const scores = (await scoresOf(part)).map((own, index) => own + WHOLE_WEIGHT * (whole[index]! - own));
    const [best] = toRanking(candidates, scores);
    // Another document may have the same sentence.
    if (best && chosen.every(({ sentence }) => sentence.text !== best.sentence.text)) chosen.push(best);
  }
  return chosen;
}

/** The sentences with a sufficient score, best first. */
function toRanking(candidates: readonly CandidateSentence[], scores: readonly number[]): readonly ExtractedSentence[] {
  return candidates
    .map((candidate, index) => ({ ...candidate, score: scores[index]! }))
    .filter(({ score }) => score >= MIN_SCORE)
    .sort((a, b) => b.score - a.score);
}

/** The best sentence, and others that are nearly as good and say something else. */
function chooseFurther(ranking: readonly ExtractedSentence[]): readonly ExtractedSentence[] {
  const [first, ...others] = ranking;
  if (!first) return [];
  const chosen = [first];
  for (const other of others) {
    if (chosen.length > MAX_FURTHER || other.score < first.score - FURTHER_MARGIN) break;
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
