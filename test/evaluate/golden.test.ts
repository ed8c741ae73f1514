import type { NamespaceHandle } from "lorebase";
import { type EvaluationReport, evaluate, type GoldenQuestion } from "lorebase/evaluate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const kb = openKnowledgeBase();
let keeper: NamespaceHandle;
beforeAll(async () => {
  keeper = await newNamespace(kb);
  const items = [
    { fileName: "lamp.txt", text: "The lamp is lit thirty  minutes before SUNSET.⁂The lamp is cleaned on Mondays." },
    { fileName: "fog.txt", text: "The fog signal gives one blast every thirty seconds." },
    { fileName: "birds.txt", text: "Puffins nest in burrows from April to July." },
  ].map((item) => ({ type: "TEXT" as const, ...item }));
  await (await keeper.ingest({ type: "BATCH", items }, { delimiter: "⁂", externalId: "notes" })).done();
  await (
    await keeper.ingest(
      { type: "TEXT", text: "Ships keep a mile off the rocks.", fileName: "rocks.txt" },
      { externalId: "rocks" },
    )
  ).done();
  await (
    await keeper.tenant("acme").ingest({ type: "TEXT", text: "Acme's lamp is red.", fileName: "acme.txt" })
  ).done();
});
afterAll(() => kb.close());

const words = { settings: [{ name: "words", mode: "keyword" as const }] };

async function means(questions: readonly GoldenQuestion[], measures = ["nDCG@10", "recall@10", "MRR@10"]) {
  const { results } = await evaluate(keeper, questions, { ...words, measures });
  return Object.fromEntries(Object.entries(results[0]!.measures).map(([name, { mean }]) => [name, mean]));
}

describe("an answer matches", () => {
  it.each<[string, GoldenQuestion["answers"][number], number]>([
    ["by the name of its document", { document: "lamp.txt" }, 1],
    ["by another document's name", { document: "fog.txt" }, 0],
    ["by the external id that it came with", { externalId: "notes" }, 1],
    ["by another external id", { externalId: "rocks" }, 0],
    [
      "by text, without regard to case, spaces and forms of characters",
      { contains: "ｔhirty minutes  before sunset" },
      1,
    ],
    ["by text that no passage has", { contains: "an hour before sunset" }, 0],
    ["by all of its conditions", { document: "lamp.txt", contains: "thirty minutes" }, 1],
    ["not by some of its conditions", { document: "fog.txt", contains: "thirty minutes" }, 0],
  ])("%s", async (_, answer, recall) => {
    expect(await means([{ question: "when is the lamp lit before sunset", answers: [answer] }])).toMatchObject({
      "recall@10": recall,
      "MRR@10": recall,
    });
  });

  it("by the id of its document", async () => {
    const [hit] = await keeper.search("puffins", { mode: "keyword" });
    const answers = [{ document: String(hit!.metadata!.documentId) }];
    expect(await means([{ question: "puffins", answers }])).toMatchObject({ "MRR@10": 1 });
  });
});

it("an answer matches only on the pages of its passage", async () => {
  const handbook = await newNamespace(kb);
  await (await handbook.ingest({ file: "examples/data/volunteer-handbook.pdf" })).done();
  const question = "how many people must be on duty";
  const [hit] = await handbook.search(question, { mode: "keyword", topK: 1 });
  const pages = new Set(hit!.boxes!.map(({ page }) => page));
  expect(pages.size).toBeGreaterThan(0);
  for (const page of [1, 2, 3, 4]) {
    const answers = [{ document: "volunteer-handbook.pdf", page, contains: hit!.text.slice(0, 80) }];
    const { results } = await evaluate(handbook, [{ question, answers }], words);
    expect(results[0]!.measures["recall@10"]!.mean, `page ${page}`).toBe(pages.has(page) ? 1 : 0);
  }
});

