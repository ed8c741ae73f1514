import { KnowledgeBaseError, type StoredGoldenQuestion } from "lorebase";
import { evaluate } from "lorebase/evaluate";
import { fakeLanguageModel } from "lorebase/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { questionsOfPassage } from "#dist/evaluate/passage-questions.js";
import { collect } from "#dist/util/collect.js";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const PASSAGE_START = "The keeper of the light writes a log of every night, and of every ship that passes the rock.";
let reply: string | Error = "";
const model = fakeLanguageModel({ answer: () => reply });
const kb = openKnowledgeBase({ languageModel: model });
afterAll(() => kb.close());

const KEEPER = `# Keeper's handbook

## When is the lamp lit?

Thirty minutes before sunset, on every day. It burns until sunrise.

## Fog signals

A fog signal is a sound that warns ships when the light can't be seen. ${PASSAGE_START}

## Introduction

It is the first chapter of the book, and the shortest one.
`;
const COOK = "# Cook's handbook\n\n## Fog signals\n\nDuring fog, the kitchen stays open until the last boat is in.";

let keeper: string;
let namespace: Awaited<ReturnType<typeof newNamespace>>;
const texts = (questions: readonly StoredGoldenQuestion[]) => questions.map(({ question }) => question);
const drafts = (origin: "feedback" | "click" | "generated") =>
  collect(namespace.goldenQuestions.iterate({ order: "asc", origins: [origin], statuses: ["draft"] }));
const ingest = async (text: string, fileName: string) => {
  await namespace.ingest({ type: "TEXT", text, fileName }, { chunkSize: 250 }).done();
  const { items } = await namespace.documents.list();
  return items[0]!.id;
};

beforeAll(async () => {
  namespace = await newNamespace(kb);
  keeper = await ingest(KEEPER, "keeper.md");
});

it("become drafts of upvoted answers, once", async () => {
  const { goldenQuestions, feedback } = namespace;
  await feedback.add({ question: "When to light?", answer: "Early.", rating: "up", chunkIds: [`${keeper}#0`] });
  expect(await goldenQuestions.fromFeedback()).toEqual({ added: 1, replaced: 0, unchanged: 0, leftOut: 0 });
  expect(await drafts("feedback")).toMatchObject([{ question: "When to light?", answers: [{ document: keeper }] }]);
  const [draft] = await drafts("feedback");
  await goldenQuestions.update(draft!.id, { status: "disabled" });
  // A rejected draft is not made again.
  expect(await goldenQuestions.fromFeedback({ status: "active" })).toEqual({
    added: 0,
    replaced: 0,
    unchanged: 1,
    leftOut: 0,
  });
  expect(await drafts("feedback")).toEqual([]);
});

