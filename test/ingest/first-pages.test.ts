import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type IngestEvent, KnowledgeBase, KnowledgeBaseError, type NamespaceHandle } from "lorebase";
import { fakeEmbedder } from "lorebase/testing";
import { PDFDocument } from "pdf-lib";
import { afterAll, beforeEach, expect, it, onTestFinished } from "vitest";
import type { Embedder } from "../../src/interfaces/embedder.js";
import type { Parser } from "../../src/interfaces/parser.js";
import type { Provider } from "../../src/interfaces/provider.js";
import { pagedParser, toPages } from "../campaigns/pieces.js";
import { hostedProviders, pineconeConfig } from "../support/hosted-stores.js";
import { newNamespace } from "../support/knowledge-base.js";
import { listener } from "../support/listener.js";
import { providerOf } from "../support/providers.js";
import { rowsOf } from "../support/rows-of.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { fakePinecone } from "../support/vendors/pinecone.js";

/** A file, the number of its pages, and how many are published first. */
interface LongFile {
  readonly name: string;
  readonly body: Uint8Array;
  readonly pages: number;
  readonly first: number;
}

const PDF: LongFile = { name: "manual.pdf", body: await printPdf(300), pages: 300, first: 50 };
/** Read by a parser in this process, which takes a fraction of the time. */
const PAGED: LongFile = { name: "manual.pages", body: toPages(textsOf(20).join("\n\n")), pages: 20, first: 4 };

/** A parser that says of every document that it has read only the first page. */
const partialParser: Parser = {
  name: "partial",
  mimeTypes: ["application/x-partial"],
  extensions: ["partial"],
  supportedOptions: [],
  detect: (head) => new TextDecoder().decode(head).startsWith("PARTIAL"),
  parse: async ({ bytes }) => ({
    blocks: [
      { kind: "paragraph", text: new TextDecoder().decode(bytes), headingPath: [], page: 1, origin: "native" as const },
    ],
    ...{ title: null, mimeType: "application/x-partial", pages: 2, readPages: 1, metadata: {}, warnings: [] },
  }),
};

/** The texts of pages, the last of which ends with a word of its own. */
function textsOf(pages: number): readonly string[] {
  return Array.from({ length: pages }, (_, index) => {
    const text = `This page tells of item${index + 1} and ends with mark${index + 1}.`;
    return index + 1 < pages ? text : `${text} Finis.`;
  });
}

async function printPdf(pages: number): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  for (const text of textsOf(pages)) document.addPage([420, 595]).drawText(text, { x: 40, y: 480, size: 11 });
  return document.save();
}

/** An embedder that stops at the text of the last page. */
function holdingEmbedder() {
  const embedder = fakeEmbedder({ provider: "HOLDING", dimensions: 8, maxBatchSize: 8 });
  let hold = deferred();
  let arrival = deferred();
  return {
    driver: {
      ...embedder,
      cacheable: false,
      async embed(texts, options) {
        if (texts.some((text) => text.includes("Finis"))) {
          arrival.resolve();
          await Promise.race([hold.promise, aborted(options.signal)]);
        }
        return embedder.embed(texts, options);
      },
    } satisfies Embedder,
    /** Waits until the first pages are published and all pages are parsed. */
    arrived: () => arrival.promise,
    letThrough: () => hold.resolve(),
    refuse: () => hold.reject(new KnowledgeBaseError("provider_failed", "The model refuses the text.")),
    reset() {
      hold = deferred();
      arrival = deferred();
    },
  };
}

