import { manualClock } from "lorebase/testing";
import { afterAll, expect, it } from "vitest";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const DAY_MS = 24 * 60 * 60_000;
const clock = manualClock();
const kb = openKnowledgeBase({
  clock: () => new Date(clock.now()),
  retention: { unansweredQuestionDays: 2 },
});
const silent = openKnowledgeBase();
afterAll(() => Promise.all([kb.close(), silent.close()]));

const NOTHING = {
  isComplete: true,
  nearDuplicates: 0,
  unfindablePassages: 0,
  unansweredQuestions: 0,
  staleDocuments: 0,
  badlyParsedDocuments: 0,
};

it("has nothing to say of an empty namespace, or of sound documents", async () => {
  const handle = await newNamespace(kb);
  expect(await handle.health.report()).toEqual(NOTHING);
  await ingestTexts(handle, ["The lamp is lit before sunset.", "The harbour is closed on Sundays."]);
  expect(await handle.health.report()).toEqual(NOTHING);
});

it("reports passages that their own first sentence doesn't find among ten others", async () => {
  const handle = await newNamespace(kb);
  // Longer passages rank lower for the same words, and each ends differently, so that none has the text of another.
  const rows = Array.from({ length: 14 }, (_, index) => `Report of the harbour. ${"Quiet night. ".repeat(index)}`);
  await ingestTexts(handle, rows);
  const { unfindablePassages, isComplete } = await handle.health.report({ maxSeconds: 600 });
  expect({ unfindablePassages, isComplete }).toEqual({ unfindablePassages: 4, isComplete: true });
  const { items } = await handle.health.list("unfindable-passages", { order: "asc" });
  expect(items.map(({ passage, question }) => [passage.text, question])).toEqual(
    rows.slice(10).map((text) => [text.trim(), "Report of the harbour."]),
  );
  const hits = await handle.search(items[0]!.question, { mode: "keyword" });
  expect(hits.map(({ id }) => id)).not.toContain(items[0]!.passage.chunkId);
});

it("goes on with the next report if the time is over", async () => {
  const handle = await newNamespace(kb);
  await ingestTexts(handle, ["The lamp is lit before sunset.", "The lamp is lit before sunset."]);
  expect(await handle.health.report({ maxSeconds: 1e-9 })).toEqual({ ...NOTHING, isComplete: false });
  expect(await handle.health.report({ maxSeconds: 600 })).toEqual({ ...NOTHING, nearDuplicates: 1 });
  expect(await handle.health.report({ maxSeconds: 0 })).toEqual({ ...NOTHING, nearDuplicates: 1 });
});

it("waits for another report no longer than for its own checks", async () => {
  const [long, short] = [await newNamespace(kb), await newNamespace(kb)];
  await ingestTexts(long, ["The lamp is lit before sunset.", "The harbour is closed on Sundays."]);
  await ingestTexts(short, ["The lamp is lit before sunset."]);
  const ended: string[] = [];
  await Promise.all([
    long.health.report({ maxSeconds: 600 }).then(() => ended.push("long")),
    short.health.report({ maxSeconds: 0 }).then(({ isComplete }) => ended.push(`short ${isComplete}`)),
  ]);
  expect(ended).toEqual(["short false", "long"]);
});

it("keeps questions that found nothing for the option's days", async () => {
  const handle = await newNamespace(kb);
  await ingestTexts(handle, ["The lamp is lit before sunset."]);
  await handle.search("When is the lamp lit?", { mode: "keyword" });
  await handle.search("Who feeds the cat?", { mode: "keyword", filter: { area: "kitchen" } });
  await clock.advance(DAY_MS);
  await handle.tenant("north").ask("Where is the ladder?");
  const asked = async () => (await handle.health.list("unanswered-questions")).items;
  await expect.poll(asked).toEqual([
    { question: "Where is the ladder?", askedBy: "ask", askedAt: new Date(clock.now()).toISOString() },
    { question: "Who feeds the cat?", askedBy: "search", askedAt: new Date(clock.now() - DAY_MS).toISOString() },
  ]);
  expect((await handle.tenant("south").health.list("unanswered-questions")).items).toEqual([]);
  await handle.tenant("south").search("Whose hat is this?", { filter: { area: "hall" } });
  await kb.namespaces.deleteTenant(handle.ref, "south");
  expect(await asked()).toHaveLength(2);
  await clock.advance(DAY_MS + 1);
  expect((await asked()).map(({ question }) => question)).toEqual(["Where is the ladder?"]);
  expect((await handle.health.report()).unansweredQuestions).toBe(1);
});

it("keeps no questions unless the option says so", async () => {
  const handle = await newNamespace(silent);
  await handle.search("Who feeds the cat?");
  expect((await handle.health.report()).unansweredQuestions).toBe(0);
  expect((await handle.health.list("unanswered-questions")).items).toEqual([]);
});

it("reports documents that were neither ingested nor found unchanged for some days", async () => {
  const handle = await newNamespace(kb);
  await ingestTexts(handle, ["The old rota."]);
  const ingestedAt = clock.now();
  await clock.advance(3 * DAY_MS);
  await ingestTexts(handle, ["The new rota."]);
  const { staleDocuments } = await handle.health.report({ staleAfterDays: 2 });
  const { items } = await handle.health.list("stale-documents", { staleAfterDays: 2 });
  expect([staleDocuments, items]).toEqual([
    1,
    [
      {
        ...{ documentId: expect.stringMatching(/^doc_/), documentName: null, warnings: [] },
        ...{ totalChunks: 1, totalPages: 1, currentAt: new Date(ingestedAt).toISOString() },
      },
    ],
  ]);
});

it("reports documents with warnings or without passages", async () => {
  const handle = await newNamespace(kb);
  await ingestTexts(handle, ["The lamp is lit before sunset."]);
  await handle.ingest({ file: { name: "broken.csv", body: new TextEncoder().encode('lamp,"oil\n1,2\n') } }).done();
  await handle.ingest({ file: { name: "empty.html", body: new TextEncoder().encode("<p></p>") } }).done();
  const { items } = await handle.health.list("badly-parsed-documents", { order: "asc" });
  expect(items.map(({ documentName, totalChunks, warnings }) => [documentName, totalChunks, warnings.length])).toEqual([
    ["broken.csv", 1, 1],
    ["empty.html", 0, expect.any(Number)],
  ]);
  expect((await handle.health.report()).badlyParsedDocuments).toBe(2);
});

it("is refused to principals, who may not see all documents", async () => {
  const bound = (await newNamespace(kb)).visibleTo(["user:7"]);
  for (const call of [() => bound.health.report(), () => bound.health.list("near-duplicates")])
    expect((await failureOf(call)).message).toMatch(/principals/);
});

it("refuses unknown kinds and options", async () => {
  const handle = await newNamespace(kb);
  const failures = await Promise.all([
    failureOf(() => handle.health.list("typos" as "near-duplicates")),
    failureOf(() => handle.health.report({ staleAfterDays: 0 })),
    failureOf(() => handle.health.list("stale-documents", { perPage: 1000 })),
  ]);
  expect(failures.map(({ code, message }) => [code, message.split(/[ :]/, 1)[0]])).toEqual([
    ["invalid_input", "kind"],
    ["invalid_input", "staleAfterDays"],
    ["invalid_input", "perPage"],
  ]);
});
