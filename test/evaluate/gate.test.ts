import { describe, expect, it } from "vitest";
import { belowLimits, compareWithBaseline, fallen, parseLimits, unpaired } from "#dist/evaluate/gate.js";
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
  fallen(await compareWithBaseline(now, before), maxDrop).map(({ message }) => message);

describe("a fall since the baseline", () => {
  it("fails where it is significant, however small", async () => {
    const before = report({ hybrid: Array(10).fill(0.8) });
    const now = report({ hybrid: Array(10).fill(0.795) });
    expect(await failures(now, before)).toEqual([
      "hybrid: nDCG@10 fell by 0.005, from 0.8 to 0.795 over 10 questions, which is significant (p = 0.002)",
    ]);
  });

  it("fails where it is more than is allowed, and says that it is not significant", async () => {
    const before = report({ hybrid: [1, 1, 1, 1] });
    const now = report({ hybrid: [1, 1, 1, 0.5] });
    expect(await failures(now, before)).toEqual([
      "hybrid: nDCG@10 fell by 0.125, from 1 to 0.875 over 4 questions, which is not significant (p = 1) but more than the 0.01 that is allowed",
    ]);
    expect(await failures(now, before, 0.2)).toEqual([]);
  });

  it("does not fail where nothing fell, or a measure rose", async () => {
    const before = report({ hybrid: [0.5, 0.5, 0.5] });
    expect(await failures(before, before)).toEqual([]);
    expect(await failures(report({ hybrid: [1, 1, 1] }), before)).toEqual([]);
  });

  it("is over the questions that both asked, and what is not paired is told", async () => {
    const before = report({ hybrid: [1, 1, 0], keyword: [1, 1, 1] });
    const now = report({ hybrid: [1, 1], semantic: [0, 0] });
    const [comparison, ...others] = await compareWithBaseline(now, before);
    expect(comparison).toMatchObject({ name: "hybrid", questions: 2, before: 1, now: 1, p: 1 });
    expect(others).toEqual([]);
    expect(unpaired(now, before)).toEqual([
      "hybrid: not asked: 1 of the baseline's questions",
      "semantic is not in the baseline",
      "keyword of the baseline was not evaluated",
    ]);
  });

  it("can't be told where the two have nothing in common", async () => {
    await expect(compareWithBaseline(report({ a: [1] }), report({ b: [1] }))).rejects.toThrow(
      /no setting with the same/,
    );
  });
});

describe("limits", () => {
  it("are for every setting or for one", () => {
    expect(parseLimits("nDCG@10=0.68, hybrid:recall@5=1")).toEqual([
      { setting: null, measure: "nDCG@10", least: 0.68 },
      { setting: "hybrid", measure: "recall@5", least: 1 },
    ]);
  });

  it.each(["nDCG@10", "nDCG@10=", "nDCG@10=2", "nDCG=0.5", "=0.5", "", "MRR@0=0.1"])("refuse %j", (text) => {
    expect(() => parseLimits(text)).toThrow(/must be/);
  });

  it("say what is below them, and by how much", () => {
    const evaluated = report({ hybrid: [0.5, 0.7], keyword: [0.6, 0.6] });
    expect(belowLimits(evaluated, parseLimits("nDCG@10=0.6"))).toEqual([]);
    expect(belowLimits(evaluated, parseLimits("keyword:nDCG@10=0.65")).map(({ message }) => message)).toEqual([
      "keyword: nDCG@10 is 0.6, below the 0.65 that is asked for by 0.05",
    ]);
    expect(() => belowLimits(evaluated, parseLimits("deep:nDCG@10=0.6"))).toThrow(
      /no setting deep; evaluated: hybrid, keyword/,
    );
  });
});
