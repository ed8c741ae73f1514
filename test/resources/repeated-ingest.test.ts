import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KnowledgeBase, KnowledgeBaseOptions, NamespaceHandle } from "lorebase";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { gateEmbedder } from "../support/gate.js";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const text = (content: string) => ({ type: "TEXT" as const, text: content });
const batch = (...contents: readonly string[]) => ({ type: "BATCH" as const, items: contents.map(text) });

/** Of the tests that need no other. */
const shared = openKnowledgeBase();
afterAll(() => shared.close());

function open(options: KnowledgeBaseOptions): KnowledgeBase {
  const kb = openKnowledgeBase(options);
  onTestFinished(() => kb.close());
  return kb;
}

async function found(handle: NamespaceHandle, query: string): Promise<readonly string[]> {
  return (await handle.search(query, { mode: "keyword" })).map((hit) => hit.text);
}

async function documentsOf(handle: NamespaceHandle) {
  const documents = [];
  for await (const document of handle.documents.iterate({ order: "asc" })) {
    if (!["QUEUED_FOR_DELETE", "DELETING"].includes(document.status)) documents.push(document);
  }
  return documents;
}

describe("onConflict", () => {
  it("refuses by default, and leaves the job as it is with skip", async () => {
    const handle = await newNamespace(shared);
    const run = await handle.ingest(text("The lamp is lit."), { externalId: "lamp" });
    expect(run.outcome).toBe("created");
    expect((await run.done()).status).toBe("COMPLETED");
    const refused = await failureOf(() => handle.ingest(text("Another."), { externalId: "lamp" }));
    expect(refused.code).toBe("conflict");
    const skipped = await handle.ingest(text("Another."), { externalId: "lamp", onConflict: "skip" });
    expect([skipped.outcome, skipped.id]).toEqual(["skipped", run.id]);
    expect((await skipped.done({ throwOnFailure: true })).id).toBe(run.id);
    expect(await found(handle, "another")).toEqual([]);
    const created = await handle.ingest(text("Another."), { externalId: "other", onConflict: "skip" });
    expect(created.outcome).toBe("created");
    const job = await handle.ingestJobs.create({ payload: text("x"), externalId: "lamp", onConflict: "skip" });
    expect([job.id, job.payload]).toEqual([run.id, text("The lamp is lit.")]);
  });

  it("gives many callers at once one job", async () => {
    const handle = await newNamespace(shared);
    const starts = Array.from({ length: 8 }, () => {
      return handle.ingest(text("The lamp is lit."), { externalId: "lamp", onConflict: "skip" });
    });
    const runs = await Promise.all(starts);
    expect(new Set(runs.map(({ id }) => id)).size).toBe(1);
    expect(runs.filter(({ outcome }) => outcome === "created")).toHaveLength(1);
  });

  it("replaces content under the same ids, and shows the old one until the new one is whole", async () => {
    const gate = gateEmbedder();
    const kb = open({ embedders: [providerOf(gate)] });
    const handle = await newNamespace(kb, { embeddingConfig: { provider: "GATE" } });
    const made = handle.ingest(text("The lamp is lit."), { externalId: "lamp", name: "old" });
    await gate.arrival();
    gate.open();
    const first = await made.done();
    const [before] = await documentsOf(handle);
    const options = { externalId: "lamp", onConflict: "replace", name: "new", metadata: { year: 2 } } as const;
    const run = await handle.ingest(text("The foghorn sounds."), options);
    expect([run.outcome, run.id]).toEqual(["replaced", first.id]);
    await gate.arrival();
    expect(await found(handle, "lamp")).toEqual(["The lamp is lit."]);
    gate.open();
    const job = await run.done({ throwOnFailure: true });
    expect(job).toMatchObject({ name: "new", payload: text("The foghorn sounds."), config: { metadata: { year: 2 } } });
    expect(job.counts.documents).toMatchObject({ total: 1, completed: 1, failed: 0 });
    const [after] = await documentsOf(handle);
    expect(after!.id).toBe(before!.id);
    expect(await found(handle, "lamp")).toEqual([]);
    const [hit] = await handle.search("foghorn", { mode: "keyword", filter: { year: 2 } });
    expect(hit!.text).toBe("The foghorn sounds.");
    const events = [];
    for await (const event of run) if (event.type === "job.status") events.push(event.status);
    expect(events[0]).toBe("QUEUED_FOR_RESYNC");
  });

  it("adds and removes documents where the number of items is another", async () => {
    const handle = await newNamespace(shared);
    const options = { externalId: "notes", onConflict: "replace" } as const;
    await handle.ingest(batch("Note one.", "Note two.", "Note three."), options).done({ throwOnFailure: true });
    const before = (await documentsOf(handle)).map(({ id }) => id);
    const fewer = await handle.ingest(text("Note one again."), options).done({ throwOnFailure: true });
    expect(fewer.counts.documents.total).toBe(1);
    expect((await documentsOf(handle)).map(({ id }) => id)).toEqual([before[0]]);
    expect(await found(handle, "note")).toEqual(["Note one again."]);
    await shared.drain();
    const more = await handle.ingest(batch("Note a.", "Note b."), options).done({ throwOnFailure: true });
    expect(more.counts.documents).toMatchObject({ total: 2, completed: 2 });
    expect((await documentsOf(handle)).map(({ id }) => id)).toEqual([before[0], expect.not.stringMatching(before[1]!)]);
    expect([...(await found(handle, "note"))].sort()).toEqual(["Note a.", "Note b."]);
  });

  it("keeps an uploaded file as long as it is used", async () => {
    const directory = temporaryDirectory();
    const kb = open({ directory });
    const handle = await newNamespace(kb);
    const options = { externalId: "file", onConflict: "replace" } as const;
    const file = (body: string) => ({ file: { name: "a.txt", body: Buffer.from(body) } });
    await handle.ingest(file("The first."), options).done({ throwOnFailure: true });
    await handle.ingest(file("The second."), options).done({ throwOnFailure: true });
    const [document] = await documentsOf(handle);
    const chunks = [];
    for await (const chunk of handle.documents.chunks(document!.id)) chunks.push(chunk.text);
    expect(chunks).toEqual(["The second."]);
    await handle.ingestJobs.reingest(document!.ingestJobId).done({ throwOnFailure: true });
    const { readdirSync, statSync } = await import("node:fs");
    const blobs = readdirSync(join(directory, "blobs"), { recursive: true }) as string[];
    const files = blobs.map((path) => join(directory, "blobs", path)).filter((path) => statSync(path).isFile());
    expect(files.map((path) => readFileSync(path, "utf8"))).toEqual(["The second."]);
  });

  it("changes a job that has not begun, and waits for one that has", async () => {
    const directory = temporaryDirectory();
    const gate = gateEmbedder();
    const setting = { directory, embedders: [providerOf(gate)], defaultEmbedding: { provider: "GATE" } };
    const queueing = open({ ...setting, worker: false });
    const handle = await newNamespace(queueing);
    const options = { externalId: "lamp", onConflict: "replace" } as const;
    const first = await handle.ingest(text("The lamp is lit."), options);
    const second = await handle.ingest(text("The foghorn sounds."), options);
    expect([second.outcome, second.id]).toEqual(["replaced", first.id]);
    const working = open(setting);
    await working.start();
    await gate.arrival();
    const refused = await failureOf(() => handle.ingest(text("Too early."), options));
    expect([refused.code, refused.retryable]).toEqual(["conflict", true]);
    const waiting = working.namespace(handle.ref).ingest(text("The tide turns."), options);
    gate.open();
    expect(await gate.arrival()).toEqual(["The tide turns."]);
    gate.open();
    await waiting.done({ throwOnFailure: true });
    expect(await found(handle, "lamp foghorn tide")).toEqual(["The tide turns."]);
  });

  it("refuses what it can't do", async () => {
    const handle = await newNamespace(shared);
    const crawl = { type: "CRAWL", url: "https://example.com/" } as const;
    const cases = [
      () => handle.ingest(text("x"), { onConflict: "skip" }),
      () => handle.ingest(text("x"), { externalId: "a", onConflict: "merge" as never }),
      () => handle.ingest(crawl, { externalId: "a", onConflict: "replace" }),
      () => handle.ingest(text("x"), { externalId: "a", onConflict: "replace", dedupe: true }),
    ];
    for (const call of cases) expect((await failureOf(call)).code).toBe("invalid_input");
  });
});

