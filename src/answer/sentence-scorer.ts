import type { SentenceFeatures } from "./sentence-features.js";

/**
 * The weights of the features, from a multinomial logistic regression (`npm run train:answers`) that predicts which
 * sentence answers a question, or that none does. Learned from the six sets in `training/answer-sets` and the demo's
 * tuning questions: 237 questions with an answer, 181 of them asked again without the document that answers, and 70
 * without one.
 */
const WEIGHTS: SentenceFeatures = {
  covered: 6.46,
  similar: 7.92,
  inContext: 4.43,
  missing: -1.78,
  missingNames: -4.7,
  logTermCount: 1.86,
  similarity: 10.35,
  startsPassage: -0.52,
  reciprocalRank: 1.21,
  money: 2.14,
  duration: 2.26,
  time: 1.37,
  measure: 3.43,
  person: 1.81,
  place: 3.27,
  reason: 2.56,
  frequency: 4.59,
  decision: 1.23,
  contact: 3.87,
  fraction: 6.51,
  age: 3.66,
};
const BIAS = -10.09;

/** Returns the log-odds of a sentence being the answer, relative to no sentence being the answer. */
export function scoreOf(features: SentenceFeatures): number {
  let score = BIAS;
  for (const [name, weight] of Object.entries(WEIGHTS)) score += weight * features[name as keyof SentenceFeatures];
  return score;
}
