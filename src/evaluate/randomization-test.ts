import { randomNumbers } from "./random-numbers.js";
import { Breather } from "./yield-to-event-loop.js";

/** Draws where there are too many ways to go through all. */
export const PERMUTATIONS = 10_000;
/** With so many differences there are fewer ways than draws: all are counted, and the result is exact. */
const EXACT = 13;
/** Sums of the same numbers in another order differ by less. */
const ROUNDING = 1e-12;

/**
 * Paired randomization test, two-sided (Fisher; for search measures Smucker, Allan and Carterette 2007): how often would a mean difference
 * be at least as large if it were chance which of the two settings a question's result belongs to? Goes through all ways up to 13
 * questions that differ; beyond that it draws 10,000 and counts the observed one with them (Phipson and Smyth 2010), so the least is 0.0001.
 * @param differences One a question: the result under one setting less that under the other.
 * @returns p, above 0 and up to 1; 1 where no question differs.
 */
export async function randomizationTest(differences: readonly number[], seed: number): Promise<number> {
  const sizes = Float64Array.from(differences.filter((difference) => difference !== 0));
  const observed = Math.abs(sizes.reduce((sum, size) => sum + size, 0)) - ROUNDING * sizes.length;
  return sizes.length <= EXACT ? exact(sizes, observed) : drawn(sizes, observed, randomNumbers(seed));
}

function exact(sizes: Float64Array, observed: number): number {
  const ways = 2 ** sizes.length;
  let extreme = 0;
  for (let signs = 0; signs < ways; signs++) {
    let sum = 0;
    for (let at = 0; at < sizes.length; at++) sum += (signs >> at) & 1 ? sizes[at]! : -sizes[at]!;
    if (Math.abs(sum) >= observed) extreme++;
  }
  return extreme / ways;
}

async function drawn(sizes: Float64Array, observed: number, next: () => number): Promise<number> {
  const breather = new Breather();
  let extreme = 1;
  for (let draw = 0; draw < PERMUTATIONS; draw++) {
    let sum = 0;
    for (let from = 0; from < sizes.length; from += 32) {
      const signs = next();
      const to = Math.min(sizes.length, from + 32);
      for (let at = from; at < to; at++) sum += (signs >>> (at - from)) & 1 ? sizes[at]! : -sizes[at]!;
    }
    if (Math.abs(sum) >= observed) extreme++;
    await breather.after(sizes.length);
  }
  return extreme / (PERMUTATIONS + 1);
}
