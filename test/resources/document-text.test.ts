import type { Chunk, NamespaceHandle } from "lorebase";
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { readPublishedChunks } from "#dist/resources/published-chunks.js";
import { gateEmbedder } from "../support/gate.js";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { makePdf, pdfLines } from "../support/make-files.js";
import { providerOf } from "../support/providers.js";

const kb = openKnowledgeBase();
afterAll(() => kb.close());
let handle: NamespaceHandle;
beforeEach(async () => {
  handle = await newNamespace(kb);
});

async function ingested(body: Uint8Array | string, fileName: string): Promise<string> {
  const { key } = await handle.uploads.put({ fileName, body: Buffer.from(body) });
  const job = await (await handle.ingest({ type: "MANAGED_FILE", key }, { chunkSize: 200 })).done();
  expect(job.error).toBeNull();
  const [document] = (await handle.documents.list({ ingestJobId: job.id })).items;
  return document!.id;
}

async function chunksOf(id: string): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of handle.documents.chunks(id)) chunks.push(chunk);
  return chunks;
}

/** Three pages of sentences that end with their page; the second page has no text. */
const makeReport = () =>
  makePdf(
    [1, 2, 3].map((page) =>
      page === 2
        ? []
        : pdfLines(
            Array.from({ length: 8 }, (_, line) => `Page ${page} has a line with the number ${line} of its own.`),
            50,
            200,
          ),
    ),
  );

test("ranges of chunks count in the text, and boxes say where they stand", async () => {
  const id = await ingested(await makeReport(), "report.pdf");
  const { text, pages } = await handle.documents.text(id);
  const chunks = await chunksOf(id);
  expect(chunks.length).toBeGreaterThan(2);
  for (const { text: shown, range, boxes, metadata } of chunks) {
    expect(text.slice(range.start, range.end)).toBe(shown);
    const page = pages.find(({ start, end }) => range.start >= start && range.end <= end)!.page;
    expect(metadata.page_number).toBe(page);
    expect(boxes!.map((box) => box.page)).toEqual([page]);
    const [left, top, right, bottom] = boxes![0]!.bbox;
    expect([Math.round(left), Math.round(top), Math.round(bottom)]).toEqual([50, 192, 286]);
    expect(right).toBeGreaterThan(200);
  }
  const [hit] = await handle.search("line with the number", { mode: "keyword" });
  expect(text.slice(hit!.range!.start, hit!.range!.end)).toBe(hit!.text);
  expect(hit!.boxes).toHaveLength(1);
  const [bare] = await handle.search("line with the number", { mode: "keyword", includeMetadata: false });
  expect(Object.keys(bare!)).toEqual(["id", "score", "text"]);
});

test("pages are read alone, in the places that they have in the whole text", async () => {
  const id = await ingested(await makeReport(), "report.pdf");
  const whole = await handle.documents.text(id);
  expect(whole.pages.map(({ page }) => page)).toEqual([1, 2, 3]);
  for (const { page, start, end } of whole.pages) {
    const { text, pages } = await handle.documents.text(id, { pages: { from: page, to: page } });
    expect(text).toBe(whole.text.slice(start, end));
    expect(text).toMatch(page === 2 ? /^$/ : new RegExp(`^Page ${page} .*own\\.$`));
    expect(pages).toEqual([{ page, start, end }]);
  }
  expect((await handle.documents.text(id, { pages: { from: 2 } })).text).toBe(
    whole.text.slice(whole.pages[1]!.start, whole.pages[2]!.end),
  );
  expect(await handle.documents.text(id, { pages: { from: 4 } })).toEqual({ text: "", pages: [] });
});

test("a range is read as it is in the whole text, between pages too", async () => {
  const id = await ingested(await makeReport(), "report.pdf");
  const { text, pages } = await handle.documents.text(id);
  for (const edge of pages.flatMap(({ start, end }) => [start, end])) {
    for (let start = Math.max(0, edge - 2); start < edge + 2; start++) {
      for (let end = start; end < edge + 4; end++)
        expect((await handle.documents.text(id, { range: { start, end } })).text).toBe(text.slice(start, end));
    }
  }
});

test("a text without pages is one page, however long", async () => {
  const long = Array.from({ length: 9000 }, (_, i) => `Sentence ${i} with a lamp 💡 in it.`).join("\n\n");
  const id = await ingested(long, "long.txt");
  const { text, pages } = await handle.documents.text(id);
  expect(text).toBe(long);
  expect(pages).toEqual([{ page: 1, start: 0, end: long.length }]);
  const { range, boxes, text: shown } = (await chunksOf(id)).at(-1)!;
  expect(text.slice(range.start, range.end)).toBe(shown);
  expect(boxes).toBeUndefined();
});