it("counts every answer of a question, each at the rank of its first passage", async () => {
  // Both passages of lamp.txt match the first answer; the third hit matches the second.
  const question = "lamp thirty";
  const hits = await keeper.search(question, { mode: "keyword" });
  const files = hits.map(({ metadata }) => metadata!.filename);
  expect(files).toEqual(["lamp.txt", expect.any(String), expect.any(String)]);
  const answers = [{ document: "lamp.txt" }, { document: "fog.txt" }, { document: "birds.txt" }];
  // Found: lamp at rank 1, fog at rank 2, since the second passage of lamp.txt has no rank. Not found: birds.
  const ideal = 1 + 1 / Math.log2(3) + 1 / Math.log2(4);
  const measured = await means([{ question, answers }], ["nDCG@10", "recall@10", "recall@1", "MRR@1"]);
  expect(measured["recall@10"]).toBeCloseTo(2 / 3, 12);
  expect(measured["recall@1"]).toBeCloseTo(1 / 3, 12);
  expect(measured["nDCG@10"]).toBeCloseTo((1 + 1 / Math.log2(3)) / ideal, 12);
  expect(measured["MRR@1"]).toBe(1);
});

it("weighs answers by their grade", async () => {
  const answers = [{ document: "lamp.txt" }, { document: "birds.txt", grade: 3 }];
  const { "nDCG@10": ndcg } = await means([{ question: "lamp lit before sunset", answers }]);
  expect(ndcg).toBeCloseTo(1 / (3 + 1 / Math.log2(3)), 12);
});

describe("settings", () => {
  const questions = [
    { question: "when is the lamp lit", answers: [{ document: "lamp.txt" }] },
    { id: "fog", question: "fog signal", answers: [{ document: "fog.txt" }] },
    { question: "puffins", answers: [{ document: "birds.txt" }] },
  ];

  it("default to the three modes, each compared with the first", async () => {
    const report = await evaluate(keeper, questions);
    expect(report.results.map(({ name }) => name)).toEqual(["keyword", "semantic", "hybrid"]);
    expect(report.results[0]!.questions.map(({ id }) => id)).toEqual(["when is the lamp lit", "fog", "puffins"]);
    expect(new Set(report.comparisons.map(({ name, to }) => `${name} to ${to}`))).toEqual(
      new Set(["semantic to keyword", "hybrid to keyword"]),
    );
  });

  it("that are equal have a difference of 0 with p = 1", async () => {
    const settings = ["one", "two"].map((name) => ({ name, mode: "hybrid" as const, topK: 5 }));
    const { comparisons } = await evaluate(keeper, questions, { settings });
    expect(comparisons).toHaveLength(4);
    for (const { difference, p } of comparisons) expect([difference, p]).toEqual([{ mean: 0, low: 0, high: 0 }, 1]);
  });

  it("accept search options and another namespace", async () => {
    const empty = await newNamespace(kb);
    await (await empty.ingest({ type: "TEXT", text: "Nothing of this.", fileName: "lamp.txt" })).done();
    const settings = [
      { name: "all", mode: "keyword" as const },
      { name: "strict", mode: "keyword" as const, keywordFilter: "red" },
      { name: "elsewhere", mode: "keyword" as const, namespace: empty.ref },
    ];
    const report = await evaluate(keeper, questions.slice(0, 1), { settings, namespace: (ref) => kb.namespace(ref) });
    expect(report.results.map(({ measures }) => measures["recall@10"]!.mean)).toEqual([1, 0, 0]);
    const { message } = await failureOf(() => evaluate(keeper, questions.slice(0, 1), { settings }));
    expect(message).toContain(`settings[2].namespace is "${empty.ref}", which needs the option namespace`);
  });

  it("are reported as passed", async () => {
    const settings = [{ name: "ranks", mode: "hybrid" as const, fusion: "rrf" as const }];
    const { results } = await evaluate(keeper, questions, { settings });
    expect(results[0]!.setting).toEqual(settings[0]);
  });

  it("search only the documents of the handle's tenant", async () => {
    const question = { question: "lamp", answers: [{ document: "acme.txt" }] };
    const report = await evaluate(keeper.tenant("acme"), [question], words);
    expect(report.results[0]!.measures["MRR@10"]!.mean).toBe(1);
    const failure = await failureOf(() => evaluate(keeper, [question], words));
    expect(failure.message).toContain('answers[0].document is "acme.txt", which no document');
  });
});

