import type { NamespaceHandle } from "lorebase";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Embedder } from "../../src/interfaces/embedder.js";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";

/** Called before a model embeds texts. */
let beforeEmbedding: (model: string, texts: readonly string[]) => Promise<void> = async () => {};

/** The number in a text decides its direction; to a useless model, all texts mean the same. */
const embedder = (provider: string, isUseful: boolean): Embedder => ({
  ...{ provider, model: provider, dimensions: 16, maxInputTokens: null, cacheable: false },
  embed: async (texts) => {
    await beforeEmbedding(provider, texts);
    return texts.map((text) => {
      const vector = new Float32Array(16);
      vector[isUseful ? Number(/\d+/.exec(text)) : 0] = 1;
      return vector;
    });
  },
  countTokens: async (texts) => texts.map(({ length }) => length),
});
const embedders = [embedder("GOOD", true), embedder("EQUAL", true), embedder("WORSE", false)].map(providerOf);
const kb = openKnowledgeBase({ embedders, retention: { unansweredQuestionDays: 30, sampledQueryDays: 30 } });
afterAll(() => kb.close());
afterEach(() => {
  beforeEmbedding = async () => {};
});

/** Calls a function once, the given time that a model embeds a text. */
function onEmbedding(model: string, text: string, time: number, act: () => Promise<unknown>): void {
  let count = 0;
  beforeEmbedding = async (embedding, texts) => {
    if (embedding === model && texts.includes(text) && ++count === time) await act();
  };
}

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
  const { id } = await goldenQuestions.add({ question: "Who rows?", answers: [{ document: "lam.md" }] });
  await goldenQuestions.add({ question: "Xylophones?", answers: [{ contains: "none" }] });
  const { questions, skipped } = await evaluations.run({ settings: [WORDS] });
  expect(questions).toBe(3);
  // What finds nothing was not asked by a reader.
  expect((await namespace.health.list("unanswered-questions")).items).toEqual([]);
  // Similar names are not looked for: that takes too long for each of 2000 questions.
  const reason = `answers[0].document is "lam.md", which no document of ${namespace.ref} has`;
  expect(skipped).toEqual([{ id: "Who rows?", reason }]);
  for (const each of [id, (await goldenQuestions.list()).items[0]!.id]) await goldenQuestions.delete(each);
  const fresh = await newNamespace(kb);
  const none = await failureOf(() => fresh.evaluations.run());
  expect([none.code, none.message]).toEqual(["conflict", expect.stringContaining("no active golden question")]);
});

it("leave out questions about documents whose removal is queued", async () => {
  const idle = openKnowledgeBase({ worker: false });
  onTestFinished(() => idle.close());
  const handle = await newNamespace(idle);
  const { documents, evaluations, goldenQuestions } = handle;
  const ingest = (text: string, fileName: string) => handle.ingest({ type: "TEXT", text, fileName });
  await ingest("In fog, the bell is rung.", "bell.md");
  await ingest("The lamp is lit before sunset.", "lamp.md");
  await idle.drain();
  await goldenQuestions.import([
    { ...BELL, id: "bell" },
    { ...LAMP, answers: [{ document: "lamp.md" }] },
  ]);
  const bell = (await documents.list()).items.find(({ name }) => name === "bell.md")!;
  await documents.delete(bell.id);
  const { questions, skipped } = await evaluations.run({ settings: [WORDS] });
  expect([questions, skipped.map(({ id }) => id)]).toEqual([1, ["bell"]]);
});

