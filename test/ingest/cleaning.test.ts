import { KnowledgeBase, type NamespaceHandle } from "lorebase";
import { memoryVectorStore } from "lorebase/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import type { VectorStore } from "../../src/interfaces/vector-store.js";
import { gateEmbedder } from "../support/gate.js";
import { LEXICAL } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";
import { rowsOf } from "../support/rows-of.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const GOLDEN = { question: "Where are the lanterns?", answers: [{ contains: "harbour" }] };
const CLICK = { question: "Where are the lanterns?", chunkId: "doc_1#0" };
const FEEDBACK = { question: "Where are the lanterns?", answer: "At the harbour.", rating: "up" } as const;
const bytes = (text: string) => new TextEncoder().encode(text);

/** One of everything that a scope can hold, and enough of it for a keyword table of its own. */
async function fill(handle: NamespaceHandle): Promise<void> {
  const large = Array.from({ length: 1100 }, (_, index) => `Paragraph ${index} about harbours and lanterns.`).join(
    "\n\n",
  );
  const runs = [
    await handle.ingest(
      { type: "TEXT", text: large },
      { chunkSize: 32, maxChunkSize: 60, metadata: { tags: ["a", "b"], year: 2026 } },
    ),
    await handle.ingest({
      files: [
        { name: "a.md", body: bytes("# One\n\nText") },
        { name: "b.txt", body: bytes("Text") },
      ],
    }),
  ];
  for (const run of runs) expect((await run.done()).status).toBe("COMPLETED");
}

async function open(options: ConstructorParameters<typeof KnowledgeBase>[0] = {}) {
  const directory = temporaryDirectory();
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL, ...options });
  onTestFinished(() => kb.close());
  await kb.start();
  return { kb, directory, empty: rowsOf(directory) };
}

describe("a deleted namespace", () => {
  it("leaves no row and no file, and frees its slug at once", async () => {
    const { kb, directory, empty } = await open();
    const { id } = await kb.namespaces.create({ name: "Notes", slug: "notes" });
    const notes = kb.namespace(id);
    await fill(notes);
    await fill(notes.tenant("acme"));
    await notes.hosting.enable();
    await notes.goldenGuard.set();
    for (const handle of [notes, notes.tenant("acme")]) {
      await handle.feedback.add(FEEDBACK);
      await handle.goldenQuestions.add(GOLDEN);
      await handle.clicks.add(CLICK);
      await handle.evaluations.run({ settings: [{ name: "words", mode: "keyword" }] });
    }
    await notes.uploads.create({ fileName: "never sent.txt", contentType: "text/plain", fileSize: 10 });
    expect(rowsOf(directory)).toMatchObject({
      scopes: 2,
      blobs: 4,
      uploads: 5,
      hosting: 1,
      feedback: 2,
      golden_questions: 2,
      clicks: 2,
      evaluations: 2,
      golden_guards: 1,
    });
    expect(Object.keys(rowsOf(directory)).some((table) => /^keyword|^search_blocks$/.test(table))).toBe(true);
    await kb.namespaces.delete(id);
    await kb.namespaces.create({ name: "Notes again", slug: "notes" });
    expect(await kb.namespace("notes").search("harbours", { mode: "keyword" })).toEqual([]);
    await kb.drain();
    expect(rowsOf(directory)).toEqual({ ...empty, namespaces: 1 });
  });

  it("stops its running jobs and removes their work", async () => {
    const gate = gateEmbedder();
    const { kb, directory, empty } = await open({
      embedders: [providerOf(gate)],
      defaultEmbedding: { provider: "GATE" },
    });
    const { id } = await kb.namespaces.create({ name: "Notes", slug: "notes" });
    const notes = kb.namespace(id);
    const items = Array.from({ length: 20 }, (_, index) => ({ type: "TEXT" as const, text: `number ${index}` }));
    for (let job = 0; job < 5; job++) await notes.ingest({ type: "BATCH", items });
    await notes.ingest({ file: { name: "a.txt", body: bytes("a file") } });
    for (let passed = 0; passed < 5; passed++) {
      await gate.arrival();
      gate.open();
    }
    await kb.namespaces.delete(id);
    // Nobody opens the gate any more: what stands there is called off.
    await kb.drain();
    expect(rowsOf(directory)).toEqual(empty);
  });
});

