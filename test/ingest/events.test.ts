import type { IngestEvent, KnowledgeBase, StoredIngestEvent } from "lorebase";
import { afterAll, beforeAll, expect, it } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const TEXTS = ["one", "two", "three"].map((text) => ({ type: "TEXT" as const, text }));

let kb: KnowledgeBase;
const told: StoredIngestEvent[] = [];
let ended: Promise<void>;
beforeAll(() => {
  kb = openKnowledgeBase();
  kb.on("document.status", (event) => told.push(event));
  ended = new Promise((resolve) => {
    kb.on("job.status", (event) => {
      told.push(event);
      if (event.status === "COMPLETED") resolve();
    });
  });
});
afterAll(() => kb.close());

async function eventsOf(events: AsyncIterable<IngestEvent>): Promise<StoredIngestEvent[]> {
  const all: StoredIngestEvent[] = [];
  for await (const event of events) if ("seq" in event) all.push(event);
  return all;
}

it("numbers stored events in their order, for watchers of a job and of everything alike", async () => {
  const run = await (await newNamespace(kb)).ingest({ type: "BATCH", items: TEXTS });
  const all = await eventsOf(run);
  const numbers = all.map(({ seq }) => seq);
  expect(all.length).toBeGreaterThan(TEXTS.length);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  await ended;
  expect(told).toEqual(all);
});

it("continues after any event seen before", async () => {
  const run = await (await newNamespace(kb)).ingest({ type: "BATCH", items: TEXTS });
  const all = await eventsOf(run);
  for (const [index, { seq }] of all.entries())
    expect(await eventsOf(run.events({ after: seq }))).toEqual(all.slice(index + 1));
  expect(await eventsOf(run.events({ after: 0 }))).toEqual(all);
  expect(await eventsOf(run.events({ after: Number.MAX_SAFE_INTEGER }))).toEqual([]);
});

it("yields events of a job from its last ingest on, and earlier ones on request", async () => {
  const notes = await newNamespace(kb);
  const first = await notes.ingest({ type: "BATCH", items: TEXTS });
  const all = await eventsOf(first);
  const ways = [() => notes.ingestJobs.reingest(first.id), () => kb.ingestJobs.reingest(notes.ref, first.id)];
  for (const reingest of ways) {
    const run = await reingest();
    const again = await eventsOf(run);
    expect(again[0]).toMatchObject({ type: "job.status", status: "QUEUED_FOR_RESYNC" });
    expect(again.at(-1)).toMatchObject({ type: "job.status", status: "COMPLETED" });
    all.push(...again);
    expect(await eventsOf(run.events({ after: 0 }))).toEqual(all);
  }
  expect(await eventsOf(first)).toEqual(all);
});

it.each([-1, 1.5, Number.NaN, "1"])("rejects %j as a position to continue from", async (after) => {
  const run = await (await newNamespace(kb)).ingest(TEXTS[0]!);
  const error = await failureOf(() => eventsOf(run.events({ after: after as number })));
  expect([error.code, error.issues[0]!.field]).toEqual(["invalid_input", "after"]);
});