it("are in lists whose pages stay small", async () => {
  const { goldenQuestions, evaluations } = await newNamespace(kb);
  const stale = { answers: [{ document: "d".repeat(900) }] };
  const questions = Array.from({ length: 530 }, (_, at) => ({
    ...stale,
    question: "q",
    id: `${at}`.padEnd(8000, "x"),
  }));
  await goldenQuestions.import([...questions, { question: "Xylophones?", answers: [{ contains: "none" }] }]);
  for (const name of ["one", "two"]) {
    const { skipped } = await evaluations.run({ name, settings: [WORDS], measures: ["MRR@10"] });
    expect(skipped).toHaveLength(530);
    for (const { reason } of skipped) expect(reason.length).toBeLessThan(200);
  }
  const page = await evaluations.list();
  expect(page.items.map(({ name }) => name)).toEqual(["two"]);
  expect((await evaluations.list({ cursor: page.nextCursor! })).items.map(({ name }) => name)).toEqual(["one"]);
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
      const items = NUMBERS.map((number) => ({
        ...{ type: "TEXT" as const, text: `The place of ${number}`, fileName: `${number}.md` },
      }));
      await each.ingest({ type: "BATCH", items }).done();
      const questions = NUMBERS.slice(3).map((number) => ({
        // With the tenant's name, such a key is one of the tenant's.
        ...(each === handle && { id: `acme ${number}` }),
        question: `Where is number ${number}?`,
        answers: [{ document: `${number}.md` }],
      }));
      await each.goldenQuestions.import(questions);
    }
    const unanswered = NUMBERS.slice(3).map((id) => ({
      id: `${id}`,
      question: "9?",
      answers: [{ contains: "nowhere" }],
    }));
    await handle.tenant("acme").goldenQuestions.import(unanswered);
    expect(await handle.goldenGuard.set(SEMANTIC)).toMatchObject(SEMANTIC);
    await handle.reembedding.start({ embeddingConfig: { provider } });
    await handle.reembedding.wait();
    return handle;
  }

  it("refuses a significantly worse model with the figures, and can be ignored", async () => {
    const handle = await guarded("WORSE");
    const { code, message } = await failureOf(() => handle.reembedding.cutOver());
    expect([code, message]).toEqual([
      "conflict",
      expect.stringMatching(
        /meaning: MRR@10 fell by 0\.\d+, from 0\.6667 to 0\.\d+ over 9 questions.*\(p = 0\.0313\).*ignoreGuard/,
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

  it("allows a model that is not worse, also if a document is deleted meanwhile", async () => {
    const handle = await guarded("EQUAL");
    const { evaluations, reembedding, documents } = handle;
    const { items } = await documents.list({ perPage: 100 });
    const deleted = items.find(({ name, tenantId }) => name === "3.md" && tenantId === null)!;
    onEmbedding("GOOD", "Where is number 4?", 1, () => documents.delete(deleted.id));
    await reembedding.cutOver();
    expect(await reembedding.wait()).toMatchObject({ state: "cut_over" });

    // An evaluation would mix both models.
    onEmbedding("EQUAL", "Where is number 4?", 1, () => reembedding.rollback());
    const { code, retryable, message } = await failureOf(() => evaluations.run(SEMANTIC));
    expect([code, retryable, message]).toEqual(["conflict", true, expect.stringContaining("was changed")]);
    const ours = await evaluations.run(SEMANTIC);
    const theirs = await handle.tenant("acme").evaluations.run(SEMANTIC);
    const error = await failureOf(() => evaluations.compare(ours.id, theirs.id));
    expect([error.code, error.issues[0]!.field]).toEqual(["invalid_input", "baselineId"]);
  });

  it("allows no other model than the one that it has compared", async () => {
    const handle = await guarded("EQUAL");
    const { reembedding } = handle;
    onEmbedding("GOOD", "Where is number 3?", 2, async () => {
      await reembedding.discard();
      await reembedding.wait();
      await reembedding.start({ embeddingConfig: { provider: "WORSE" } });
      await reembedding.wait();
    });
    const { code, retryable } = await failureOf(() => reembedding.cutOver());
    expect([code, retryable]).toEqual(["conflict", true]);
    expect(await reembedding.get()).toMatchObject({ state: "ready", embeddingConfig: { provider: "WORSE" } });
  });

  it("refuses what it can't compare, and a cut-over that nobody would check", async () => {
    const handle = await newNamespace(kb, { embeddingConfig: { provider: "GOOD" } });
    await handle.goldenGuard.set();
    const automatic = await failureOf(() =>
      handle.reembedding.start({ embeddingConfig: { provider: "EQUAL" } }, { cutOver: "automatic" }),
    );
    expect([automatic.code, automatic.message]).toEqual(["conflict", expect.stringContaining("guard")]);
    await handle.reembedding.start({ embeddingConfig: { provider: "EQUAL" } });
    await handle.reembedding.wait();
    // Even if all of five got worse, the difference would not be significant.
    const five = NUMBERS.slice(1).map((number) => ({ question: `${number}?`, answers: [{ contains: "nowhere" }] }));
    await handle.goldenQuestions.import(five);
    const few = await failureOf(() => handle.reembedding.cutOver());
    expect([few.code, few.message]).toEqual(["conflict", expect.stringContaining("5 active golden questions can")]);
    await handle.reembedding.discard();
    expect(await handle.reembedding.wait()).toBe(null);
    expect((await failureOf(() => handle.reembedding.cutOver())).code).toBe("not_found");
    for (const input of [
      { measures: ["precision@1"] },
      { settings: [{ name: "words", mode: "loud" }] },
      { settings: [{ name: "other", namespace: "other" }] },
      { settings: [{ name: "other", embedding: { provider: "EQUAL" } }] },
      { on: true },
    ])
      expect((await failureOf(() => handle.goldenGuard.set(input as object))).code).toBe("invalid_input");
    expect((await failureOf(() => handle.tenant("acme").goldenGuard.set())).code).toBe("unsupported");
    expect((await failureOf(() => handle.visibleTo([]).goldenGuard.get())).code).toBe("forbidden");
  });
});

describe("an evaluation of a re-embedding", () => {
  const SETTINGS = [{ name: "meaning", mode: "semantic", topK: 1 }] as const;
  const NUMBERS = [1, 2, 3];

  let handle: NamespaceHandle;
  let documentIds: readonly string[];
  beforeAll(async () => {
    handle = await newNamespace(kb, { embeddingConfig: { provider: "GOOD" } });
    for (const each of [handle, handle.tenant("acme")]) {
      for (const number of NUMBERS)
        await each.ingest({ type: "TEXT", text: `The place of ${number}`, fileName: `${number}.md` }).done();
    }
    const { items } = await handle.documents.list({ order: "asc" });
    documentIds = items.filter(({ tenantId }) => tenantId === null).map(({ id }) => id);
    await handle.reembedding.start({ embeddingConfig: { provider: "WORSE" } });
    await handle.reembedding.wait();
  });

  it("needs something to compare by", async () => {
    const { code, message } = await failureOf(() => handle.reembedding.evaluate());
    expect([code, message]).toEqual(["conflict", expect.stringContaining("retention.sampledQueryDays")]);
  });

  it("compares the hits of the queries that readers asked, which only the owner sees", async () => {
    const { reembedding } = handle;
    // To WORSE, all passages mean the same, and the first of them comes first.
    await handle.search("Where is 1?");
    await handle.search("Where is 3?");
    await handle.visibleTo(["user:7"]).search("where  is 3?");
    await handle.ask("Where is 2?");
    await handle.ask("And 2?", { history: [{ role: "user", content: "Where is 1?" }], mode: "extractive" });
    await handle.tenant("acme").search("Where is 2?");
    // Neither these nor the searches of an evaluation are a reader's.
    await reembedding.search("Where is 9?");
    const sampled = async () => (await reembedding.evaluate({ settings: SETTINGS })).sample.queries;
    await expect.poll(sampled).toBe(5);
    const { current, other, golden, clicked, sample } = await reembedding.evaluate({ settings: SETTINGS });
    expect([current.embeddingConfig.provider, other.embeddingConfig.provider]).toEqual(["GOOD", "WORSE"]);
    expect(golden).toEqual({ questions: 0, skipped: [], comparisons: [] });
    expect(clicked).toEqual(golden);
    const [meaning, ...others] = sample.comparisons;
    expect(others).toEqual([]);
    const share = { mean: 0.2, low: expect.closeTo(0, 5), high: expect.any(Number) };
    const agreement = { overlap: share, rankBiasedOverlap: share, sameFirstHit: share };
    expect(meaning).toMatchObject({ ...agreement, name: "meaning", withoutHits: { current: 0, other: 0 } });
    // Of several spellings, chance decides which is shown.
    const isThree = ({ query }: { readonly query: string }) => /^where {1,2}is 3\?$/i.test(query);
    const [three, ...notThree] = meaning!.mostDifferent.toSorted((a, b) => Number(isThree(b)) - Number(isThree(a)));
    expect(notThree.map(({ query, tenantId, times }) => [query, tenantId, times])).toEqual(
      expect.arrayContaining([
        ["Where is 2?", null, 1],
        ["Where is 2?", "acme", 1],
      ]),
    );
    expect([notThree.length, isThree(three!), three!.times]).toEqual([2, true, 2]);
    expect(three).toMatchObject({
      ...{ overlap: 0, rankBiasedOverlap: 0 },
      current: [{ documentId: documentIds[2], text: "The place of 3" }],
      other: [{ documentId: documentIds[0], text: "The place of 1" }],
    });

    const acme = await handle.tenant("acme").reembedding.evaluate({ settings: SETTINGS });
    expect(acme.sample.comparisons[0]!.mostDifferent).toMatchObject([{ query: "Where is 2?", tenantId: "acme" }]);
    expect((await reembedding.evaluate({ settings: SETTINGS, queries: 2 })).sample.queries).toBe(2);
    const restricted = await failureOf(() => handle.visibleTo([]).reembedding.evaluate());
    expect(restricted.code).toBe("forbidden");
    await handle.search("The place of 3");
    const [words] = (await reembedding.evaluate({ settings: [WORDS] })).sample.comparisons;
    expect(words).toMatchObject({ overlap: { mean: 1, low: 1, high: 1 }, mostDifferent: [] });
    await kb.namespaces.deleteTenant(handle.ref, "acme");
    await expect.poll(sampled).toBe(5);
  });

  it("measures golden questions and those that clicks answer", async () => {
    const { goldenQuestions, clicks, reembedding } = handle;
    await goldenQuestions.import([
      ...NUMBERS.map((number) => ({ question: `Number ${number}?`, answers: [{ document: `${number}.md` }] })),
      { question: "Number 4?", answers: [{ document: "4.md" }] },
    ]);
    for (let click = 0; click < 3; click++)
      await clicks.add({ question: "The third, 3?", chunkId: `${documentIds[2]}#0` });
    const options = { settings: SETTINGS, measures: ["MRR@10"], queries: 0 };
    const { golden, clicked, sample } = await reembedding.evaluate(options);
    const measure = { name: "meaning", measure: "MRR@10" };
    expect(golden.comparisons).toMatchObject([{ ...measure, current: 1, other: expect.closeTo(1 / 3, 10), p: 0.5 }]);
    expect(golden.comparisons[0]!.difference.mean).toBeCloseTo(-2 / 3, 10);
    expect([golden.questions, golden.skipped.map(({ id }) => id)]).toEqual([3, ["Number 4?"]]);
    expect(clicked).toMatchObject({ questions: 1, skipped: [], comparisons: [{ ...measure, current: 1, other: 0 }] });
    expect(sample).toEqual({ queries: 0, comparisons: [] });
  });

  it("waits for the vectors of documents that were ingested while the other model failed", async () => {
    const { reembedding, goldenGuard } = handle;
    beforeEmbedding = async (model) => {
      if (model === "WORSE") throw new Error("The model is away.");
    };
    const { status } = await handle.ingest({ type: "TEXT", text: "The place of 8", fileName: "8.md" }).done();
    expect(status).toBe("COMPLETED");
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    beforeEmbedding = (model, texts) => (model === "WORSE" && texts[0]!.endsWith("8") ? held : Promise.resolve());
    await goldenGuard.set({ settings: SETTINGS });
    for (const call of [() => reembedding.evaluate({ settings: SETTINGS }), () => reembedding.cutOver()]) {
      const { code, retryable, message } = await failureOf(call);
      expect([code, retryable, message]).toEqual(["conflict", true, expect.stringContaining("missing for 1 passage:")]);
    }
    release();
    await expect.poll(() => reembedding.evaluate({ settings: SETTINGS })).toMatchObject({ golden: { questions: 3 } });
    await goldenGuard.delete();
  });

  it("leaves out queries that a model refuses, and counts them", async () => {
    const { reembedding } = handle;
    const refuse = (refused: RegExp) => {
      beforeEmbedding = async (model, texts) => {
        if (model === "WORSE" && refused.test(texts[0]!)) throw new Error("The text is too long.");
      };
    };
    refuse(/^where {1,2}is 3/i);
    const { sample } = await reembedding.evaluate({ settings: SETTINGS });
    expect([sample.queries, sample.comparisons[0]!.failed]).toEqual([5, 2]);
    refuse(/place of 3|where/i);
    await expect(reembedding.evaluate({ settings: SETTINGS })).rejects.toThrow("too long");
  });

  it("fails if the model is changed meanwhile, and without two models", async () => {
    const { reembedding } = handle;
    onEmbedding("GOOD", "Number 2?", 1, () => reembedding.cutOver());
    const changed = await failureOf(() => reembedding.evaluate({ settings: SETTINGS }));
    expect([changed.code, changed.retryable]).toEqual(["conflict", true]);
    const { current } = await reembedding.evaluate({ settings: SETTINGS });
    expect(current.embeddingConfig.provider).toBe("WORSE");
    for (const [field, options] of [
      ["settings[0].namespace", { settings: [{ name: "other", namespace: "other" }] }],
      ["measures", { measures: ["precision@1"] }],
      ["queries", { queries: 1001 }],
      ["seed", { seed: -1 }],
    ] as const) {
      const error = await failureOf(() => reembedding.evaluate(options as object));
      expect([error.code, error.issues[0]!.field]).toEqual(["invalid_input", field]);
    }
    await reembedding.discard();
    await reembedding.wait();
    expect((await failureOf(() => reembedding.evaluate())).code).toBe("not_found");
    const slow = await newNamespace(kb, { embeddingConfig: { provider: "GOOD" } });
    await slow.ingest({ type: "TEXT", text: "The place of 7" }).done();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    beforeEmbedding = (model, texts) => (model === "WORSE" && texts.length === 1 ? held : Promise.resolve());
    await slow.reembedding.start({ embeddingConfig: { provider: "WORSE" } });
    const early = await failureOf(() => slow.reembedding.evaluate());
    expect([early.code, early.message]).toEqual([
      "conflict",
      expect.stringContaining("until the re-embedding is ready"),
    ]);
    release();
    await slow.reembedding.wait();
  });
});