describe("of clicks", () => {
  const click = async (question: string, document: string, times: number, handle = namespace) => {
    for (let time = 0; time < times; time++) await handle.clicks.add({ question, chunkId: `${document}#${time}` });
  };

  it("are answered by what was clicked often, and by a fifth of the clicks", async () => {
    const cook = await ingest(COOK, "cook.md");
    await click("How loud is the horn?", cook, 3);
    await click(" how loud  is the HORN?", keeper, 12);
    await click("Who cooks?", cook, 2);
    await click("Who rows?", "doc_gone", 5);
    await click("Whose is it?", keeper, 5, namespace.tenant("acme"));
    expect(await namespace.goldenQuestions.fromClicks()).toEqual({ added: 1, replaced: 0, unchanged: 0, leftOut: 0 });
    const answers = [{ document: keeper }, { document: cook }];
    expect(await drafts("click")).toMatchObject([{ question: "How loud is the horn?", answers }]);
    await click("How loud is the horn?", keeper, 1);
    expect(await namespace.goldenQuestions.fromClicks({ minClicks: 2 })).toMatchObject({ added: 1, unchanged: 1 });
    // With one more, the other document has less than a fifth.
    const [loud, who] = await drafts("click");
    expect(who).toMatchObject({ question: "Who cooks?", answers: [{ document: cook }] });
    await namespace.goldenQuestions.delete(loud!.id);
    await namespace.goldenQuestions.fromClicks();
    expect((await drafts("click")).at(-1)!.answers).toEqual([{ document: keeper }]);
    await namespace.documents.delete(cook);
  });

  it("stay rejected in whatever spelling, and are left out if there is no room", async () => {
    const fresh = await newNamespace(kb);
    await fresh.ingest({ type: "TEXT", text: COOK }).done();
    const [document] = (await fresh.documents.list()).items;
    await click("How Loud?", document!.id, 1, fresh);
    await click("how loud?", document!.id, 3, fresh);
    await fresh.goldenQuestions.fromClicks();
    await fresh.clicks.delete((await fresh.clicks.list({ order: "asc" })).items[0]!.id);
    expect(await fresh.goldenQuestions.fromClicks()).toMatchObject({ added: 0, unchanged: 1 });

    const many = Array.from({ length: 1998 }, (_, index) => ({ question: `${index}?`, answers: [{ contains: "a" }] }));
    await fresh.goldenQuestions.import(many);
    for (const question of ["Who?", "Why?", "When?"]) await click(question, document!.id, 3, fresh);
    expect(await fresh.goldenQuestions.fromClicks()).toEqual({ added: 1, replaced: 0, unchanged: 1, leftOut: 2 });
  });

  it("are kept as clicks until deleted, also of a bound handle", async () => {
    const fresh = await newNamespace(kb);
    const added = await fresh.visibleTo([]).clicks.add({ question: " Who? ", chunkId: "doc_1#4" });
    expect(added).toMatchObject({ question: "Who?", chunkId: "doc_1#4", tenantId: null });
    expect((await failureOf(() => fresh.visibleTo([]).clicks.list())).code).toBe("forbidden");
    expect((await fresh.clicks.list()).items).toEqual([added]);
    expect((await failureOf(() => fresh.clicks.add({ question: "Who?", chunkId: "" }))).issues[0]!.field).toBe(
      "chunkId",
    );
    expect(await fresh.clicks.delete(added.id)).toEqual(added);
    expect((await failureOf(() => fresh.clicks.delete(added.id))).code).toBe("not_found");
  });
});

