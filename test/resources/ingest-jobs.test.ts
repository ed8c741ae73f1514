import type { NamespaceHandle } from "lorebase";
import { fakeEmbedder } from "lorebase/testing";
import { afterAll, describe, expect, it } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";

const embedder = fakeEmbedder({ dimensions: 16 });
const kb = openKnowledgeBase({ embedders: [providerOf(embedder)] });
afterAll(() => kb.close());

const TEXT = { type: "TEXT", text: "A lamp in the harbour." } as const;
const embeddedSince = (start: number) =>
  embedder.calls.slice(start).flatMap(({ texts, purpose }) => (purpose === "document" ? texts : []));

async function chunkIds(handle: NamespaceHandle, documentId: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of handle.documents.chunks(documentId)) ids.push(id);
  return ids;
}

describe("a job", () => {
  it("is returned before the work begins, and read until its end", async () => {
    const handle = await newNamespace(kb);
    const job = await handle.ingestJobs.create({
      payload: TEXT,
      name: "First",
      externalId: "e-1",
      config: { chunkSize: 64 },
    });
    expect(job).toMatchObject({
      id: expect.stringMatching(/^job_[0-9a-f]{32}$/),
      namespaceId: handle.ref,
      tenantId: null,
      externalId: "e-1",
      name: "First",
      status: "QUEUED",
      error: null,
      payload: TEXT,
      config: { chunkSize: 64 },
      completedAt: null,
    });
    const done = await (await handle.ingestJobs.watch(job.id)).done();
    expect(done).toMatchObject({ id: job.id, status: "COMPLETED", createdAt: job.createdAt });
    expect(done.counts).toEqual({ documents: { total: 1, completed: 1, failed: 0 }, pages: 1, chunks: 1, embedded: 1 });
    for (const phase of [done.queuedAt, done.preProcessingAt, done.processingAt, done.completedAt])
      expect(phase).toMatch(/^\d{4}-/);
    const [document] = (await handle.documents.list({ ingestJobId: job.id })).items;
    expect(document).toMatchObject({
      id: expect.stringMatching(/^doc_[0-9a-f]{32}$/),
      ingestJobId: job.id,
      source: TEXT,
      status: "COMPLETED",
      properties: { fileSize: TEXT.text.length, mimeType: "text/plain" },
      totalChunks: 1,
      totalCharacters: TEXT.text.length,
      totalPages: 1,
      config: { chunkSize: 64 },
    });
    expect(document!.totalTokens).toBeGreaterThan(3);
    expect((await handle.documents.list({ statuses: ["FAILED"] })).items).toEqual([]);
    expect((await handle.ingestJobs.list({ statuses: ["COMPLETED"] })).items.map(({ id }) => id)).toEqual([job.id]);
  });

  it("has an external id that is its own in the namespace and tenant, until it is deleted", async () => {
    const handle = await newNamespace(kb);
    const { id } = await handle.ingest(TEXT, { externalId: "same" });
    const error = await failureOf(() => handle.ingest(TEXT, { externalId: "same" }));
    expect(error.code).toBe("conflict");
    expect(error.message).toContain('"same"');
    await handle.tenant("acme").ingest(TEXT, { externalId: "same" });
    expect((await failureOf(() => handle.tenant("acme").ingest(TEXT, { externalId: "same" }))).code).toBe("conflict");
    await (await newNamespace(kb)).ingest(TEXT, { externalId: "same" });
    await handle.ingestJobs.delete(id);
    const again = await handle.ingest(TEXT, { externalId: "same" });
    expect(again.id).not.toBe(id);
  });

  it("merges each item's config over its own, metadata key by key", async () => {
    const handle = await newNamespace(kb);
    const long = "One sentence of a longer text stands here. ".repeat(8).trim();
    const run = await handle.ingest(
      {
        type: "BATCH",
        items: [
          { type: "TEXT", text: long, fileName: "plain.txt" },
          {
            type: "TEXT",
            text: long,
            fileName: "own.txt",
            config: { chunkSize: 64, metadata: { lang: "de", extra: 1 } },
          },
        ],
      },
      { chunkSize: 2_000, delimiter: "@@", metadata: { lang: "en", year: 2026 } },
    );
    await run.done();
    const [plain, own] = (await handle.documents.list({ order: "asc" })).items;
    expect(plain!.config).toEqual({ chunkSize: 2_000, delimiter: "@@", metadata: { lang: "en", year: 2026 } });
    expect(own!.config).toEqual({ chunkSize: 64, delimiter: "@@", metadata: { lang: "de", year: 2026, extra: 1 } });
    expect(plain!.totalChunks).toBe(1);
    expect(own!.totalChunks).toBeGreaterThan(3);
    const [hit] = await handle.search("sentence", { filter: { lang: "de" } });
    expect(hit!.metadata).toMatchObject({ lang: "de", year: 2026, extra: 1, filename: "own.txt" });
  });
});

