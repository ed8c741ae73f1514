import type { NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Embedder } from "../../src/interfaces/embedder.js";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";

/** The number in a text decides its direction; to a useless model, all texts mean the same. */
const embedder = (provider: string, isUseful: boolean): Embedder => ({
  ...{ provider, model: provider, dimensions: 16, maxInputTokens: null, cacheable: false },
  embed: async (texts) =>
    texts.map((text) => {
      const vector = new Float32Array(16);
      vector[isUseful ? Number(/\d+/.exec(text)) : 0] = 1;
      return vector;
    }),
  countTokens: async (texts) => texts.map(({ length }) => length),
});
const embedders = [embedder("GOOD", true), embedder("EQUAL", true), embedder("WORSE", false)].map(providerOf);
const kb = openKnowledgeBase({ embedders, retention: { unansweredQuestionDays: 30 } });
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
  await goldenQuestions.add({ question: "Xylophones?", answers: [{ contains: "none" }] });
  const { questions, skipped } = await evaluations.run({ settings: [WORDS] });
  expect(questions).toBe(3);
  // What finds nothing was not asked by a reader.
  expect((await namespace.health.list("unanswered-questions")).items).toEqual([]);
  expect(skipped).toEqual([{ id: "Who rows?", reason: expect.stringMatching(/"boat\.md", which no document/) }]);
  for (const each of [id, (await goldenQuestions.list()).items[0]!.id]) await goldenQuestions.delete(each);
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

describe("a guard", () => {
  const SEMANTIC = { measures: ["MRR@10"], settings: [{ name: "meaning", mode: "semantic" }] } as const;
  const NUMBERS = [0, 1, 2, 3, 4, 5];

  async function guarded(provider: string) {
    const handle = await newNamespace(kb, { embeddingConfig: { provider: "GOOD" } });
    // Half of the questions are a tenant's: by three of them alone, nothing would be significant.
    for (const each of [handle, handle.tenant("acme")]) {
      const items = NUMBERS.map((number) => ({ type: "TEXT" as const, text: `The place of ${number}` }));
      await each.ingest({ type: "BATCH", items }).done();
      const questions = NUMBERS.slice(3).map((number) => ({
        question: `Where is number ${number}?`,
        answers: [{ contains: `The place of ${number}` }],
      }));
      await each.goldenQuestions.import(questions);
    }
    expect(await handle.goldenGuard.set(SEMANTIC)).toMatchObject(SEMANTIC);
    await handle.reembedding.start({ provider });
    await handle.reembedding.wait();
    return handle;
  }

  it("refuses a significantly worse model with the figures, and can be ignored", async () => {
    const handle = await guarded("WORSE");
    const { code, message } = await failureOf(() => handle.reembedding.cutOver());
    expect([code, message]).toEqual([
      "conflict",
      expect.stringMatching(
        /meaning: MRR@10 fell by 0\.\d+, from 1 to 0\.\d+ over 6 questions.*\(p = 0\.0313\).*ignoreGuard/,
      ),
    ]);
    expect(await handle.reembedding.get()).toMatchObject({ state: "ready", isCutOverRequested: false });
    await handle.reembedding.cutOver({ ignoreGuard: true });
    expect(await handle.reembedding.wait()).toMatchObject({ state: "cut_over" });
    // The way back is never refused.
    await handle.reembedding.rollback();
    expect(await handle.reembedding.wait()).toMatchObject({ state: "ready" });
    expect(await handle.goldenGuard.delete()).toMatchObject(SEMANTIC);
    expect((await failureOf(() => handle.goldenGuard.get())).code).toBe("not_found");
    await handle.reembedding.cutOver();
  });

  it("allows a model that is not worse", async () => {
    const handle = await guarded("EQUAL");
    await handle.reembedding.cutOver();
    expect(await handle.reembedding.wait()).toMatchObject({ state: "cut_over" });
  });

  it("refuses what it can't compare, and a cut-over that nobody would check", async () => {
    const handle = await newNamespace(kb, { embeddingConfig: { provider: "GOOD" } });
    await handle.goldenGuard.set();
    const automatic = await failureOf(() => handle.reembedding.start({ provider: "EQUAL" }, { cutOver: "automatic" }));
    expect([automatic.code, automatic.message]).toEqual(["conflict", expect.stringContaining("guard")]);
    await handle.reembedding.start({ provider: "EQUAL" });
    await handle.reembedding.wait();
    expect((await failureOf(() => handle.reembedding.cutOver())).message).toContain("no active golden question");
    await handle.reembedding.discard();
    expect(await handle.reembedding.wait()).toBe(null);
    expect((await failureOf(() => handle.reembedding.cutOver())).code).toBe("not_found");
    for (const input of [{ measures: ["precision@1"] }, { settings: [{ name: "words", mode: "loud" }] }, { on: true }])
      expect((await failureOf(() => handle.goldenGuard.set(input as object))).code).toBe("invalid_input");
    expect((await failureOf(() => handle.tenant("acme").goldenGuard.set())).code).toBe("unsupported");
    expect((await failureOf(() => handle.visibleTo([]).goldenGuard.get())).code).toBe("forbidden");
  });
});
