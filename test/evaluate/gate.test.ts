import { describe, expect, it } from "vitest";
import { compareWithBaseline, describeUnpaired, findBelowLimits, findDrops, parseLimits } from "#dist/evaluate/gate.js";
import { mean } from "#dist/evaluate/metrics.js";

const estimate = (values: readonly number[]) => ({ mean: mean(values), low: 0, high: 1 });

/** A report of one measure, by setting and question. */
function report(settings: Record<string, readonly number[]>) {
  const results = Object.entries(settings).map(([name, values]) => ({
    name,
    setting: { name },
    measures: { "nDCG@10": estimate(values) },
    searchMs: { p50: 1, p95: 1, max: 1 },
    questions: values.map((value, index) => ({ id: `q${index}`, scores: { "nDCG@10": value } })),
  }));
  const statistics = { confidence: 0.95, resamples: 2000, permutations: 10_000, seed: 1 };
  return { questions: 0, results, comparisons: [], statistics };
}
type Report = ReturnType<typeof report>;

const failures = async (now: Report, before: Report, maxDrop = 0.01) =>
  findDrops(await compareWithBaseline(now, before), maxDrop).map(({ message }) => message);

describe("a drop since the baseline", () => {
  it("fails if it is significant, however small", async () => {
    const before = report({ hybrid: Array(10).fill(0.8) });
    const now = report({ hybrid: Array(10).fill(0.795) });
    expect(await failures(now, before)).toEqual([
      "hybrid: nDCG@10 fell by 0.005, from 0.8 to 0.795 over 10 questions, which is significant (p = 0.002)",
    ]);
  });

  it("fails if it exceeds the allowed drop, and says that it is not significant", async () => {
    const before = report({ hybrid: [1, 1, 1, 1] });
    const now = report({ hybrid: [1, 1, 1, 0.5] });
    expect(await failures(now, before)).toEqual([
      "hybrid: nDCG@10 fell by 0.125, from 1 to 0.875 over 4 questions, which is not significant (p = 1) but more than the allowed 0.01",
    ]);
    expect(await failures(now, before, 0.2)).toEqual([]);
  });

  it("fails if the difference is not a finite number", async () => {
    const message = "hybrid: nDCG@10 can't be compared: the difference is NaN";
    expect(await failures(report({ hybrid: [1, Number.NaN] }), report({ hybrid: [1, 1] }), 1)).toEqual([message]);
  });

  it("does not fail if no measure fell", async () => {
    const before = report({ hybrid: [0.5, 0.5, 0.5] });
    expect(await failures(before, before)).toEqual([]);
    expect(await failures(report({ hybrid: [1, 1, 1] }), before)).toEqual([]);
  });

  it("compares the questions of both reports and names the others", async () => {
    const before = report({ hybrid: [1, 1, 0], keyword: [1, 1, 1] });
    const now = report({ hybrid: [1, 1], semantic: [0, 0] });
    const [comparison, ...others] = await compareWithBaseline(now, before);
    expect(comparison).toMatchObject({ name: "hybrid", questions: 2, before: 1, now: 1, p: 1 });
    expect(others).toEqual([]);
    expect(describeUnpaired(now, before)).toEqual([
      "hybrid: 1 of the baseline's questions were not evaluated",
      "semantic is not in the baseline",
      "keyword is in the baseline but was not evaluated",
    ]);
  });

  it("is an error if the reports have nothing in common", async () => {
    await expect(compareWithBaseline(report({ a: [1] }), report({ b: [1] }))).rejects.toThrow(
      /no setting with the same/,
    );
  });
});

describe("limits", () => {
  it("apply to every setting or to one", () => {
    expect(parseLimits("nDCG@10=0.68, hybrid:recall@5=1")).toEqual([
      { setting: null, measure: "nDCG@10", minimum: 0.68 },
      { setting: "hybrid", measure: "recall@5", minimum: 1 },
    ]);
  });

  it.each(["nDCG@10", "nDCG@10=", "nDCG@10=2", "nDCG=0.5", "=0.5", "", "MRR@0=0.1"])("refuses %j", (text) => {
    expect(() => parseLimits(text)).toThrow(/must be/);
  });

  it("report the means below them, and by how much", () => {
    const evaluated = report({ hybrid: [0.5, 0.7], keyword: [0.6, 0.6] });
    expect(findBelowLimits(evaluated, parseLimits("nDCG@10=0.6"))).toEqual([]);
    expect(findBelowLimits(evaluated, parseLimits("keyword:nDCG@10=0.65")).map(({ message }) => message)).toEqual([
      "keyword: nDCG@10 is 0.6, 0.05 below the minimum of 0.65",
    ]);
    expect(() => findBelowLimits(evaluated, parseLimits("deep:nDCG@10=0.6"))).toThrow(
      /no setting deep; evaluated: hybrid, keyword/,
    );
  });
});