describe("ingesting again", () => {
  it("keeps the ids and embeds nothing that has not changed", async () => {
    const handle = await newNamespace(kb, { embeddingConfig: { provider: embedder.provider } });
    const items = ["The first text.", "The second text.", "The first text."].map((text) => ({
      type: "TEXT" as const,
      text,
    }));
    const start = embedder.calls.length;
    const run = await handle.ingest({ type: "BATCH", items });
    const first = await run.done();
    expect(first.counts.embedded).toBe(3);
    expect(new Set(embeddedSince(start))).toEqual(new Set(["The first text.", "The second text."]));
    const documents = (await handle.documents.list()).items;
    const before = await Promise.all(documents.map(({ id }) => chunkIds(handle, id)));

    const again = embedder.calls.length;
    const second = await (await handle.ingestJobs.reingest(run.id)).done();
    expect(second).toMatchObject({ id: run.id, status: "COMPLETED", createdAt: first.createdAt });
    expect(embeddedSince(again)).toEqual([]);
    expect((await handle.documents.list()).items.map(({ id }) => id)).toEqual(documents.map(({ id }) => id));
    expect(await Promise.all(documents.map(({ id }) => chunkIds(handle, id)))).toEqual(before);
    expect(await handle.search("text")).toHaveLength(2);

    const elsewhere = await newNamespace(kb, { embeddingConfig: { provider: embedder.provider } });
    const other = embedder.calls.length;
    await (await elsewhere.ingest(items[0]!)).done();
    expect(embeddedSince(other)).toEqual(["The first text."]);
  });

  it("embeds only the chunks that are new", async () => {
    const handle = await newNamespace(kb, { embeddingConfig: { provider: embedder.provider } });
    await (await handle.ingest({ type: "TEXT", text: "Stays as it is.@@Will change." }, { delimiter: "@@" })).done();
    const start = embedder.calls.length;
    await (await handle.ingest({ type: "TEXT", text: "Stays as it is.@@Has changed." }, { delimiter: "@@" })).done();
    expect(embeddedSince(start)).toEqual(["Has changed."]);
  });

  it("changes how all documents of a job are chunked, and changes it back", async () => {
    const handle = await newNamespace(kb, { embeddingConfig: { provider: embedder.provider } });
    const text = "The lamp is lit at dusk.@@The keeper rows home in the fog.";
    const items = [{}, { config: { delimiter: "keeper", metadata: { lang: "de" } } }];
    const run = await handle.ingest(
      { type: "BATCH", items: items.map((item) => ({ type: "TEXT" as const, text, ...item })) },
      { maxChunkSize: 4000, metadata: { year: 2026 } },
    );
    await run.done();
    const chunked = async () => {
      const { items: documents } = await handle.documents.list({ order: "asc" });
      const texts = documents.map(async ({ id, config }) => {
        const chunks: string[] = [];
        for await (const chunk of handle.documents.chunks(id)) chunks.push(chunk.text);
        return { id, config, chunks };
      });
      return Promise.all(texts);
    };
    const before = await chunked();
    expect(before.map(({ chunks }) => chunks.length)).toEqual([1, 2]);

    const refused = await failureOf(() =>
      handle.ingestJobs.reingest(run.id, { chunking: { chunkSize: 64, chunkOverlap: 64 } }),
    );
    expect(refused.issues).toMatchObject([{ field: "chunking.chunkOverlap" }]);
    await handle.ingestJobs.reingest(run.id, { chunking: { delimiter: "@@" } }).done();
    const [first, second] = await chunked();
    const chunks = ["The lamp is lit at dusk.", "The keeper rows home in the fog."];
    expect(first).toEqual({ id: before[0]!.id, config: { delimiter: "@@", metadata: { year: 2026 } }, chunks });
    expect(second).toMatchObject({ id: before[1]!.id, config: { metadata: { year: 2026, lang: "de" } }, chunks });
    expect(await handle.ingestJobs.get(run.id)).toMatchObject({ config: { delimiter: "@@" } });
    // It counts as the same options.
    const config = { delimiter: "@@", metadata: { year: 2026 } };
    const same = await handle.ingest({ type: "TEXT", text }, { ...config, dedupe: true });
    await same.done();
    expect(await same.duplicates()).toHaveLength(1);

    await handle.ingestJobs.reingest(run.id, { chunking: { maxChunkSize: 4000 } }).done();
    expect((await chunked())[0]).toEqual(before[0]);
  });

  it("makes the same config of a batch item as a new job does, so that dedupe finds its document", async () => {
    const handle = await newNamespace(kb);
    const submit = (delimiter: string, dedupe: boolean) =>
      handle.ingest(
        { type: "BATCH", items: [{ ...TEXT, config: { delimiter, allow: ["user:7"] } }] },
        { metadata: { year: 2026 }, chunkSize: 64, dedupe },
      );
    const run = await submit("@@", false);
    await run.done();
    for (const delimiter of ["|", "@@"]) {
      await handle.ingestJobs.reingest(run.id, { chunking: { delimiter, chunkSize: 64 } }).done();
      const again = await submit(delimiter, true);
      await again.done();
      expect(await again.duplicates()).toHaveLength(1);
    }
  });

  it("waits for the end of the run before", async () => {
    const handle = await newNamespace(kb);
    const run = await handle.ingest(TEXT);
    await run.done();
    await handle.ingestJobs.delete(run.id);
    const refused = await failureOf(() => handle.ingestJobs.reingest(run.id));
    expect(["conflict", "not_found"]).toContain(refused.code);
  });
});

