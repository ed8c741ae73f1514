import { manualClock } from "lorebase/testing";
import { afterAll, describe, expect, it } from "vitest";
import { collect } from "#dist/util/collect.js";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const clock = manualClock();
const kb = openKnowledgeBase({ worker: false, clock: () => new Date(clock.now()) });
afterAll(() => kb.close());

const LAMP = { question: "When is the lamp lit?", answers: [{ contains: "before sunset" }] };

it("are kept as given, changed and deleted", async () => {
  const { goldenQuestions, ref } = await newNamespace(kb);
  const answers = [{ document: "keeper.md", page: 2, contains: "sunset", grade: 2 }, { externalId: "manual" }];
  const added = await goldenQuestions.add({
    question: " When? ",
    answers,
    key: "lamp",
    origin: "click",
    status: "draft",
  });
  expect(added).toEqual({
    ...{ id: expect.stringMatching(/^gq_[0-9a-f]{32}$/), namespaceId: ref, tenantId: null, key: "lamp" },
    ...{ question: "When?", answers, origin: "click", status: "draft" },
    ...{ createdAt: new Date(clock.now()).toISOString(), updatedAt: new Date(clock.now()).toISOString() },
  });
  expect(await goldenQuestions.get(added.id)).toEqual(added);
  clock.advance(1000);
  const updatedAt = new Date(clock.now()).toISOString();
  const reviewed = await goldenQuestions.update(added.id, { status: "active" });
  expect(reviewed).toEqual({ ...added, status: "active", updatedAt });
  const reworded = await goldenQuestions.update(added.id, { question: "At what time?", answers: LAMP.answers });
  expect(reworded).toEqual({ ...reviewed, question: "At what time?", answers: LAMP.answers });
  expect(await goldenQuestions.delete(added.id)).toEqual(reworded);
  for (const call of [
    () => goldenQuestions.get(added.id),
    () => goldenQuestions.update(added.id, {}),
    () => goldenQuestions.delete(added.id),
  ])
    expect((await failureOf(call)).code).toBe("not_found");
});

it("are listed by status and origin", async () => {
  const { goldenQuestions } = await newNamespace(kb);
  await goldenQuestions.add({ ...LAMP, question: "a" });
  await goldenQuestions.add({ ...LAMP, question: "b", status: "draft", origin: "generated" });
  await goldenQuestions.add({ ...LAMP, question: "c", status: "disabled", origin: "feedback" });
  const listed = async (options?: Parameters<typeof goldenQuestions.list>[0]) =>
    (await goldenQuestions.list(options)).items.map(({ question }) => question);
  expect(await listed()).toEqual(["c", "b", "a"]);
  expect(await listed({ statuses: ["active", "draft"], order: "asc" })).toEqual(["a", "b"]);
  expect(await listed({ origins: ["feedback"] })).toEqual(["c"]);
  const iterated = await collect(goldenQuestions.iterate({ perPage: 2 }));
  expect(iterated.map(({ question }) => question)).toEqual(["c", "b", "a"]);
});

it("have one key each in a tenant, by default their text", async () => {
  const namespace = await newNamespace(kb);
  const { goldenQuestions } = namespace;
  await goldenQuestions.add(LAMP);
  const twice = await failureOf(() => goldenQuestions.add({ ...LAMP, question: `${LAMP.question} ` }));
  expect([twice.code, twice.message]).toEqual(["conflict", expect.stringContaining(`"${LAMP.question}"`)]);
  await namespace.tenant("acme").goldenQuestions.add(LAMP);
  await goldenQuestions.add({ ...LAMP, key: "other" });
  expect(await collect(goldenQuestions.iterate())).toHaveLength(3);
});

it("are imported again without copies, and keep their status", async () => {
  const { goldenQuestions } = await newNamespace(kb);
  const named = { id: "lamp", ...LAMP };
  const bell = { question: "When is the bell rung?", answers: [{ contains: "fog" }] };
  expect(await goldenQuestions.import([named, bell])).toEqual({ added: 2, replaced: 0, unchanged: 0, leftOut: 0 });
  const [first] = (await goldenQuestions.list({ order: "asc" })).items;
  expect(first).toMatchObject({ key: "lamp", question: LAMP.question, origin: "manual", status: "active" });
  await goldenQuestions.update(first!.id, { status: "disabled" });
  const changed = { ...named, answers: [{ document: "keeper.md" }] };
  const gull = { question: "Who feeds the gulls?", answers: [{ contains: "nobody" }] };
  expect(await goldenQuestions.import([changed, bell, gull])).toEqual({
    added: 1,
    replaced: 1,
    unchanged: 1,
    leftOut: 0,
  });
  expect(await goldenQuestions.get(first!.id)).toMatchObject({ answers: changed.answers, status: "disabled" });
  expect(await collect(goldenQuestions.iterate())).toHaveLength(3);
});

it("are 2000 at most, of all tenants together, and an import beyond that adds none", async () => {
  const namespace = await newNamespace(kb);
  const many = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => ({ ...LAMP, question: `${name} ${index}?` }));
  await namespace.tenant("acme").goldenQuestions.import(many(1500, "a"));
  const error = await failureOf(() => namespace.goldenQuestions.import(many(501, "b")));
  expect([error.code, error.message]).toEqual(["limit_exceeded", expect.stringMatching(/has 1500 .* over 2000/)]);
  expect(await namespace.goldenQuestions.import(many(500, "b"))).toMatchObject({ added: 500 });
  expect(await namespace.goldenQuestions.import(many(500, "b"))).toMatchObject({ unchanged: 500 });
  expect((await failureOf(() => namespace.goldenQuestions.add(LAMP))).code).toBe("limit_exceeded");
});

describe("a bad", async () => {
  const { goldenQuestions } = await newNamespace(kb);
  it.each<[string, string, object]>([
    ["question", "question", { question: " \n" }],
    ["long question", "question", { question: "q".repeat(8001) }],
    ["key", "key", { key: "k".repeat(8001) }],
    ["status", "status", { status: "open" }],
    ["origin", "origin", { origin: "a robot" }],
    ["list of answers", "answers", { answers: [] }],
    ["long list of answers", "answers", { answers: Array(101).fill(LAMP.answers[0]) }],
    ["answer that is too long", "answers", { answers: [{ contains: "a".repeat(100_000) }] }],
    ["answer without a condition", "answers[0]", { answers: [{ grade: 2 }] }],
    ["answer with a misspelt condition", "answers[0]", { answers: [{ contain: "x", document: "a" }] }],
    ["page without a document", "answers[0]", { answers: [{ contains: "x", page: 1 }] }],
  ])("%s is refused", async (_, field, change) => {
    const error = await failureOf(() => goldenQuestions.add({ ...LAMP, ...change }));
    expect([error.code, error.issues[0]!.field]).toEqual(["invalid_input", field]);
    expect((await goldenQuestions.list()).items).toEqual([]);
  });

  it("import is refused as a whole", async () => {
    const error = await failureOf(() => goldenQuestions.import([LAMP, { ...LAMP, question: ` ${LAMP.question}` }]));
    expect([error.code, error.issues[0]!.field]).toEqual(["invalid_input", "questions[1].id"]);
    // Both are stored as the same text.
    const surrogates = ["a\ud800", "a\ufffd"].map((question) => ({ ...LAMP, question }));
    const same = await failureOf(() => goldenQuestions.import(surrogates));
    expect([same.code, same.issues[0]!.field]).toEqual(["invalid_input", "questions[1].id"]);
    expect((await goldenQuestions.list()).items).toEqual([]);
  });
});
