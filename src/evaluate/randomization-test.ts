import { EventLoopYielder } from "./event-loop-yielder.js";
import { createRandomNumbers } from "./random-numbers.js";

/** The number of random sign assignments to draw if there are too many to enumerate. */
export const PERMUTATIONS = 10_000;
/** Up to this many differences have fewer sign assignments than draws, so all are enumerated: an exact test. */
const MAX_EXACT_DIFFERENCES = 13;
/** The most by which two sums of the same numbers in different orders differ, divided by the count of the numbers. */
const ROUNDING_ERROR = 1e-12;

/**
 * Runs a two-sided paired randomization test (Fisher; for search Smucker, Allan and Carterette 2007): how often would
 * the mean difference be at least as large if chance assigned the scores of each question to the settings? The
 * test is exact for up to 13 questions that differ. For more, it draws 10,000 random assignments and adds the observed
 * one (Phipson and Smyth 2010), so the minimum is 0.0001.
 * @param differences For each question, the score under one setting minus the score under the other.
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
  const assignmentCount = 2 ** values.length;
  let extremeCount = 0;
  for (let signs = 0; signs < assignmentCount; signs++) {
    let sum = 0;
    for (let index = 0; index < values.length; index++) {
      sum += (signs >> index) & 1 ? values[index]! : -values[index]!;
    }
    if (Math.abs(sum) >= observed) extremeCount++;
  }
  return extremeCount / assignmentCount;
}

async function testBySampling(values: Float64Array, observed: number, nextRandom: () => number): Promise<number> {
  const yielder = new EventLoopYielder();
  let extremeCount = 1;
  for (let draw = 0; draw < PERMUTATIONS; draw++) {
    let sum = 0;
    for (let from = 0; from < values.length; from += 32) {
      const signs = nextRandom();
      const to = Math.min(values.length, from + 32);
      for (let index = from; index < to; index++) {
        sum += (signs >>> (index - from)) & 1 ? values[index]! : -values[index]!;
      }
    }
    if (Math.abs(sum) >= observed) extremeCount++;
    await yielder.yieldAfter(values.length);
  }
  return extremeCount / (PERMUTATIONS + 1);
}