describe("of documents", () => {
  it("are headings and definitions that one document answers, and searches find the answers", async () => {
    const cook = await ingest(COOK, "cook.md");
    const { goldenQuestions } = namespace;
    expect(await goldenQuestions.generate({ status: "active" })).toEqual({
      ...{ added: 2, replaced: 0, unchanged: 0, leftOut: 0, rejected: 0, lastDocument: null },
    });
    const made = await collect(goldenQuestions.iterate({ order: "asc", origins: ["generated"] }));
    expect(made).toMatchObject([
      {
        question: "When is the lamp lit?",
        answers: [{ document: keeper, contains: "Thirty minutes before sunset, on every day." }],
      },
      { question: "What is a fog signal?", answers: [{ document: keeper }] },
    ]);
    const questions = made.map(({ question, answers }) => ({ question, answers }));
    const { results } = await evaluate(namespace, questions, { settings: [{ name: "words", mode: "keyword" }] });
    expect(results[0]!.measures["recall@10"]!.mean).toBe(1);
    // Documents that have questions get no more, but what they answer too is ambiguous.
    expect(await goldenQuestions.generate()).toMatchObject({ added: 0, unchanged: 0 });
    for (const { id } of made) await goldenQuestions.delete(id);
    expect(await goldenQuestions.generate({ limit: 1 })).toMatchObject({ added: 1 });
    expect(texts(await drafts("generated"))).toEqual(["When is the lamp lit?"]);
    await goldenQuestions.delete((await drafts("generated"))[0]!.id);
    await namespace.documents.delete(cook);
  });

  it("are written by a language model, if it quotes the passage", async () => {
    const { goldenQuestions } = namespace;
    const question = "What does the person on duty note down?";
    reply = `Here: {"question": "${question}", "quote": "the KEEPER of the light\\nwrites a log of every night"}`;
    expect(await goldenQuestions.generate({ useLlm: true })).toMatchObject({ added: 1, rejected: 0 });
    const answers = [{ document: keeper, contains: "the KEEPER of the light writes a log of every night" }];
    expect(await drafts("generated")).toMatchObject([{ question, answers }]);
    expect(JSON.stringify(model.calls.at(-1)!.messages)).toContain(PASSAGE_START);
    await goldenQuestions.delete((await drafts("generated"))[0]!.id);
    for (const useless of [
      JSON.stringify({ question, quote: "The keeper sleeps all night." }),
      JSON.stringify({ question: "", quote: "" }),
      "I can't do that.",
      "{".repeat(5000),
    ]) {
      reply = useless;
      expect(await goldenQuestions.generate({ useLlm: true })).toMatchObject({ added: 0, rejected: 1 });
    }
    reply = new KnowledgeBaseError("provider_failed", "The model is down.");
    expect((await failureOf(() => goldenQuestions.generate({ useLlm: true }))).code).toBe("provider_failed");
    expect(await drafts("generated")).toEqual([]);
  });

  it("aren't made again and again of documents that give nothing new", async () => {
    const fresh = await newNamespace(kb);
    const { goldenQuestions } = fresh;
    const page = (text: string, fileName: string) =>
      fresh.ingest({ type: "TEXT", text, fileName }, { chunkSize: 250 }).done();
    const answer = `${PASSAGE_START} ${PASSAGE_START}`;
    const sections = ["made", "cleaned", "sold"].map((what) => `## How is it ${what}?\n\n${answer}`).join("\n\n");
    for (let number = 0; number < 4; number++) await page(`# Product ${number}\n\n${sections}`, `${number}.md`);
    await page("# Lamp\n\n## When is the lamp lit?\n\nThirty minutes before sunset, on every day.", "lamp.md");
    await page("# Bell\n\n## Who rings the bell?\n\nThe keeper rings it during fog, once a minute.", "bell.md");
    // The first documents answer the same questions, which count for nothing.
    expect(await goldenQuestions.generate({ limit: 2 })).toMatchObject({ added: 2 });

    // A language model is asked at most twice for each wanted question, and goes on with others.
    const ask = async (after?: string) => {
      const before = model.calls.length;
      const counts = await goldenQuestions.generate({ limit: 1, perDocument: 1, useLlm: true, after });
      return { ...counts, calls: model.calls.length - before };
    };
    reply = "I can't.";
    const first = await ask();
    expect(first).toMatchObject({ added: 0, rejected: 2, calls: 2 });
    const { items } = await fresh.documents.list({ order: "asc" });
    expect(first.lastDocument).toBe(items[1]!.id);
    reply = JSON.stringify({ question: "When is the lamp lit?", quote: "The keeper of the light writes a log" });
    const second = await ask(first.lastDocument!);
    expect(second).toMatchObject({ added: 0, unchanged: 2, calls: 2, lastDocument: items[3]!.id });
    expect(await ask(second.lastDocument!)).toMatchObject({ added: 0, calls: 0, lastDocument: null });
    expect((await failureOf(() => ask("doc_none"))).issues[0]!.field).toBe("after");
  });

  it("need a language model if one is to write them", async () => {
    const other = openKnowledgeBase({ worker: false });
    const { goldenQuestions } = await newNamespace(other);
    const error = await failureOf(() => goldenQuestions.generate({ useLlm: true }));
    expect([error.code, error.issues[0]!.field]).toEqual(["invalid_input", "useLlm"]);
    await other.close();
  });
});

describe("of a passage", () => {
  it.each([
    ["A lighthouse is a tower with a lamp.", "What is a lighthouse?"],
    ["The storm lamp is the lamp of the boat house.", "What is the storm lamp?"],
    ["Tide tables are the tables that pilots read.", "What are Tide tables?"],
    ["Ein Leuchtturm ist ein Turm mit einer Lampe.", "Was ist ein Leuchtturm?"],
    ["It is a tower with a lamp in it.", undefined],
    ["The first of these is the lamp of the boat.", undefined],
    ["A lighthouse is old and white.", undefined],
    ["The date is a string of digits.", undefined],
    ["A lighthouse (see [above](.. is a tower.", undefined],
    ["Is a lighthouse a tower with a lamp?", undefined],
    ["| A lighthouse is a tower with a lamp. |", undefined],
    ["- A lighthouse is a tower with a lamp.", undefined],
  ])("%s", (text, question) => {
    expect(questionsOfPassage({ text, headings: [] }).map((made) => made.question)).toEqual(question ? [question] : []);
  });

  it("takes its last heading if that has two words", () => {
    const text = "# Boats\n\nThe boat\nis rowed by four volunteers. Nobody else is on it.";
    const of = (...headings: string[]) => questionsOfPassage({ text, headings });
    expect(of("Island", "Crews of boats")).toEqual([
      { question: "Crews of boats", contains: "The boat is rowed by four volunteers." },
    ]);
    expect(of("Crews of boats", "Boats")).toEqual([]);
    expect(of("Boats?")).toHaveLength(1);
    expect(questionsOfPassage({ text: "# Crews of boats", headings: ["Crews of boats"] })).toEqual([]);
  });
});
