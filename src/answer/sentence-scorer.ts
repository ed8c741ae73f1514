import type { SentenceFeatures } from "./sentence-features.js";

/**
 * The weights of the features, from a multinomial logistic regression (`npm run train:answers`) that predicts which
 * sentence answers a question, or that none does. Learned from 389 questions of xquad-en, each once with and once
 * without its paragraph, and from 115 questions about a company's terms, a desktop's help and a textbook on astronomy.
 * The 115 questions, 32 of which have no answer, count three times.
 */
const WEIGHTS: SentenceFeatures = {
  covered: 8.15,
  similar: 5.15,
  inContext: 8.92,
  inPrevious: 3.91,
  missing: -4.22,
  missingNames: -4.68,
  bigrams: 2.9,
  logTermCount: 2.41,
  similarity: 4.12,
  similarityInPlace: 5.51,
  lacksType: -1.72,
  decides: 2.22,
  startsPassage: -0.8,
  inBestPassage: 0.95,
};
const BIAS = -12.6;

/** Returns the log-odds of a sentence being the answer, relative to no sentence being the answer. */
export function scoreOf(features: SentenceFeatures): number {
  let score = BIAS;
  for (const [name, weight] of Object.entries(WEIGHTS)) score += weight * features[name as keyof SentenceFeatures];
  return score;
}
