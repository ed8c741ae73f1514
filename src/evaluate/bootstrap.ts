import { mean } from "./metrics.js";
import { randomNumbers } from "./random-numbers.js";
import { Breather } from "./yield-to-event-loop.js";

/** Share of the resampled means that an interval holds. */
export const CONFIDENCE = 0.95;
/** Enough for the ends of a 95 % interval (Efron and Tibshirani 1993, §14.3, ask for 1000 and more). */
export const RESAMPLES = 2000;

/** A mean and its 95 % confidence interval, by bootstrap. */
export interface ConfidenceInterval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Percentile bootstrap of a mean (Efron 1979; for search measures Sakai 2006): questions are drawn again with replacement 2000 times, and
 * the interval goes from the 2.5th to the 97.5th percentile of the means. It tells how far the mean depends on which questions were
 * asked. All zero for no values.
 */
export async function bootstrap(values: readonly number[], seed: number): Promise<ConfidenceInterval> {
  if (values.length === 0) return { mean: 0, low: 0, high: 0 };
  const centre = mean(values);
  const next = randomNumbers(seed);
  const breather = new Breather();
  const means = new Float64Array(RESAMPLES);
  for (let resample = 0; resample < RESAMPLES; resample++) {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn++) sum += values[next() % values.length]!;
    means[resample] = sum / values.length;
    await breather.after(values.length);
  }
  means.sort();
  const tail = (1 - CONFIDENCE) / 2;
  return {
    mean: centre,
    low: means[Math.floor(tail * RESAMPLES)]!,
    high: means[Math.ceil((1 - tail) * RESAMPLES) - 1]!,
  };
}
