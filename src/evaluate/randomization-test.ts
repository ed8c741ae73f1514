import { EventLoopYielder } from "./event-loop-yielder.js";
import { createRandomNumbers } from "./random-numbers.js";

/** The number of sign assignments to draw if there are too many to enumerate. */
export const PERMUTATIONS = 10_000;
/** Up to this many differences, there are fewer sign assignments than draws, so all are enumerated: an exact test. */
const MAX_EXACT_DIFFERENCES = 13;
/** Sums of the same numbers in another order differ by less. */
const ROUNDING_ERROR = 1e-12;

/**
 * Paired randomization test, two-sided (Fisher; for search measures Smucker, Allan and Carterette 2007): how often
 * would a mean difference be at least as large if chance assigned the results of each question to the settings? Exact
 * for up to 13 questions that differ. For more, it draws 10,000 assignments and counts the observed one with them
 * (Phipson and Smyth 2010), so the minimum is 0.0001.
 * @param differences For each question, its result under one setting minus that under the other.
 * @returns The p-value, above 0 and up to 1; 1 if no question differs
 */
export async function randomizationTest(differences: readonly number[], seed: number): Promise<number> {
  const nonZero = Float64Array.from(differences.filter((difference) => difference !== 0));
  const observed = Math.abs(nonZero.reduce((sum, value) => sum + value, 0)) - ROUNDING_ERROR * nonZero.length;
  return nonZero.length <= MAX_EXACT_DIFFERENCES
    ? testExactly(nonZero, observed)
    : testBySampling(nonZero, observed, createRandomNumbers(seed));
}

function testExactly(values: Float64Array, observed: number): number {
  const assignments = 2 ** values.length;
  let extreme = 0;
  for (let signs = 0; signs < assignments; signs++) {
    let sum = 0;
    for (let index = 0; index < values.length; index++) {
      sum += (signs >> index) & 1 ? values[index]! : -values[index]!;
    }
    if (Math.abs(sum) >= observed) extreme++;
  }
  return extreme / assignments;
}

async function testBySampling(values: Float64Array, observed: number, next: () => number): Promise<number> {
  const yielder = new EventLoopYielder();
  let extreme = 1;
  for (let draw = 0; draw < PERMUTATIONS; draw++) {
    let sum = 0;
    for (let from = 0; from < values.length; from += 32) {
      const signs = next();
      const to = Math.min(values.length, from + 32);
      for (let index = from; index < to; index++) {
        sum += (signs >>> (index - from)) & 1 ? values[index]! : -values[index]!;
      }
    }
    if (Math.abs(sum) >= observed) extreme++;
    await yielder.yieldAfter(values.length);
  }
  return extreme / (PERMUTATIONS + 1);
}