test("a text goes with its generation and its document", async () => {
  const run = await handle.ingest({ type: "TEXT", text: "It is there." });
  await run.done();
  const [document] = (await handle.documents.list()).items;
  await (await handle.ingestJobs.reingest(run.id)).id;
  await kb.drain();
  expect((await handle.documents.text(document!.id)).text).toBe("It is there.");
  await handle.documents.delete(document!.id);
  await kb.drain();
  expect(await failureOf(() => handle.documents.text(document!.id))).toMatchObject({ code: "not_found" });
});

test("chunks of a range are those that overlap it", async () => {
  const id = await ingested(Array.from({ length: 300 }, (_, row) => `Line ${row} of the log.`).join("\n\n"), "log.md");
  const all = await chunksOf(id);
  const { length } = all;
  expect(length).toBeGreaterThan(20);
  const overlaps = async (start: number, end: number) => {
    const chunks: Chunk[] = [];
    for await (const chunk of handle.documents.chunks(id, { range: { start, end } })) chunks.push(chunk);
    return chunks;
  };
  const total = all.at(-1)!.range.end;
  for (const [start, end] of [
    [0, 1],
    [all[3]!.range.end, all[5]!.range.start],
    [all[3]!.range.end - 1, all[5]!.range.start + 1],
    [total - 1, total],
    [total, total + 10],
  ] as const)
    expect(await overlaps(start, end)).toEqual(all.filter(({ range }) => range.start < end && range.end > start));
  expect(await failureOf(() => overlaps(2, 1))).toMatchObject({ code: "invalid_input" });
});

test("chunks of a range are read without those before it", async () => {
  const chunks = Array.from({ length: 10_000 }, (_, ordinal) => ({
    ordinal,
    start: ordinal * 10,
    end: ordinal * 10 + 9,
  }));
  let read = 0;
  const readChunks = async ({ from, limit }: { from: number; limit: number }) => {
    const batch = chunks.slice(from, from + limit);
    read += batch.length;
    return batch;
  };
  const engine = { storage: { index: { readChunks } } } as unknown as Parameters<typeof readPublishedChunks>[0];
  const document = { seq: 1, id: "doc_1", status: "COMPLETED", generation: 1, totalChunks: chunks.length } as const;
  const found: number[] = [];
  const range = { start: 99_980, end: 99_990 };
  for await (const { ordinal } of readPublishedChunks(engine, document, {}, range)) found.push(ordinal);
  expect(found).toEqual([9998]);
  expect(read).toBeLessThan(20);
});

test("a document that is replaced has its published text and chunks until the new ones are whole", async () => {
  const gate = gateEmbedder();
  const gated = openKnowledgeBase({ embedders: [providerOf(gate)] });
  onTestFinished(() => gated.close());
  handle = await newNamespace(gated, { embeddingConfig: { provider: "GATE" } });
  const ingest = (text: string) => handle.ingest({ type: "TEXT", text }, { externalId: "a", onConflict: "replace" });
  const first = ingest("The lamp is lit.");
  await gate.arrival();
  gate.open();
  await first.done();
  const [{ id } = { id: "" }] = (await handle.documents.list()).items;
  const second = ingest("The foghorn sounds twice.");
  await gate.arrival();
  expect((await handle.documents.get(id)).status).toBe("PROCESSING");
  expect((await handle.documents.text(id)).text).toBe("The lamp is lit.");
  expect((await chunksOf(id)).map(({ text }) => text)).toEqual(["The lamp is lit."]);
  gate.open();
  await second.done();
  expect((await handle.documents.text(id)).text).toBe("The foghorn sounds twice.");
});

test("what cannot be read is told", async () => {
  const waiting = openKnowledgeBase({ worker: false });
  const space = await newNamespace(waiting);
  await space.ingest({ type: "TEXT", text: "Not yet." });
  const [document] = (await space.documents.list()).items;
  if (document) expect(await failureOf(() => space.documents.text(document.id))).toMatchObject({ code: "not_ready" });
  const wrong = { pages: { from: 3, to: 2 } };
  expect(await failureOf(() => handle.documents.text("doc_1", wrong))).toMatchObject({ code: "not_found" });
  const id = await ingested("A text.", "a.txt");
  expect(await failureOf(() => handle.documents.text(id, wrong))).toMatchObject({ code: "invalid_input" });
  expect(await failureOf(() => handle.documents.text(id, { pages: { from: 0 } }))).toMatchObject({
    code: "invalid_input",
  });
  await waiting.close();
});
