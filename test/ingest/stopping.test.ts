import { KnowledgeBase } from "lorebase";
import { describe, expect, it, onTestFinished } from "vitest";
import { gateEmbedder } from "../support/gate.js";
import { failureOf } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";
import { rowsOf } from "../support/rows-of.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

function open(directory = temporaryDirectory()) {
  const gate = gateEmbedder();
  const kb = new KnowledgeBase({ directory, embedders: [providerOf(gate)], defaultEmbedding: { provider: "GATE" } });
  onTestFinished(() => kb.close());
  return { kb, gate, directory };
}

const items = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ type: "TEXT" as const, text: `number ${index}` }));

describe("cancel", () => {
  it("stops a running job, keeps completed documents and removes partial ones", async () => {
    const { kb, gate, directory } = open();
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    const notes = kb.namespace("notes");
    const run = await notes.ingest({ type: "BATCH", items: items(3) });
    const [first] = await gate.arrival();
    gate.open();
    // Documents run side by side; the one that was let through completes.
    for await (const event of run) {
      if (event.type === "document.status" && event.status === "COMPLETED") break;
    }
    expect((await notes.ingestJobs.cancel(run.id)).status).toBe("CANCELLING");
    const job = await run.done();
    expect(job.status).toBe("CANCELLED");
    expect((await notes.ingestJobs.cancel(run.id)).status).toBe("CANCELLED");
    const { items: documents } = await notes.documents.list({ order: "asc" });
    expect(documents.map(({ status }) => status).sort()).toEqual(["CANCELLED", "CANCELLED", "COMPLETED"]);
    await kb.drain();
    expect((await notes.search("number")).map(({ text }) => text)).toEqual([first]);
    expect(rowsOf(directory)).toMatchObject({ chunks: 1, vectors: 1 });
    gate.openForAll();
    expect((await (await notes.ingestJobs.reingest(run.id)).done()).status).toBe("COMPLETED");
    expect(await notes.search("number")).toHaveLength(3);
  });

  it("of a waiting job is immediate; of a finished one it is rejected", async () => {
    const directory = temporaryDirectory();
    const kb = new KnowledgeBase({ directory, worker: false, defaultEmbedding: { provider: "MANAGED_LEXICAL" } });
    onTestFinished(() => kb.close());
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    const { ingestJobs: jobs } = kb.namespace("notes");
    const { id } = await jobs.create({ payload: { type: "TEXT", text: "one" } });
    expect((await jobs.cancel(id)).status).toBe("CANCELLED");
    const done = await jobs.create({ payload: { type: "TEXT", text: "two" } });
    await kb.drain();
    expect((await failureOf(() => jobs.cancel(done.id))).code).toBe("conflict");
  });
});

describe("close", () => {
  it("during a job leaves it to the next engine, which finishes it", async () => {
    const { kb, gate, directory } = open();
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    const run = await kb.namespace("notes").ingest({ type: "BATCH", items: items(40) });
    await gate.arrival();
    gate.open();
    for await (const event of run) {
      if (event.type === "document.status" && event.status === "COMPLETED") break;
    }
    await kb.close();
    await kb.close();
    expect((await failureOf(() => kb.namespaces.list())).code).toBe("closed");
    expect(rowsOf(directory)).toMatchObject({ tasks: 1 });

    const next = open(directory);
    next.gate.openForAll();
    const notes = next.kb.namespace("notes");
    const again = await notes.ingestJobs.watch(run.id);
    const job = await again.done();
    expect(job).toMatchObject({ status: "COMPLETED", counts: { documents: { total: 40, completed: 40, failed: 0 } } });
    expect(rowsOf(directory)).toMatchObject({ documents: 40, chunks: 40, vectors: 40 });
    const steps = [];
    for await (const event of again)
      if (event.type === "document.status") steps.push(`${event.documentId} ${event.status}`);
    // Its whole course can be read again, and no document was completed twice.
    expect(steps.filter((step) => step.endsWith("COMPLETED"))).toHaveLength(40);
    expect(new Set(steps.filter((step) => step.endsWith("COMPLETED"))).size).toBe(40);
  });
});

describe("ingesting again", () => {
  it("is rejected while the job is running, in any phase", async () => {
    const { kb, gate } = open();
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    const { ingestJobs: jobs } = kb.namespace("notes");
    const { id } = await jobs.create({ payload: { type: "TEXT", text: "one" } });
    await gate.arrival();
    expect((await jobs.get(id)).status).toBe("PROCESSING");
    const { code, message } = await failureOf(() => jobs.reingest(id));
    expect([code, message]).toEqual([
      "conflict",
      `The job ${id} is PROCESSING: only a finished job can be ingested again.`,
    ]);
    gate.openForAll();
    expect((await (await jobs.watch(id)).done()).status).toBe("COMPLETED");
  });

  it("does not bring back documents that were deleted", async () => {
    const { kb, gate } = open();
    gate.openForAll();
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    const notes = kb.namespace("notes");
    const { id } = await (await notes.ingest({ type: "TEXT", text: "one" })).done();
    const { items: documents } = await notes.documents.list();
    await notes.documents.delete(documents[0]!.id);
    await kb.drain();
    const { code, message } = await failureOf(() => notes.ingestJobs.reingest(id));
    expect([code, message]).toEqual(["conflict", `The job ${id} has no documents left to ingest again.`]);
    expect((await notes.documents.list()).items).toEqual([]);
  });
});
