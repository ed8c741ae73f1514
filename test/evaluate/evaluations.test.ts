import type { NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, expect, it } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const kb = openKnowledgeBase();
afterAll(() => kb.close());

const WORDS = { name: "words", mode: "keyword" } as const;
const LAMP = { id: "lamp", question: "When is the lamp lit?", answers: [{ contains: "before sunset" }] };
const BELL = { question: "When is the bell rung?", answers: [{ document: "bell.md" }] };

let namespace: NamespaceHandle;
beforeAll(async () => {
  namespace = await newNamespace(kb);
  await namespace.ingest({ type: "TEXT", text: "The lamp is lit before sunset.", fileName: "lamp.md" }).done();
  await namespace.ingest({ type: "TEXT", text: "In fog, the bell is rung.", fileName: "bell.md" }).done();
  await namespace.goldenQuestions.import([LAMP, BELL]);
});

it("measure the active questions of their own tenant, and are kept", async () => {
  const { goldenQuestions, evaluations } = namespace;
  await goldenQuestions.add({ ...BELL, key: "draft", status: "draft" });
  await namespace.tenant("acme").goldenQuestions.add({ ...BELL, key: "theirs" });
  const run = await evaluations.run({ name: "first", settings: [{ name: "both" }, WORDS], measures: ["recall@5"] });
  expect(run).toMatchObject({ name: "first", tenantId: null, questions: 2, skipped: [] });
  expect(run.embeddingConfig.provider).toBe("MANAGED_LEXICAL");
  expect(run.results.map(({ name, setting }) => [name, setting])).toEqual([
    ["both", { name: "both" }],
    ["words", WORDS],
  ]);
  expect(run.results[1]!.questions).toEqual([
    { id: "lamp", scores: { "recall@5": 1 } },
    { id: BELL.question, scores: { "recall@5": 1 } },
  ]);
  expect(run.comparisons).toMatchObject([{ name: "words", to: "both", measure: "recall@5", p: 1 }]);
  expect(await evaluations.get(run.id)).toEqual(run);
  const [summary] = (await evaluations.list()).items;
  expect(summary).toEqual({ ...run, results: run.results.map(({ questions: _, ...result }) => result) });
  expect((await namespace.tenant("acme").evaluations.list()).items).toEqual([]);
  expect(await evaluations.delete(run.id)).toEqual(summary);
  for (const call of [
    () => evaluations.get(run.id),
    () => evaluations.delete(run.id),
    () => evaluations.compare(run.id, run.id),
  ])
    expect((await failureOf(call)).code).toBe("not_found");
});

it("leave out questions about documents that are gone, and say which", async () => {
  const { goldenQuestions, evaluations } = namespace;
  const { id } = await goldenQuestions.add({ question: "Who rows?", answers: [{ document: "boat.md" }] });
  const { questions, skipped } = await evaluations.run({ settings: [WORDS] });
  expect(questions).toBe(2);
  expect(skipped).toEqual([{ id: "Who rows?", reason: expect.stringMatching(/"boat\.md", which no document/) }]);
  await goldenQuestions.delete(id);
  const fresh = await newNamespace(kb);
  const none = await failureOf(() => fresh.evaluations.run());
  expect([none.code, none.message]).toEqual(["conflict", expect.stringContaining("no active golden question")]);
});

it("are compared question by question, without those that were changed", async () => {
  const { goldenQuestions, evaluations } = namespace;
  const before = await evaluations.run({ settings: [WORDS], measures: ["MRR@10"] });
  const { items } = await goldenQuestions.list({ statuses: ["active"] });
  const bell = items.find(({ key }) => key === BELL.question)!;
  await goldenQuestions.update(bell.id, { answers: [{ document: "lamp.md" }] });
  const now = await evaluations.run({ settings: [WORDS, { name: "other" }], measures: ["MRR@10"] });
  const { comparisons, notes } = await evaluations.compare(now.id, before.id);
  expect(comparisons).toMatchObject([{ name: "words", measure: "MRR@10", questions: 1, before: 1, now: 1, p: 1 }]);
  expect(notes).toEqual(["other is not in the baseline", "1 of the questions were changed since and are left out"]);
  await goldenQuestions.update(bell.id, { answers: BELL.answers });
});

it("are refused with settings for another namespace, and with bad options", async () => {
  const { evaluations } = namespace;
  for (const [field, options] of [
    ["settings[0].namespace", { settings: [{ name: "other", namespace: "other" }] }],
    ["settings[0]", { settings: [{ name: "words", moed: "keyword" }] }],
    ["settings[1].name", { settings: [WORDS, WORDS] }],
    ["measures", { measures: ["precision@1"] }],
    ["name", { name: "n".repeat(201) }],
    ["seed", { seed: -1 }],
  ] as const) {
    const error = await failureOf(() => evaluations.run(options as object));
    expect([error.code, error.issues[0]!.field]).toEqual(["invalid_input", field]);
  }
});
