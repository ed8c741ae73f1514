import { expect, it } from "vitest";
import { overlap, rankBiasedOverlap } from "#dist/evaluate/rank-agreement.js";

const TWELVE = Array.from({ length: 12 }, (_, index) => `hit ${index}`);

it("is 1 for the same hits, and 0 for others", () => {
  for (const measure of [overlap, rankBiasedOverlap]) {
    expect(measure(TWELVE, TWELVE)).toBeCloseTo(1, 12);
    expect(measure(["a", "b"], ["c", "d"])).toBe(0);
    expect(measure([], [])).toBe(1);
    expect(measure(["a"], [])).toBe(0);
    expect(measure([], ["a"])).toBe(0);
    // Beyond the tenth, hits don't count.
    expect(measure(TWELVE, TWELVE.slice(0, 10))).toBeCloseTo(1, 12);
  }
});

it("counts common hits in any order, or the first ranks most", () => {
  expect(overlap(["a", "b", "c"], ["c", "x", "a"])).toBeCloseTo(2 / 3, 12);
  expect(overlap(["a"], ["a", "b", "c", "d"])).toBe(0.25);
  // Agreements of 1, 1/2 and 1: (0.9 + 0.5 × 0.81 + 0.729) × 0.1 / 0.9 + 0.729.
  expect(rankBiasedOverlap(["a", "b", "c"], ["a", "c", "b"])).toBeCloseTo(0.955, 12);
  // Agreements of 0, 1 and 1: (0.81 + 0.729) × 0.1 / 0.9 + 0.729.
  expect(rankBiasedOverlap(["a", "b", "c"], ["b", "a", "c"])).toBeCloseTo(0.9, 12);
});

it("takes the shorter ranking to go on as it began", () => {
  expect(rankBiasedOverlap(["a"], ["a", "b"])).toBeCloseTo(1, 12);
  // The formula for l = 3, s = 2, X = 0, 1, 2: (0.81 / 2 + 0.729 × 2 / 3 + 0.729 / 6) × 0.1 / 0.9 + (1 / 3 + 1 / 2) × 0.729.
  const expected = ((0.405 + 0.486 + 0.1215) * 0.1) / 0.9 + (1 / 3 + 1 / 2) * 0.729;
  expect(rankBiasedOverlap(["x", "a"], ["a", "b", "x"])).toBeCloseTo(expected, 12);
  expect(rankBiasedOverlap(["a", "b", "x"], ["x", "a"])).toBeCloseTo(expected, 12);
});
