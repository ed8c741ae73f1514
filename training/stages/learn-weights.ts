import type { SentenceFeatures } from "../../src/answer/sentence-features.js";

/** A question and the sentences found for it. */
export interface Example {
  /** The features of each sentence, for each question of the text. */
  readonly parts: readonly (readonly SentenceFeatures[])[];
  readonly isAnswer: readonly boolean[];
  /** Whether the documents answer it, found or not. */
  readonly isAnswerable: boolean;
  /** Whether the passages of the file with the answer were left out. */
  readonly isAnswerHidden: boolean;
  /** How much it counts; with 0 it is only measured. */
  readonly weight: number;
}

interface Model {
  readonly weights: Readonly<Record<string, number>>;
  readonly bias: number;
}

/** The sentences of one question of a text, as rows of features. */
interface Choice {
  readonly rows: readonly number[][];
  readonly isAnswer: readonly boolean[];
  readonly weight: number;
}

/** The penalty of squared weights of standardized features. */
const L2 = 5;
const STEPS = 1000;
const STEP_SIZE = 0.2;
const MOMENTUM = 0.9;

export function scoresOf(features: readonly SentenceFeatures[], { weights, bias }: Model): readonly number[] {
  return features.map((values) =>
    Object.entries(values).reduce((sum, [name, value]) => sum + value * weights[name]!, bias),
  );
}

/**
 * Multinomial logistic regression by gradient descent. The outcomes of a question are its sentences, and none of them,
 * whose score is 0. Questions whose answer wasn't found are passed over. The questions of one text share its weight.
 */
export function learnWeights(examples: readonly Example[]): Model {
  const used: readonly Choice[] = examples
    .filter(({ weight, isAnswer, isAnswerable }) => weight > 0 && isAnswer.includes(true) === isAnswerable)
    .flatMap(({ parts, isAnswer, weight }) =>
      parts.map((features) => ({
        rows: features.map((values) => Object.values(values) as number[]),
        isAnswer,
        weight: weight / parts.length,
      })),
    );
  const total = used.reduce((sum, { weight }) => sum + weight, 0);
  const names = Object.keys(examples[0]!.parts[0]![0]!);
  const { means, deviations } = standardize(used.flatMap(({ rows }) => rows));
  // The last parameter is the bias.
  const parameters = new Float64Array(names.length + 1);
  const velocity = new Float64Array(names.length + 1);
  for (let step = 0; step < STEPS; step++) {
    const gradient = parameters.map((value, at) => (at < names.length ? L2 * value : 0));
    for (const choice of used) addGradient(gradient, choice, parameters);
    for (const [at, slope] of gradient.entries()) {
      velocity[at] = MOMENTUM * velocity[at]! - (STEP_SIZE * slope) / total;
      parameters[at]! += velocity[at]!;
    }
  }
  const weights = names.map((name, at) => [name, parameters[at]! / deviations[at]!] as const);
  const bias = weights.reduce((sum, [, weight], at) => sum - weight * means[at]!, parameters.at(-1)!);
  return { weights: Object.fromEntries(weights), bias };
}

/** Standardizes the columns of rows in place. */
function standardize(rows: readonly number[][]) {
  const means = rows[0]!.map((_, at) => rows.reduce((sum, row) => sum + row[at]!, 0) / rows.length);
  const deviations = means.map(
    (mean, at) => Math.sqrt(rows.reduce((sum, row) => sum + (row[at]! - mean) ** 2, 0) / rows.length) || 1,
  );
  for (const row of rows) for (const [at, value] of row.entries()) row[at] = (value - means[at]!) / deviations[at]!;
  return { means, deviations };
}

/** Adds the gradient of a question's negative log-likelihood. */
function addGradient(gradient: Float64Array, { rows, isAnswer, weight }: Choice, parameters: Float64Array): void {
  const scores = rows.map((row) => row.reduce((sum, value, at) => sum + value * parameters[at]!, parameters.at(-1)!));
  const highest = Math.max(0, ...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const all = powers.reduce((sum, power) => sum + power, Math.exp(-highest));
  const right = powers.reduce((sum, power, index) => sum + (isAnswer[index] ? power : 0), 0);
  for (const [index, row] of rows.entries()) {
    const error = weight * (powers[index]! / all - (isAnswer[index] ? powers[index]! / right : 0));
    for (let at = 0; at < row.length; at++) gradient[at]! += error * row[at]!;
    gradient[row.length]! += error;
  }
}
