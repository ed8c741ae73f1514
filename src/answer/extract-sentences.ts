import type { TextEmbedder } from "../engine/engine.js";
import type { CallOptions } from "../types.js";
import { type CandidateSentence, readSentences, type SourceText } from "./sentence-features.js";
import { scoreOf } from "./sentence-scorer.js";
import { splitQuestion } from "./split-question.js";

/** A sentence that answers a question. */
export interface ExtractedSentence extends CandidateSentence {
  readonly score: number;
}

/**
 * The minimum score of a sentence that answers the question. Chosen on the sets that the weights are learned from, each
 * with weights learned without it (`npm run train:answers` prints the figures): 186 of 267 answers are right, and 51 of 70
 * questions about the documents' subjects without an answer, and 194 of 211 without the answer's document, are declined.
 */
const MIN_SCORE = 0;
/** A further sentence is quoted if its score is at most this much lower than the best score. */
const MAX_FURTHER_MARGIN = 1;
const MAX_FURTHER_SENTENCES = 2;
/** The weight of the whole text's score in the score for one of its questions, which may lack the subject. */
export const WHOLE_TEXT_WEIGHT = 0.5;
/** A sentence that shares a larger fraction of its words with a chosen sentence says nothing new. */
const MAX_OVERLAP = 0.6;

/**
 * Returns the sentences that answer a question, best first; none if no score is high enough. For a text with several
 * questions, returns the best sentence for each, in the order of the questions.
 */
export async function extractSentences(
  question: string,
  sources: readonly SourceText[],
  embedder: TextEmbedder,
  call: CallOptions,
): Promise<readonly ExtractedSentence[]> {
  const { candidates, featuresOf } = await readSentences(sources, embedder, call);
  const scoresOf = async (text: string) => (await featuresOf(text)).map(scoreOf);
  const wholeTextScores = await scoresOf(question);
  const parts = splitQuestion(question);
  if (parts.length === 1) return chooseSentences(rankCandidates(candidates, wholeTextScores));
  const chosen: ExtractedSentence[] = [];
  for (const part of parts) {
    const scores = (await scoresOf(part)).map(
      (score, index) => score + WHOLE_TEXT_WEIGHT * (wholeTextScores[index]! - score),
    );
    const [best] = rankCandidates(candidates, scores);
    // Another document may have the same sentence.
    if (best && chosen.every(({ sentence }) => sentence.text !== best.sentence.text)) chosen.push(best);
  }
  return chosen;
}

/** Returns the sentences with a sufficient score, best first. */
function rankCandidates(
  candidates: readonly CandidateSentence[],
  scores: readonly number[],
): readonly ExtractedSentence[] {
  return candidates
    .map((candidate, index) => ({ ...candidate, score: scores[index]! }))
    .filter(({ score }) => score >= MIN_SCORE)
    .sort((a, b) => b.score - a.score);
}

/** Chooses the best sentence, and others that are nearly as good and say something else. */
function chooseSentences(ranking: readonly ExtractedSentence[]): readonly ExtractedSentence[] {
  const [first, ...others] = ranking;
  if (!first) return [];
  const chosen = [first];
  for (const other of others) {
    if (chosen.length > MAX_FURTHER_SENTENCES || other.score < first.score - MAX_FURTHER_MARGIN) break;
    if (chosen.every(({ sentence }) => overlap(sentence.text, other.sentence.text) <= MAX_OVERLAP)) chosen.push(other);
  }
  return chosen;
}

/** Returns the number of words that two texts share, as a fraction of the distinct words of the text with fewer. */
function overlap(a: string, b: string): number {
  const [words, others] = [a, b].map((text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))) as [
    Set<string>,
    Set<string>,
  ];
  const common = [...words].filter((word) => others.has(word)).length;
  return common / Math.max(1, Math.min(words.size, others.size));
}
