import type { SentenceFeatures } from "./sentence-features.js";

/**
 * The weights of the features, from a multinomial logistic regression (`npm run train:answers`) that predicts which
 * sentence answers a question, or that none does. Learned from the six sets in `training/answer-sets` and the demo's
 * tuning questions: 267 questions with an answer, of which 30 are in the documents' own words; 211 of them asked again
 * without the document that answers; and 70 without one.
 */
const WEIGHTS: SentenceFeatures = {
  covered: 6.35,
  similar: 7.89,
  inContext: 4.45,
  missing: -1.68,
  missingNames: -4.71,
  count: 0.99,
  logTermCount: 1.75,
  similarity: 10.46,
  startsPassage: -0.52,
  reciprocalRank: 1.25,
  money: 2.18,
  duration: 2.14,
  time: 1.2,
  measure: 3.49,
  person: 1.9,
  place: 3.3,
  reason: 2.65,
  frequency: 4.67,
  decision: 1.31,
  contact: 3.94,
  fraction: 6.52,
  age: 3.78,
};
const BIAS = -10.12;

/** Returns the log-odds of a sentence being the answer, relative to no sentence being the answer. */
export function scoreOf(features: SentenceFeatures): number {
  let score = BIAS;
  for (const [name, weight] of Object.entries(WEIGHTS)) score += weight * features[name as keyof SentenceFeatures];
  return score;
}