describe("a dropped tenant", () => {
  it("leaves no row, and the others keep theirs", async () => {
    const { kb, directory } = await open();
    const { id } = await kb.namespaces.create({ name: "Notes", slug: "notes" });
    const notes = kb.namespace(id);
    await (await notes.tenant("other").ingest({ type: "TEXT", text: "stays" })).done();
    await notes.tenant("other").feedback.add(FEEDBACK);
    await notes.tenant("other").goldenQuestions.add(GOLDEN);
    await notes.tenant("other").clicks.add(CLICK);
    // Changes of usage are added up from time to time.
    const rowsLeft = () => ({ ...rowsOf(directory), usage_changes: undefined });
    const before = rowsLeft();
    await fill(notes.tenant("acme"));
    await notes.tenant("acme").feedback.add(FEEDBACK);
    await notes.tenant("acme").goldenQuestions.add(GOLDEN);
    await notes.tenant("acme").clicks.add(CLICK);
    await notes.tenant("acme").evaluations.run({ settings: [{ name: "words", mode: "keyword" }] });
    await kb.namespaces.deleteTenant(id, "acme");
    expect((await notes.feedback.list()).items.map(({ tenantId }) => tenantId)).toEqual(["other"]);
    expect(await notes.tenant("acme").search("harbours", { mode: "keyword" })).toEqual([]);
    await kb.drain();
    expect(rowsLeft()).toEqual(before);
    expect(await notes.tenant("other").search("stays")).toHaveLength(1);
  });
});

describe("a deleted job", () => {
  it("keeps the file that a pending job names", async () => {
    const { kb, directory } = await open({ worker: false });
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    const notes = kb.namespace("notes");
    const { key } = await notes.uploads.put({ fileName: "a.txt", body: bytes("a file") });
    const first = await notes.ingestJobs.create({ payload: { type: "MANAGED_FILE", key } });
    await kb.drain();
    await notes.ingestJobs.delete(first.id);
    const second = await notes.ingestJobs.create({ payload: { type: "MANAGED_FILE", key } });
    await kb.drain();
    expect((await notes.ingestJobs.get(second.id)).status).toBe("COMPLETED");
    await notes.ingestJobs.delete(second.id);
    await kb.drain();
    expect(rowsOf(directory)).not.toHaveProperty("blobs");
    expect(rowsOf(directory)).not.toHaveProperty("uploads");
  });

  it("frees its place in the backlog, as a cancelled one does", async () => {
    const { kb } = await open({ worker: false, limits: { activeJobs: 1 } });
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    const { ingestJobs: jobs } = kb.namespace("notes");
    const create = (text: string) => jobs.create({ payload: { type: "TEXT", text } });
    const [first, second, third] = [await create("one"), await create("two"), await create("three")];
    expect([first.status, second.status, third.status]).toEqual(["QUEUED", "BACKLOG", "BACKLOG"]);
    await jobs.cancel(first.id);
    expect((await jobs.get(second.id)).status).toBe("QUEUED");
    await jobs.delete(second.id);
    expect((await jobs.get(third.id)).status).toBe("QUEUED");
    await kb.drain();
    expect((await jobs.get(third.id)).status).toBe("COMPLETED");
  });
});

describe("a deleted document", () => {
  it("leaves nothing in a vector store that receives its last vectors after the removal", async () => {
    const store = memoryVectorStore();
    let arrive = () => {};
    let release = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const late: VectorStore = {
      ...store,
      async upsert(scope, records) {
        arrive();
        await released;
        await store.upsert(scope, records);
      },
    };
    const { kb, directory } = await open({ vectorStores: [providerOf(late)] });
    await kb.namespaces.create({ name: "Notes", slug: "notes", vectorStoreConfig: { provider: "MEMORY" } });
    const notes = kb.namespace("notes");
    const items = [{ type: "TEXT" as const, text: "one" }];
    const run = await notes.ingest({ type: "BATCH", items });
    await arrived;
    const { items: documents } = await notes.documents.list();
    await notes.documents.delete(documents[0]!.id);
    await expect.poll(() => rowsOf(directory).documents ?? 0).toBe(0);
    release();
    await run.done();
    await kb.drain();
    expect(store.size).toBe(0);
  });
});