describe("deleting", () => {
  it("hides a document at once, in every mode, and leaves its siblings", async () => {
    const handle = await newNamespace(kb);
    await (await handle.ingest({ type: "BATCH", items: [TEXT, { ...TEXT, text: "Another lamp." }] })).done();
    const [gone, kept] = (await handle.documents.list({ order: "asc" })).items;
    const deleted = await handle.documents.delete(gone!.id);
    expect(["QUEUED_FOR_DELETE", "DELETING"]).toContain(deleted.status);
    for (const mode of ["semantic", "keyword", "hybrid"] as const) {
      const hits = await handle.search("lamp", { mode });
      expect(hits.map(({ metadata }) => metadata?.documentId)).toEqual([kept!.id]);
    }
    await kb.drain();
    expect((await failureOf(() => handle.documents.get(gone!.id))).code).toBe("not_found");
    expect((await handle.documents.list()).items.map(({ id }) => id)).toEqual([kept!.id]);
  });

  it("hides a job's documents at once, and is complete after a while", async () => {
    const handle = await newNamespace(kb);
    const run = await handle.ingest({ type: "BATCH", items: [TEXT, TEXT] });
    await run.done();
    expect(["QUEUED_FOR_DELETE", "DELETING"]).toContain((await handle.ingestJobs.delete(run.id)).status);
    for (const mode of ["semantic", "keyword", "hybrid"] as const)
      expect(await handle.search("lamp", { mode })).toEqual([]);
    await kb.drain();
    expect((await failureOf(() => handle.ingestJobs.get(run.id))).code).toBe("not_found");
    expect((await handle.documents.list()).items).toEqual([]);
  });

  it("answers twice alike", async () => {
    const idle = openKnowledgeBase({ worker: false });
    const handle = await newNamespace(idle);
    const run = await handle.ingest({ type: "BATCH", items: [TEXT, TEXT] });
    await idle.drain();
    const [document] = (await handle.documents.list()).items;
    for (const call of [() => handle.documents.delete(document!.id), () => handle.ingestJobs.delete(run.id)]) {
      const first = await call();
      expect(first.status).toBe("QUEUED_FOR_DELETE");
      expect(await call()).toEqual(first);
    }
    expect((await handle.documents.get(document!.id)).status).toBe("QUEUED_FOR_DELETE");
    await idle.drain();
    expect((await failureOf(() => handle.documents.get(document!.id))).code).toBe("not_found");
    await idle.close();
  });

  it("removes a tenant's content and nothing else", async () => {
    const handle = await newNamespace(kb);
    for (const scope of [handle, handle.tenant("acme"), handle.tenant("other")])
      await (await scope.ingest(TEXT)).done();
    await kb.namespaces.deleteTenant(handle.ref, "acme");
    expect(await handle.tenant("acme").search("lamp")).toEqual([]);
    await kb.drain();
    expect((await handle.documents.list()).items.map(({ tenantId }) => tenantId)).toEqual(["other", null]);
    for (const scope of [handle, handle.tenant("other")]) expect(await scope.search("lamp")).toHaveLength(1);
  });
});

it("lists large jobs in pages that end before they are too large, and leaves none out", async () => {
  const handle = await newNamespace(kb);
  const text = "x".repeat(3 * 1024 * 1024);
  const ids: string[] = [];
  for (let index = 0; index < 5; index++) {
    ids.push((await handle.ingestJobs.create({ payload: { type: "TEXT", text } })).id);
  }
  const first = await handle.ingestJobs.list({ order: "asc" });
  expect([first.items.length, first.hasMore]).toEqual([2, true]);
  const listed: string[] = [];
  for await (const { id } of handle.ingestJobs.iterate({ order: "asc" })) listed.push(id);
  expect(listed).toEqual(ids);
  const failure = await failureOf(() => handle.ingestJobs.list({ order: "asc", page: 1 }));
  expect(failure.message).toContain("only 2 of its records fit");
  expect((await handle.ingestJobs.list({ order: "asc", page: 2, perPage: 2 })).items.map(({ id }) => id)).toEqual(
    ids.slice(2, 4),
  );
});