it("returns the same report for the same seed, and reports progress", async () => {
  const questions = ["lamp", "fog", "puffins"].map((question) => ({ question, answers: [{ document: "fog.txt" }] }));
  const steps: string[] = [];
  const onProgress = ({ phase, done, total }: { phase: string; done: number; total: number }) =>
    steps.push(`${phase} ${done}/${total}`);
  const plain = ({ results, comparisons }: EvaluationReport) => [results.map(({ measures }) => measures), comparisons];
  const report = await evaluate(keeper, questions, { ...words, seed: 7, onProgress });
  expect(plain(await evaluate(keeper, questions, { ...words, seed: 7 }))).toEqual(plain(report));
  expect(report.statistics).toEqual({ confidence: 0.95, resamples: 2000, permutations: 10_000, seed: 7 });
  expect(steps).toEqual(["words 1/3", "words 2/3", "words 3/3"]);
});

const one = { question: "lamp", answers: [{ document: "lamp.txt" }] };
it.each<[string, unknown, object, RegExp]>([
  ["no questions", [], {}, /^questions: /],
  ["no answers", [{ question: "a", answers: [] }], {}, /questions\[0\]\.answers/],
  [
    "an answer without a condition",
    [{ question: "a", answers: [{ grade: 2 }] }],
    {},
    /answers\[0\]: must have a document/,
  ],
  [
    "a page without a document",
    [{ question: "a", answers: [{ page: 2, contains: "a" }] }],
    {},
    /must also name the document/,
  ],
  [
    "a grade whose sums could be infinite",
    [{ question: "a", answers: [{ contains: "a", grade: 1001 }] }],
    {},
    /\.grade/,
  ],
  ["a very long name", [{ question: "a", answers: [{ document: "d".repeat(1001) }] }], {}, /answers\[0\]\.document/],
  ["an unknown condition", [{ question: "a", answers: [{ documnet: "x" }] }], {}, /did you mean "document"/],
  ["a repeated question", [one, one], {}, /questions\[1\]\.id: has the id of an earlier question, "lamp"/],
  ["an unknown document", [{ question: "a", answers: [{ document: "lamb.txt" }] }], {}, /did you mean "lamp.txt"/],
  [
    "an unknown external id",
    [{ question: "a", answers: [{ externalId: "note" }] }],
    {},
    /externalId is "note".* "notes"/,
  ],
  ["a repeated setting", [one], { settings: [{ name: "a" }, { name: "a" }] }, /settings\[1\]\.name is "a"/],
  ["an unknown option", [one], { settings: [{ name: "a", mod: "keyword" }] }, /settings\[0\].*did you mean "mode"/],
  [
    "an option that does not affect the ranking",
    [one],
    { settings: [{ name: "a", explain: true }] },
    /unknown key "explain"/,
  ],
  ["an invalid option", [one], { settings: [{ name: "a", topK: 1000 }] }, /settings\[0\]\.topK/],
  [
    "an embedding",
    [one],
    { settings: [{ name: "a", embedding: { provider: "X" } }] },
    /the setting a has an embedding/,
  ],
  ["an unknown measure", [one], { measures: ["nDCG"] }, /measures must be nDCG@k.*, not "nDCG"/],
  ["a depth beyond 100", [one], { measures: ["recall@101"] }, /k from 1 to 100/],
])("refuses %s", async (_, questions, options, message) => {
  const failure = await failureOf(() => evaluate(keeper, questions as GoldenQuestion[], options));
  expect(failure.code).toBe("invalid_input");
  expect(failure.message).toMatch(message);
});

it("stops with its signal", async () => {
  await expect(evaluate(keeper, [one], { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
});