describe("dedupe", () => {
  it("leaves out content that is there, and says which document has it", async () => {
    const handle = await newNamespace(shared);
    await handle
      .ingest({ file: { name: "a.txt", body: Buffer.from("The lamp is lit.") } })
      .done({ throwOnFailure: true });
    const [document] = await documentsOf(handle);
    const files = [
      { name: "b.txt", body: Buffer.from("The lamp is lit.") },
      { name: "c.txt", body: Buffer.from("The foghorn sounds.") },
      { name: "d.txt", body: Buffer.from("The foghorn sounds.") },
    ];
    const run = await handle.ingest({ files }, { dedupe: true });
    const job = await run.done({ throwOnFailure: true });
    expect(job.counts.documents).toMatchObject({ total: 1, completed: 1 });
    const all = await documentsOf(handle);
    expect(all.map(({ name }) => name)).toEqual(["a.txt", "c.txt"]);
    expect(await run.duplicates()).toEqual([
      { item: 0, name: "b.txt", documentId: document!.id },
      { item: 2, name: "d.txt", documentId: all[1]!.id },
    ]);
    const again = await handle.ingest(text("The lamp is lit."), { dedupe: true });
    expect((await again.done({ throwOnFailure: true })).counts.documents.total).toBe(0);
    expect(await again.duplicates()).toMatchObject([{ item: 0, documentId: document!.id }]);
  });

  it("ingests content again with another config, for another tenant, and after its document is gone", async () => {
    const handle = await newNamespace(shared);
    const lamp = text("The lamp is lit.");
    await handle.ingest(lamp).done();
    const total = async (place: NamespaceHandle, options: object) => {
      return (await place.ingest(lamp, { dedupe: true, ...options }).done()).counts.documents.total;
    };
    expect(await total(handle, {})).toBe(0);
    expect(await total(handle, { metadata: { year: 1 } })).toBe(1);
    expect(await total(handle.tenant("a"), {})).toBe(1);
    for (const { id, tenantId } of await documentsOf(handle)) if (tenantId === null) await handle.documents.delete(id);
    expect(await total(handle, {})).toBe(1);
  });

  it("compares neither with files of a synced folder, which may go, nor with other formats", async () => {
    const handle = await newNamespace(shared);
    const total = async (input: Parameters<typeof handle.ingest>[0]) =>
      (await handle.ingest(input, { dedupe: true }).done({ throwOnFailure: true })).counts.documents.total;
    const dir = temporaryDirectory();
    writeFileSync(join(dir, "lamp.txt"), "The lamp is lit.");
    await handle.sync({ dir }).done({ throwOnFailure: true });
    expect(await total(text("The lamp is lit."))).toBe(1);
    expect(await total(text("The lamp is lit."))).toBe(0);
    const html = { name: "lamp.html", body: Buffer.from("The lamp is lit.") };
    expect(await total({ file: html })).toBe(1);
  });

  it("ingests the same content once, whoever asks at the same time", async () => {
    const directory = temporaryDirectory();
    const both = [open({ directory }), open({ directory })];
    const handle = await newNamespace(both[0]!);
    const runs = await Promise.all(
      Array.from({ length: 10 }, (_, index) => {
        return both[index % 2]!.namespace(handle.ref).ingest(text("The lamp is lit."), { dedupe: true });
      }),
    );
    const jobs = await Promise.all(runs.map((run) => run.done({ throwOnFailure: true })));
    expect(jobs.reduce((sum, { counts }) => sum + counts.documents.total, 0)).toBe(1);
    expect(await documentsOf(handle)).toHaveLength(1);
  });
});

describe("a file that is ingested a second time from the same path", () => {
  it("is a warning that names both documents and what to do", async () => {
    const handle = await newNamespace(shared);
    const path = join(temporaryDirectory(), "lamp.md");
    writeFileSync(path, "The lamp is lit.");
    const warnings: string[] = [];
    using _listener = shared.on("warning", ({ message }) => warnings.push(message));
    await handle.ingest({ file: path }).done();
    await handle.ingest({ file: { name: "lamp.md", body: readFileSync(path) } }).done();
    expect(warnings).toEqual([]);
    await handle.ingest({ files: [path] }).done();
    const [first, , third] = await documentsOf(handle);
    expect(warnings).toHaveLength(1);
    for (const part of [path, first!.id, third!.id, "sync", "onConflict", "dedupe"])
      expect(warnings[0]).toContain(part);
    await handle.ingest({ file: path }, { dedupe: true }).done();
    expect(warnings).toHaveLength(1);
  });
});
