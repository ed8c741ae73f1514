import { EventLoopYielder } from "./event-loop-yielder.js";
import { mean } from "./metrics.js";
import { createRandomNumbers } from "./random-numbers.js";

/** The confidence level of the intervals. */
export const CONFIDENCE = 0.95;
/** The number of resamples: enough for a 95 % interval (Efron and Tibshirani 1993, §14.3, recommend 1000 or more). */
export const RESAMPLES = 2000;

/** A mean and its 95 % bootstrap confidence interval. */
export interface ConfidenceInterval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Computes a mean with its percentile bootstrap interval (Efron 1979; for search measures Sakai 2006): draws 2000
 * resamples of the questions with replacement and takes the 2.5th and 97.5th percentiles of their means. The interval
 * shows how much the mean depends on the choice of questions. Returns zeros if there are no values.
 */
export async function bootstrap(values: readonly number[], seed: number): Promise<ConfidenceInterval> {
  if (values.length === 0) return { mean: 0, low: 0, high: 0 };
  const nextRandom = createRandomNumbers(seed);
  const yielder = new EventLoopYielder();
  const means = new Float64Array(RESAMPLES);
  for (let resample = 0; resample < RESAMPLES; resample++) {
    let sum = 0;
    for (let draw = 0; draw < values.length; draw++) sum += values[nextRandom() % values.length]!;
    means[resample] = sum / values.length;
    await yielder.yieldAfter(values.length);
  }
  means.sort();
  const tail = (1 - CONFIDENCE) / 2;
  return {
    mean: mean(values),
    low: means[Math.floor(tail * RESAMPLES)]!,
    high: means[Math.ceil((1 - tail) * RESAMPLES) - 1]!,
  };
}
