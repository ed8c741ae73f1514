import { KnowledgeBase } from "lorebase";
import { describe, expect, it, onTestFinished } from "vitest";
import { LEXICAL, newNamespace } from "../support/knowledge-base.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const DAY_MS = 24 * 3_600_000;

/** A knowledge base whose clock the test sets. */
async function openWithClock() {
  let offsetMs = 0;
  const kb = new KnowledgeBase({
    directory: temporaryDirectory(),
    defaultEmbedding: LEXICAL,
    clock: () => new Date(Date.now() + offsetMs),
  });
  onTestFinished(() => kb.close());
  const handle = await newNamespace(kb);
  const jumpTo = (days: number) => {
    offsetMs = days * DAY_MS;
  };
  return { handle, jumpTo };
}

describe.each([
  ["back", [0, -3]],
  ["forth and back", [3, 0]],
  ["back and forth", [0, -3, 0, 3, 0]],
])("a clock that jumps %s", (_, days) => {
  it("delays no job", async () => {
    const { handle, jumpTo } = await openWithClock();
    for (const day of days) {
      const run = await handle.ingest({ type: "TEXT", text: `Written on day ${day}.` });
      jumpTo(day);
      expect((await run.done()).status).toBe("COMPLETED");
    }
  });

  it("leaves lists in the order of createdAt", async () => {
    const { handle, jumpTo } = await openWithClock();
    for (const day of days) {
      jumpTo(day);
      for (const text of ["one", "two"]) {
        const job = await handle.ingestJobs.create({ payload: { type: "TEXT", text } });
        expect((await handle.ingestJobs.get(job.id)).createdAt).toBe(job.createdAt);
      }
    }
    for (const list of [handle.ingestJobs.list, handle.documents.list]) {
      await expect.poll(async () => (await list({ order: "asc" })).items.length).toBe(2 * days.length);
      const times = (await list({ order: "asc" })).items.map(({ createdAt }) => createdAt);
      expect(times).toEqual([...times].sort());
    }
  });
});

it("takes up what was queued three days ahead when it starts", async () => {
  const directory = temporaryDirectory();
  const ahead = new KnowledgeBase({
    directory,
    worker: false,
    defaultEmbedding: LEXICAL,
    clock: () => new Date(Date.now() + 3 * DAY_MS),
  });
  const handle = await newNamespace(ahead);
  const { id } = await handle.ingestJobs.create({ payload: { type: "TEXT", text: "Written ahead." } });
  await ahead.close();
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  onTestFinished(() => kb.close());
  expect((await (await kb.namespace(handle.ref).ingestJobs.watch(id)).done()).status).toBe("COMPLETED");
});
