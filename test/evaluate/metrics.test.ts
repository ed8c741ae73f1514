import { describe, expect, it } from "vitest";
import { mean, ndcg, quantile, recall, reciprocalRank } from "#dist/evaluate/metrics.js";

const judged = (grades: Record<string, number>) => new Map(Object.entries(grades));

describe("nDCG", () => {
  it("is 1 for the ideal order and 0 if nothing relevant is found", () => {
    expect(ndcg(["a", "b", "x"], judged({ a: 1, b: 1 }), 10)).toBe(1);
    expect(ndcg(["x", "y"], judged({ a: 1 }), 10)).toBe(0);
    expect(ndcg([], judged({ a: 1 }), 10)).toBe(0);
  });

  it("discounts by log2(rank + 1)", () => {
    // One relevant document on rank 3: 1 / log2(4).
    expect(ndcg(["x", "y", "a"], judged({ a: 1 }), 10)).toBeCloseTo(0.5, 12);
    // Ranks 1 and 3 of two relevant: (1 + 0.5) / (1 + 1 / log2(3)) = 1.5 / 1.6309297536.
    expect(ndcg(["a", "x", "b"], judged({ a: 1, b: 1 }), 10)).toBeCloseTo(0.9197207891, 9);
  });

  it("uses the grade itself as gain", () => {
    // (1 + 3 / log2(3)) / (3 + 1 / log2(3)) = 2.8927892607 / 3.6309297536.
    expect(ndcg(["b", "a"], judged({ a: 3, b: 1 }), 10)).toBeCloseTo(0.796707581, 9);
  });

  it("truncates ranking and ideal at the depth", () => {
    expect(ndcg(["x", "a"], judged({ a: 1 }), 1)).toBe(0);
    const twelve = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`d${index}`, 1]));
    expect(ndcg(Object.keys(twelve), judged(twelve), 10)).toBe(1);
  });

  it("counts grades of zero and below as not relevant", () => {
    expect(ndcg(["n", "a"], judged({ n: -1, z: 0, a: 1 }), 10)).toBeCloseTo(0.6309297536, 9);
    expect(ndcg(["z"], judged({ z: 0 }), 10)).toBe(0);
  });
});

describe("recall", () => {
  it("is the fraction of relevant documents that were found", () => {
    const relevant = judged({ a: 1, b: 2, c: 1, z: 0 });
    expect(recall(["a", "x", "b", "c"], relevant, 10)).toBe(1);
    expect(recall(["a", "x", "b", "c"], relevant, 3)).toBeCloseTo(2 / 3, 12);
    expect(recall(["z"], relevant, 10)).toBe(0);
    expect(recall(["z"], judged({ z: 0 }), 10)).toBe(0);
  });
});

describe("reciprocal rank", () => {
  it("depends on the first relevant document only", () => {
    expect(reciprocalRank(["x", "a", "b"], judged({ a: 1, b: 1 }), 10)).toBe(0.5);
    expect(reciprocalRank(["x", "y", "z", "a"], judged({ a: 1 }), 10)).toBe(0.25);
    expect(reciprocalRank(["x", "a"], judged({ a: 1 }), 1)).toBe(0);
  });
});

describe("mean and quantile", () => {
  it("compute the average and the ranked value", () => {
    expect(mean([1, 2, 6])).toBe(3);
    expect(mean([])).toBe(0);
    expect(quantile([5, 1, 3], 0.5)).toBe(3);
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2);
    expect(quantile([1, 2, 3, 4], 0.99)).toBe(4);
    expect(quantile([], 0.5)).toBe(0);
  });
});
