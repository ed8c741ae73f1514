import { manualClock } from "lorebase/testing";
import { afterAll, expect, it } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const clock = manualClock();
const kb = openKnowledgeBase({ worker: false, clock: () => new Date(clock.now()) });
afterAll(() => kb.close());

const GOOD = { question: "When is the lamp lit?", answer: "Before sunset.", rating: "up" } as const;

it("is stored and returned as it was given, with its defaults", async () => {
  const { feedback, ref } = await newNamespace(kb);
  const short = await feedback.add(GOOD);
  expect(short).toEqual({
    ...GOOD,
    id: expect.stringMatching(/^fb_[0-9a-f]{32}$/),
    namespaceId: ref,
    tenantId: null,
    comment: null,
    chunkIds: [],
    createdAt: new Date(clock.now()).toISOString(),
  });
  const whole = { ...GOOD, rating: "down", comment: "Too short.", chunkIds: ["doc_1#0", "doc_2#7"] } as const;
  const long = await feedback.add(whole);
  expect(long).toMatchObject(whole);
  expect((await feedback.list()).items).toEqual([long, short]);
});

it("is listed by rating, newest first unless asked otherwise, and iterated", async () => {
  const { feedback } = await newNamespace(kb);
  for (const [question, rating] of [
    ["1", "up"],
    ["2", "down"],
    ["3", "up"],
  ] as const)
    await feedback.add({ ...GOOD, question, rating });
  const questions = async (options?: Parameters<typeof feedback.list>[0]) =>
    (await feedback.list(options)).items.map(({ question }) => question);
  expect(await questions()).toEqual(["3", "2", "1"]);
  expect(await questions({ order: "asc", rating: "up" })).toEqual(["1", "3"]);
  expect(await questions({ rating: "down" })).toEqual(["2"]);
  const iterated: string[] = [];
  for await (const { question } of feedback.iterate({ perPage: 2 })) iterated.push(question);
  expect(iterated).toEqual(["3", "2", "1"]);
  const { code } = await failureOf(() => feedback.list({ rating: "sideways" as "up" }));
  expect(code).toBe("invalid_input");
});

it("is deleted by its id, and returned once more", async () => {
  const { feedback } = await newNamespace(kb);
  const added = await feedback.add(GOOD);
  expect(await feedback.delete(added.id)).toEqual(added);
  expect((await feedback.list()).items).toEqual([]);
  expect((await failureOf(() => feedback.delete(added.id))).code).toBe("not_found");
});

it("takes the longest of every field", async () => {
  const { feedback } = await newNamespace(kb);
  const longest = {
    question: "q".repeat(8000),
    answer: "a".repeat(20_000),
    rating: "up" as const,
    comment: "c".repeat(2000),
    chunkIds: Array.from({ length: 100 }, () => "i".repeat(256)),
  };
  expect(await feedback.add(longest)).toMatchObject(longest);
});

it.each<[string, object]>([
  ["question", { question: " \n" }],
  ["question", { question: "q".repeat(8001) }],
  ["answer", { answer: "" }],
  ["answer", { answer: "a".repeat(20_001) }],
  ["rating", { rating: "sideways" }],
  ["comment", { comment: "c".repeat(2001) }],
  ["chunkIds", { chunkIds: Array.from({ length: 101 }, () => "doc_1#0") }],
  ["chunkIds[0]", { chunkIds: ["i".repeat(257)] }],
])("refuses a bad %s", async (field, change) => {
  const { feedback } = await newNamespace(kb);
  const error = await failureOf(() => feedback.add({ ...GOOD, ...change }));
  expect([error.code, error.issues[0]!.field]).toEqual(["invalid_input", field]);
  expect((await feedback.list()).items).toEqual([]);
});