function deferred() {
  let resolve = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Nothing may be waiting.
  promise.catch(() => {});
  return { promise, resolve, reject };
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

const embedder = holdingEmbedder();

function open(directory: string, holding: Provider<{ provider: string }, Embedder> = providerOf(embedder.driver)) {
  const kb = new KnowledgeBase({
    directory,
    parsers: [pagedParser, partialParser],
    embedders: [holding, providerOf(fakeEmbedder({ provider: "NEW" }))],
    vectorStores: hostedProviders(),
    defaultEmbedding: { provider: "HOLDING" },
    network: { allowPrivateHosts: ["127.0.0.1"] },
  });
  return kb;
}

const directory = mkdtempSync(join(tmpdir(), "lorebase-test-"));
const kb = open(directory);
afterAll(async () => {
  await kb.close();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  await kb.drain();
  embedder.reset();
});

/** What the knowledge base stores of documents. */
function storedRows() {
  const { chunks = 0, vectors = 0, tasks = 0, unpublished_vectors = 0 } = rowsOf(directory);
  return { chunks, vectors, tasks, unpublished_vectors };
}

/** A document whose first pages are published, and whose last chunks are being embedded. */
async function halfIngested(handle: NamespaceHandle, { name, body } = PAGED) {
  const { key } = await handle.uploads.put({ fileName: name, body });
  const run = await handle.ingest({ type: "MANAGED_FILE", key }, { chunkSize: 64 });
  const events: IngestEvent[] = [];
  const followed = (async () => {
    for await (const event of run) events.push(event);
  })();
  await Promise.race([embedder.arrived(), followed]);
  const [document] = (await handle.documents.list({ ingestJobId: run.id })).items;
  return { run, events, followed, document: document! };
}

/** The texts and pages of the passages with a word. */
async function find(handle: NamespaceHandle, word: string) {
  const hits = await handle.search(word, { mode: "keyword" });
  return hits.map(({ text, metadata }) => ({ text, page: metadata?.page_number }));
}

async function findings(kb: KnowledgeBase): Promise<readonly string[]> {
  const messages: string[] = [];
  for await (const event of kb.check()) if (event.type === "finding") messages.push(event.finding.message);
  return messages;
}

const usedTokens = async () => (await kb.organizations.usage("org_default")).tokens.used;

it.each([
  ["in a process", PDF],
  ["by a parser of the caller", PAGED],
])("searches find the first pages of a document that is read %s, and then each passage once", async (_, file) => {
  const before = storedRows();
  const tokens = await usedTokens();
  const notes = await newNamespace(kb);
  const { run, events, followed, document } = await halfIngested(notes, file);
  expect(document).toMatchObject({ status: "PROCESSING", totalPages: file.first });
  const [early] = await find(notes, `item${file.first}`);
  expect(early).toMatchObject({ text: expect.stringContaining(`mark${file.first}.`), page: file.first });
  expect(await find(notes, `item${file.first + 1}`)).toEqual([]);
  expect(await notes.search("item3", { mode: "semantic", topK: 100 })).toHaveLength(document.totalChunks);
  expect(await findings(kb)).toEqual([]);
  expect((await notes.ingestJobs.get(run.id)).counts).toMatchObject({
    documents: { completed: 0 },
    pages: 0,
    chunks: 0,
  });
  const { text, pages } = await notes.documents.text(document.id);
  expect(text).toContain(`mark${file.first}.`);
  expect(text).not.toContain(`mark${file.first + 1}.`);
  expect(pages).toHaveLength(file.first);
  embedder.letThrough();
  const job = await run.done();
  await followed;
  const whole = await notes.documents.get(document.id);
  expect(whole).toMatchObject({ status: "COMPLETED", totalPages: file.pages, name: file.name });
  expect(job.counts).toEqual({
    documents: { total: 1, completed: 1, failed: 0 },
    ...{ pages: file.pages, chunks: whole.totalChunks, embedded: whole.totalChunks },
  });
  expect(await usedTokens()).toBe(tokens + whole.totalTokens);
  const statuses = events.flatMap((event) => (event.type === "document.status" ? [event.status] : []));
  expect(statuses).toEqual(["PRE_PROCESSING", "PROCESSING", "COMPLETED"]);
  const read = events.flatMap((event) => (event.type === "document.progress" && event.pages ? [event.pages.read] : []));
  expect(read).toEqual(read.toSorted((a, b) => a - b));
  if (file === PDF) expect(read.at(-1)).toBe(file.pages);
  const totals = events.flatMap((event) => (event.type === "document.progress" ? [event.chunks.total] : []));
  expect(totals.filter((total) => total !== 0 && total !== whole.totalChunks)).toEqual([]);
  await kb.drain();
  for (const item of [3, file.first, file.first + 1, file.pages])
    expect(await find(notes, `item${item}`)).toHaveLength(1);
  expect(storedRows()).toMatchObject({ chunks: before.chunks + whole.totalChunks, tasks: 0 });
  expect(await findings(kb)).toEqual([]);
});

it("replaces a document that is published by a whole version alone", async () => {
  const notes = await newNamespace(kb);
  const { run } = await halfIngested(notes);
  embedder.letThrough();
  await run.done();
  embedder.reset();
  const again = await notes.ingestJobs.reingest(run.id);
  await embedder.arrived();
  expect(await find(notes, `item${PAGED.pages}`)).toHaveLength(1);
  await notes.ingestJobs.cancel(again.id);
  expect((await again.done()).status).toBe("CANCELLED");
  await kb.drain();
  expect(await find(notes, `item${PAGED.pages}`)).toHaveLength(1);
});

it("leaves nothing of the first pages of a document that fails, before it is ingested again and after", async () => {
  const before = [storedRows(), await usedTokens()];
  const notes = await newNamespace(kb);
  const { run, document } = await halfIngested(notes);
  embedder.refuse();
  await run.done();
  expect(await find(notes, "item3")).toEqual([]);
  await kb.drain();
  expect([storedRows(), await usedTokens()]).toEqual(before);
  expect(await notes.documents.get(document.id)).toMatchObject({ status: "FAILED", totalChunks: 0, totalPages: 0 });
  embedder.reset();
  await notes.ingestJobs.reingest(run.id);
  await embedder.arrived();
  expect(await find(notes, "item3")).toHaveLength(1);
  await notes.ingestJobs.delete(run.id);
  expect(await find(notes, "item3")).toEqual([]);
  await kb.drain();
  expect([storedRows(), await usedTokens()]).toEqual(before);
  expect(await findings(kb)).toEqual([]);
});

it("leaves nothing of the first pages of a document that is deleted", async () => {
  const before = [storedRows(), await usedTokens()];
  const notes = await newNamespace(kb);
  const { run, document } = await halfIngested(notes);
  await notes.documents.delete(document.id);
  expect(await find(notes, "item3")).toEqual([]);
  embedder.letThrough();
  await run.done();
  await kb.drain();
  expect([storedRows(), await usedTokens()]).toEqual(before);
});

it("leaves the first pages searchable for another process, which goes on with the whole document", async () => {
  const directory = temporaryDirectory();
  const kb = open(directory);
  onTestFinished(() => kb.close());
  const notes = await newNamespace(kb);
  const { run, document } = await halfIngested(notes);
  await kb.close();
  const next = open(directory);
  onTestFinished(() => next.close());
  embedder.reset();
  const handle = next.namespace((await next.namespaces.list()).items[0]!.id);
  expect(await find(handle, "item3")).toHaveLength(1);
  await next.start();
  await embedder.arrived();
  expect(await handle.documents.get(document.id)).toMatchObject({ totalChunks: document.totalChunks });
  embedder.letThrough();
  expect((await (await handle.ingestJobs.watch(run.id)).done()).status).toBe("COMPLETED");
  await next.drain();
  for (const item of [3, PAGED.pages]) expect(await find(handle, `item${item}`)).toHaveLength(1);
  expect(rowsOf(directory)).toMatchObject({ chunks: (await handle.documents.get(document.id)).totalChunks });
});

it("keeps the vectors of what is published in a vector store, and no others", async () => {
  const vendor = await fakePinecone({ dimension: 8 });
  const notes = await newNamespace(kb, { vectorStoreConfig: pineconeConfig(vendor) });
  const tokens = await usedTokens();
  const held = () => [...vendor.contents().values()].flat().length;
  const first = await halfIngested(notes);
  expect((await notes.search("item3", { mode: "semantic", topK: 100 })).length).toBe(first.document.totalChunks);
  await notes.ingestJobs.cancel(first.run.id);
  expect(await first.run.done()).toMatchObject({ status: "CANCELLED" });
  expect(await find(notes, "item3")).toEqual([]);
  await kb.drain();
  expect(held()).toBe(0);
  expect(await usedTokens()).toBe(tokens);
  embedder.reset();
  const second = await halfIngested(notes);
  expect((await notes.search("item3", { mode: "semantic", topK: 100 })).length).toBe(second.document.totalChunks);
  embedder.letThrough();
  await second.run.done();
  await kb.drain();
  expect(held()).toBe((await notes.documents.get(second.document.id)).totalChunks);
  expect(storedRows()).toMatchObject({ unpublished_vectors: 0, tasks: 0 });
});

it("changes the model of a namespace while only the first pages are published", async () => {
  const notes = await newNamespace(kb);
  await notes.reembedding.start({ embeddingConfig: { provider: "NEW" } });
  const { run, document } = await halfIngested(notes);
  expect(await notes.reembedding.wait()).toMatchObject({ state: "ready" });
  await notes.reembedding.cutOver();
  expect(await notes.reembedding.wait()).toMatchObject({ state: "cut_over" });
  expect(await notes.search("item3", { mode: "semantic", topK: 100 })).toHaveLength(document.totalChunks);
  embedder.letThrough();
  expect(await run.done()).toMatchObject({ status: "COMPLETED" });
  const { totalChunks } = await notes.documents.get(document.id);
  expect(await notes.search("item3", { mode: "semantic", topK: 100 })).toHaveLength(totalChunks);
  await kb.drain();
  expect(await findings(kb)).toEqual([]);
});

it("fails a document beyond its organization's quota with its first pages", async () => {
  const before = [storedRows(), await usedTokens()];
  const notes = await newNamespace(kb);
  await kb.organizations.update("org_default", { quota: { tokens: (await usedTokens()) + 10 } });
  onTestFinished(async () => void (await kb.organizations.update("org_default", { quota: { tokens: null } })));
  const { run } = await halfIngested(notes);
  expect(await run.done()).toMatchObject({ status: "FAILED", error: expect.stringContaining("tokens") });
  await kb.drain();
  expect([storedRows(), await usedTokens()]).toEqual(before);
});

it("takes what a parser reads for the whole document unless it is asked for the first pages", async () => {
  const notes = await newNamespace(kb);
  const { key } = await notes.uploads.put({ fileName: "a.partial", body: new TextEncoder().encode("PARTIAL item1") });
  const run = await notes.ingest({ type: "MANAGED_FILE", key });
  expect((await run.done()).counts).toMatchObject({ pages: 2, chunks: 1 });
  expect((await (await notes.ingestJobs.reingest(run.id)).done()).counts).toMatchObject({ pages: 2, chunks: 1 });
  expect((await notes.documents.list()).items).toMatchObject([{ status: "COMPLETED", totalPages: 2 }]);
  await kb.drain();
  expect(await find(notes, "item1")).toHaveLength(1);
});

it("fails a crawled document with its first pages if the crawl fails, and publishes no part of it as a whole", async () => {
  let isGone = false;
  const site = await listener(({ url }, out) => {
    if (url === "/") {
      const links = isGone ? "" : '<a href="/manual.pages">Manual</a> <a href="/slow">Slow</a>';
      out.writeHead(200, { "content-type": "text/html" }).end(`<title>Start</title><p>The start. ${links}</p>`);
    } else if (url === "/manual.pages" && !isGone) {
      out.writeHead(200, { "content-type": "application/x-pages" }).end(PAGED.body);
    } else if (url !== "/slow" || isGone) out.writeHead(404).end();
    // The crawl goes on while the other page isn't answered.
  });
  const directory = temporaryDirectory();
  const kb = open(directory);
  onTestFinished(() => kb.close());
  const notes = await newNamespace(kb);
  const run = await notes.ingest(
    { type: "CRAWL", url: `http://127.0.0.1:${site.port}/`, maxDepth: 2 },
    { chunkSize: 64 },
  );
  await embedder.arrived();
  expect(await find(notes, "item3")).toHaveLength(1);
  await kb.close();
  const locked = open(directory, {
    ...providerOf(embedder.driver),
    create: () => Promise.reject(new Error("The key is missing.")),
  });
  onTestFinished(() => locked.close());
  await locked.drain();
  const handle = locked.namespace((await locked.namespaces.list()).items[0]!.id);
  expect(await handle.ingestJobs.get(run.id)).toMatchObject({ status: "FAILED", error: "The key is missing." });
  const manual = async (handle: NamespaceHandle) =>
    (await handle.documents.list()).items.find(({ name }) => name === "manual.pages");
  expect(await manual(handle)).toMatchObject({ status: "FAILED", error: "The key is missing.", totalPages: 0 });
  expect(await find(handle, "item3")).toEqual([]);
  await locked.close();
  isGone = true;
  const next = open(directory);
  onTestFinished(() => next.close());
  const again = next.namespace((await next.namespaces.list()).items[0]!.id);
  await (await again.ingestJobs.reingest(run.id)).done();
  await next.drain();
  expect(await find(again, "item3")).toEqual([]);
  expect((await manual(again))?.status).not.toBe("COMPLETED");
});
