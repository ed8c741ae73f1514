import { KnowledgeBase, KnowledgeBaseError } from "lorebase";
import { fakeEmbedder } from "lorebase/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { LEXICAL } from "../support/knowledge-base.js";
import { leapingClock } from "../support/leaping-clock.js";
import { optionsOf } from "../support/postgres-directories.js";
import { providerOf } from "../support/providers.js";
import { runScript } from "../support/run-script.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

async function open(script: readonly ("work" | Error)[], attempts = 8) {
  const embedder = { ...fakeEmbedder({ script }), cacheable: false };
  const kb = new KnowledgeBase({
    directory: temporaryDirectory(),
    embedders: [providerOf(embedder)],
    defaultEmbedding: { provider: "FAKE" },
    limits: { attempts },
    clock: leapingClock(),
    worker: false,
  });
  onTestFinished(() => kb.close());
  await kb.namespaces.create({ name: "Notes", slug: "notes" });
  return { kb, embedder, notes: kb.namespace("notes") };
}

const overloaded = new KnowledgeBaseError("provider_failed", "overloaded", { retryable: true });
const refused = new KnowledgeBaseError("provider_failed", "the key is not accepted");

describe("a failure of the embedder", () => {
  it("that is temporary is retried", async () => {
    const { kb, embedder, notes } = await open([overloaded, overloaded]);
    const run = await notes.ingest({ type: "TEXT", text: "one" });
    await kb.drain();
    expect((await run.done()).status).toBe("COMPLETED");
    expect(embedder.calls).toHaveLength(3);
    expect(await notes.search("one", { mode: "keyword" })).toHaveLength(1);
  });

  it("that stays temporary fails the job with its reason", async () => {
    const { kb, embedder, notes } = await open(Array(10).fill(overloaded), 2);
    const run = await notes.ingest({ type: "TEXT", text: "one" });
    await kb.drain();
    expect(await run.done()).toMatchObject({ status: "FAILED", error: "Gave up after 2 attempts: overloaded" });
    expect(embedder.calls).toHaveLength(2);
  });

  it("that is permanent is not retried", async () => {
    const { kb, embedder, notes } = await open([refused]);
    const run = await notes.ingest({ type: "TEXT", text: "one" });
    await kb.drain();
    expect(await run.done()).toMatchObject({ status: "FAILED", error: "the key is not accepted" });
    expect(embedder.calls).toHaveLength(1);
  });

  it("during a repeated ingest keeps the old chunks searchable", async () => {
    const { kb, embedder, notes } = await open(["work", refused]);
    const run = await notes.ingest({ type: "TEXT", text: "one" });
    await kb.drain();
    await notes.ingestJobs.reingest(run.id);
    await kb.drain();
    expect(embedder.calls).toHaveLength(2);
    expect(await notes.ingestJobs.get(run.id)).toMatchObject({ status: "FAILED", error: "the key is not accepted" });
    expect(await notes.search("one", { mode: "keyword" })).toHaveLength(1);
  });
});

describe("a service that is left alone", () => {
  it("uses up no attempts of a job that waits", async () => {
    const failing = { ...fakeEmbedder({ script: Array(8).fill(overloaded) }), cacheable: false };
    const embedder = { ...failing, hosted: { endpoint: "https://vendor.test" } };
    const kb = new KnowledgeBase({
      directory: temporaryDirectory(),
      embedders: [providerOf(embedder)],
      limits: { attempts: 3 },
      calls: { attempts: 4, backoffMs: 1 },
      clock: leapingClock(60_000),
      worker: { concurrency: 1 },
    });
    onTestFinished(() => kb.close());
    const putOff = new Promise<void>((resolve) => {
      let calls = 0;
      kb.on("provider.call", ({ attempts }) => {
        if (attempts === 0 && ++calls === 5) resolve();
      });
    });
    // Two attempts at its creation, which goes on without an answer, four of the job's first run, and two of its second.
    await kb.namespaces.create({ name: "Notes", slug: "notes", embeddingConfig: { provider: "FAKE" } });
    const { id } = await kb.namespace("notes").ingest({ type: "TEXT", text: "one" });
    await putOff;
    expect(failing.calls).toHaveLength(8);
    expect((await kb.namespace("notes").ingestJobs.get(id)).status).not.toBe("FAILED");
  });
});

describe("a document that ends its process each time", () => {
  it("fails after the limit of attempts, retried at once after each crash", async () => {
    const directory = temporaryDirectory();
    const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL, worker: false });
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    const { id } = await kb.namespace("notes").ingest({ type: "TEXT", text: "poison" });
    const { id: other } = await kb.namespace("notes").ingest({ type: "TEXT", text: "food" });
    await kb.close();
    const script = `
      const { KnowledgeBase } = await import(dist + "index.js");
      const chunker = {
        name: "mortal",
        async chunk([{ text }]) {
          if (text === "poison") process.kill(process.pid, "SIGKILL");
          return [{ text, indexText: text, headings: [], page: null, tokens: 1, start: 0, end: text.length }];
        },
      };
      const kb = new KnowledgeBase({ ...JSON.parse(argv[0]), chunker, limits: { attempts: 2 }, worker: { concurrency: 1 } });
      await kb.drain();
      const jobs = await kb.namespace("notes").ingestJobs.list({ order: "asc" });
      await kb.close();
      console.log(JSON.stringify(jobs.items.map(({ id, status, error }) => [id, status, error])));`;
    const options = await optionsOf(directory);
    const ends = [];
    for (let life = 0; life < 3; life++) ends.push(await runScript(script, [options]));
    expect(ends.map(({ signal }) => signal)).toEqual(["SIGKILL", "SIGKILL", null]);
    expect(JSON.parse(ends[2]!.stdout)).toEqual([
      [id, "FAILED", "Gave up after 2 attempts: the process ended each time"],
      [other, "COMPLETED", null],
    ]);
  });
});
