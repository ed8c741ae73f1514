import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bootstrap } from "#dist/evaluate/bootstrap.js";
import { mean } from "#dist/evaluate/metrics.js";
import { createRandomNumbers } from "#dist/evaluate/random-numbers.js";
import { randomizationTest } from "#dist/evaluate/randomization-test.js";

/** Typical scores: fractions from 0 to 1, many of them equal. */
const value = fc.integer({ min: 0, max: 20 }).map((twentieths) => twentieths / 20);
const values = fc.array(value, { minLength: 1, maxLength: 60 });
const seed = fc.integer({ min: 0, max: 1_000_000 });
/** Rounding tolerance of an interval whose end is the mean. */
const ROUNDING = 1e-12;

describe("the bootstrap", () => {
  it("returns an interval around the mean and within the extremes", async () => {
    await fc.assert(
      fc.asyncProperty(values, seed, async (drawn, seed) => {
        const { mean: centre, low, high } = await bootstrap(drawn, seed);
        expect(centre).toBe(mean(drawn));
        expect(low).toBeGreaterThanOrEqual(Math.min(...drawn) - ROUNDING);
        expect(low).toBeLessThanOrEqual(centre + ROUNDING);
        expect(high).toBeGreaterThanOrEqual(centre - ROUNDING);
        expect(high).toBeLessThanOrEqual(Math.max(...drawn) + ROUNDING);
        expect(await bootstrap(drawn, seed)).toEqual({ mean: centre, low, high });
      }),
      { numRuns: 100 },
    );
  });

  it("returns an empty interval if all scores are equal", async () => {
    expect(await bootstrap([0.5, 0.5, 0.5], 1)).toEqual({ mean: 0.5, low: 0.5, high: 0.5 });
    expect(await bootstrap([], 1)).toEqual({ mean: 0, low: 0, high: 0 });
  });

  it("agrees with the normal approximation for many questions", async () => {
    // 400 questions, half 0 and half 1: 0.5 ± 1.96 · 0.5 / √400 = 0.451 to 0.549.
    const { low, high } = await bootstrap(
      Array.from({ length: 400 }, (_, index) => index % 2),
      1,
    );
    expect(low).toBeCloseTo(0.451, 2);
    expect(high).toBeCloseTo(0.549, 2);
  });
});

describe("the paired randomization test", () => {
  it.each<[string, number[], number]>([
    ["nothing differs", [0, 0, 0], 1],
    ["there is no question", [], 1],
    ["one differs: either sign is as large", [0.4], 1],
    // Of the 8 sign assignments of 1, 1, 1, two have an absolute sum of 3.
    ["three of the same sign", [1, 1, 1], 2 / 8],
    // Of 16: the absolute sums of 1, 1, 1, -1 are 4 (2), 2 (8) and 0 (6); 10 are at least 2.
    ["three against one", [1, 1, 1, -1], 10 / 16],
    // Of 4: ±3 and ±1; the observed sum is 1, so all are at least as large.
    ["two that nearly cancel", [2, -1], 1],
    ["those that don't differ change nothing", [0, 1, 0, 1, 1, 0], 2 / 8],
    ["ten of the same sign", Array(10).fill(0.1), 2 / 1024],
  ])("counts every way where %s", async (_, differences, p) => {
    expect(await randomizationTest(differences, 1)).toBe(p);
  });

  it("returns the same p for both directions, and 1 for no difference", async () => {
    await fc.assert(
      fc.asyncProperty(values, values, seed, async (a, b, seed) => {
        const differences = a.map((value, index) => value - (b[index] ?? 0));
        const p = await randomizationTest(differences, seed);
        expect(p).toBeGreaterThan(0);
        expect(p).toBeLessThanOrEqual(1);
        expect(
          await randomizationTest(
            differences.map((difference) => -difference),
            seed,
          ),
        ).toBeCloseTo(p, 12);
        expect(
          await randomizationTest(
            a.map((value) => value - value),
            seed,
          ),
        ).toBe(1);
      }),
      { numRuns: 40 },
    );
  });

  it("samples if there are too many assignments, close to the exact result", async () => {
    // 14 differences of 1: 2 of 2¹⁴ assignments. The minimum for 10,000 draws is 1 of 10,001.
    const p = await randomizationTest(Array(14).fill(1), 1);
    expect(p).toBeGreaterThanOrEqual(1 / 10_001);
    expect(p).toBeLessThan(0.001);
    // 100 against 80 of size 1: the normal approximation of a sum of 20 with a deviation of √180 is p = 0.136, with
    // continuity 0.157.
    const differences = Array.from({ length: 180 }, (_, index) => (index < 100 ? 1 : -1));
    expect(await randomizationTest(differences, 1)).toBeCloseTo(0.157, 1);
    expect(await randomizationTest(differences, 2)).toBeCloseTo(await randomizationTest(differences, 1), 1);
  });
});

it("random numbers of near seeds are not correlated", () => {
  const of = (seed: number) => {
    const next = createRandomNumbers(seed);
    return Array.from({ length: 2000 }, () => next() / 2 ** 32);
  };
  for (const [a, b] of [[0, 1] as const, [1, 2] as const, [41, 42] as const]) {
    const [first, second] = [of(a), of(b)];
    expect(mean(first)).toBeCloseTo(0.5, 1);
    // The correlation of independent uniforms: 0, with a deviation of 1/√2000 = 0.022.
    const correlation = 12 * (mean(first.map((value, index) => value * second[index]!)) - mean(first) * mean(second));
    expect(Math.abs(correlation)).toBeLessThan(0.1);
  }
});
