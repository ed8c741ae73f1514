import { KnowledgeBase } from "lorebase";
import { describe, expect, it, onTestFinished } from "vitest";
import { currentProcess } from "#dist/ingest/process-registry.js";
import { gateEmbedder } from "../support/gate.js";
import { failureOf, LEXICAL } from "../support/knowledge-base.js";
import { openStorage } from "../support/open-storage.js";
import { providerOf } from "../support/providers.js";
import { rowsOf } from "../support/rows-of.js";
import { runScript } from "../support/run-script.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

function open(directory: string, options: ConstructorParameters<typeof KnowledgeBase>[0] = {}) {
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL, ...options });
  onTestFinished(() => kb.close());
  return kb;
}

describe("drain", () => {
  it("runs the tasks if there is no worker, and none run before", async () => {
    const directory = temporaryDirectory();
    const kb = open(directory, { worker: false });
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    const { ingestJobs: jobs } = kb.namespace("notes");
    const { id } = await jobs.create({ payload: { type: "TEXT", text: "one" } });
    expect((await jobs.get(id)).status).toBe("QUEUED");
    expect(rowsOf(directory)).toMatchObject({ tasks: 1 });
    await kb.drain();
    expect((await jobs.get(id)).status).toBe("COMPLETED");
    expect(rowsOf(directory)).not.toHaveProperty("tasks");
  });

  it("waits for running tasks, including those of another engine", async () => {
    const directory = temporaryDirectory();
    const gate = gateEmbedder();
    const options = { embedders: [providerOf(gate)], defaultEmbedding: { provider: "GATE" } };
    const [kb, other] = [open(directory, options), open(directory, options)];
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    await kb.namespace("notes").ingest({ type: "TEXT", text: "one" });
    await gate.arrival();
    const drained: string[] = [];
    const both = [kb.drain().then(() => drained.push("own")), other.drain().then(() => drained.push("other"))];
    expect((await other.namespace("notes").ingestJobs.list()).items.map(({ status }) => status)).toEqual([
      "PROCESSING",
    ]);
    expect(drained).toEqual([]);
    gate.openForAll();
    await Promise.all(both);
    expect(await other.namespace("notes").search("one", { mode: "keyword" })).toHaveLength(1);
  });

  it("ends when the signal is aborted or the knowledge base is closed", async () => {
    const gate = gateEmbedder();
    const kb = open(temporaryDirectory(), { embedders: [providerOf(gate)], defaultEmbedding: { provider: "GATE" } });
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    await kb.namespace("notes").ingest({ type: "TEXT", text: "one" });
    await gate.arrival();
    const abort = new AbortController();
    const aborted = kb.drain({ signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    const draining = failureOf(() => kb.drain());
    await kb.close();
    expect((await draining).code).toMatch(/closed|store_failed/);
  });

  it("immediately takes over the tasks of a dead process, without a worker too", async () => {
    const directory = temporaryDirectory();
    const kb = open(directory, { worker: false });
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    const { id } = await kb.namespace("notes").ingest({ type: "TEXT", text: "one" });
    const database = await openStorage(directory);
    const pid = Number((await runScript("console.log(process.pid)", [])).stdout);
    const dead = { ...currentProcess(), id: "dead", pid };
    const now = Date.now();
    await database.processes.recordHeartbeat({ process: dead, running: [], now, leaseMs: 60_000 });
    expect(await database.tasks.claim({ owner: "dead", now, leaseMs: 60_000 })).not.toBeNull();
    await database.close();
    await kb.drain();
    expect((await kb.namespace("notes").ingestJobs.get(id)).status).toBe("COMPLETED");
  });
});

describe("two engines on one directory", () => {
  it("both ingest and search, and each job runs once", async () => {
    const directory = temporaryDirectory();
    const first = open(directory);
    await first.namespaces.create({ name: "Notes", slug: "notes" });
    const engines = [first, open(directory)];
    const runs = await Promise.all(
      Array.from({ length: 40 }, (_, job) =>
        engines[job % 2]!.namespace("notes").ingest({ type: "TEXT", text: `note number${job}` }),
      ),
    );
    for (const run of runs) expect((await run.done()).status).toBe("COMPLETED");
    for (const engine of engines) {
      for (let job = 0; job < 40; job++) {
        const hits = await engine.namespace("notes").search(`number${job}`, { mode: "keyword" });
        expect(hits.map(({ text }) => text)).toEqual([`note number${job}`]);
      }
    }
    await first.drain();
    expect(rowsOf(directory)).toMatchObject({ ingest_jobs: 40, documents: 40, chunks: 40, vectors: 40, processes: 2 });
  });

  it("end a job that the other one cancels while a call of its embedder hangs", async () => {
    const directory = temporaryDirectory();
    const gate = gateEmbedder();
    const options = { embedders: [providerOf(gate)], defaultEmbedding: { provider: "GATE" } };
    const [working, other] = [open(directory, options), open(directory, { ...options, worker: false })];
    await working.namespaces.create({ name: "Notes", slug: "notes" });
    const run = await working.namespace("notes").ingest({ type: "TEXT", text: "one" });
    await gate.arrival();
    await other.namespace("notes").ingestJobs.cancel(run.id);
    expect((await run.done()).status).toBe("CANCELLED");
    expect(await other.namespace("notes").search("one", { mode: "keyword" })).toEqual([]);
    gate.openForAll();
  });
});
