import { createHash } from "node:crypto";
import type { NamespaceHandle, SignedDownload } from "lorebase";
import { manualClock } from "lorebase/testing";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { presigningStore } from "../support/presigning-store.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const DAY_MS = 24 * 3_600_000;
const TEXT = "# Häfen\n\nA lamp 💡 in the harbour.@@Another line.\n\n## Lights\n\nAnd a third.";

const clock = manualClock();
const publicUrl = "https://example.com/kb/";
const kb = openKnowledgeBase({ worker: false, clock: () => new Date(clock.now()), publicUrl });
let handle: NamespaceHandle;
beforeEach(async () => {
  handle = await newNamespace(kb);
});
afterAll(() => kb.close());

async function ingested(payload: Parameters<NamespaceHandle["ingest"]>[0], options = {}) {
  const run = await handle.ingest(payload, { delimiter: "@@", ...options });
  await kb.drain();
  const [document] = (await handle.documents.list({ ingestJobId: run.id })).items;
  return { jobId: run.id, document: document!, id: document!.id };
}

async function ingestedFile(text = TEXT) {
  const { key } = await handle.uploads.put({
    fileName: "häfen.md",
    contentType: "text/markdown",
    body: Buffer.from(text),
  });
  return ingested({ type: "MANAGED_FILE", key });
}

function signedPartsOf({ url }: { readonly url: string }): SignedDownload {
  const [address, query] = url.split("?");
  const [kind, documentId] = address!.split("/").slice(-2);
  const given = new URLSearchParams(query);
  const [expires, signature] = [Number(given.get("expires")), given.get("signature")!];
  return { kind: kind as SignedDownload["kind"], documentId: documentId!, expires, signature };
}

const read = (body: ReadableStream<Uint8Array>) => new Response(body).arrayBuffer().then((bytes) => Buffer.from(bytes));

describe("the file of a document", () => {
  it("is given whole or in part", async () => {
    const { id } = await ingestedFile();
    const { body, ...file } = await handle.documents.file(id);
    const bytes = Buffer.from(TEXT);
    expect(file).toEqual({
      fileName: "häfen.md",
      mimeType: "text/markdown",
      size: bytes.length,
      etag: createHash("sha256").update(bytes).digest("hex"),
    });
    expect(await read(body)).toEqual(bytes);
    for (const [start, end] of [
      [0, 1],
      [3, 9],
      [9, 9],
      [10, 9999],
    ] as const) {
      const part = await handle.documents.file(id, { range: { start, end } });
      expect(part.size).toBe(bytes.length);
      expect(await read(part.body)).toEqual(bytes.subarray(start, end));
    }
  });

  it.each([
    { start: -1, end: 2 },
    { start: 3, end: 2 },
    { start: 0.5, end: 2 },
  ])("is not given from $start to $end", async (range) => {
    const { id } = await ingestedFile();
    const error = await failureOf(() => handle.documents.file(id, { range }));
    expect([error.code, error.issues[0]!.field]).toEqual(["invalid_input", expect.stringMatching(/^range/)]);
  });

  it("is named as its document is", async () => {
    const { key } = await handle.uploads.put({ fileName: "raw.md", body: Buffer.from(TEXT) });
    const { id } = await ingested({ type: "MANAGED_FILE", key, fileName: "given.md" });
    const { fileName, body } = await handle.documents.file(id);
    await body.cancel();
    expect(fileName).toBe("given.md");
  });

  it("is there for an uploaded one of the caller only", async () => {
    const { id } = await ingested({ type: "TEXT", text: TEXT });
    for (const call of [() => handle.documents.file(id), () => handle.documents.fileDownloadUrl(id)]) {
      const error = await failureOf(call);
      expect([error.code, error.message]).toEqual([
        "unsupported",
        expect.stringContaining("only a MANAGED_FILE document has a file"),
      ]);
    }
    const file = await ingestedFile();
    const elsewhere = await newNamespace(kb);
    for (const { documents } of [elsewhere, handle.tenant("acme")])
      for (const call of [documents.file, documents.fileDownloadUrl, documents.chunksDownloadUrl])
        expect((await failureOf(() => call(file.id))).code).toBe("not_found");
  });

  it("is fetched by anybody at a signed address", async () => {
    const { id } = await ingestedFile();
    const given = await handle.documents.fileDownloadUrl(id);
    expect(given.url).toMatch(
      new RegExp(`^https://example\\.com/kb/v1/downloads/file/${id}\\?expires=\\d+&signature=[\\w-]{43}$`),
    );
    const range = { start: 2, end: 20 };
    const { body, ...rest } = await kb.openDownload(signedPartsOf(given), { range });
    const { body: direct, ...file } = await handle.documents.file(id, { range });
    expect(rest).toEqual(file);
    expect(await read(body)).toEqual(await read(direct));
  });

  it("is fetched from a blob store that signs for itself", async () => {
    const signing = openKnowledgeBase({ worker: false, blobs: presigningStore(temporaryDirectory()) });
    onTestFinished(() => signing.close());
    const space = await newNamespace(signing);
    const { key } = await space.uploads.put({ fileName: "note.txt", body: Buffer.from("hello") });
    await space.ingest({ type: "MANAGED_FILE", key });
    await signing.drain();
    const { url } = await space.documents.fileDownloadUrl((await space.documents.list()).items[0]!.id);
    const { pathname, searchParams } = new URL(url);
    expect(pathname).toBe(`/${key}`);
    expect(Object.fromEntries(searchParams)).toEqual({
      method: "GET",
      fileName: "note.txt",
      contentType: "text/plain",
      expiresInSeconds: "86400",
    });
  });
});

describe("the chunks of a document", () => {
  it("are fetched by anybody at a signed address, as JSON", async () => {
    const metadata = { year: 2026, tags: ["a", "b"], odd: "\ud800 ü" };
    const { id, document } = await ingested(
      { type: "TEXT", text: TEXT, fileName: "häfen.md" },
      { metadata, keepPageheaderInOutput: true },
    );
    const given = await handle.documents.chunksDownloadUrl(id);
    expect(given.url).toContain(`https://example.com/kb/v1/downloads/chunks/${id}?`);
    const { body, ...download } = await kb.openDownload(signedPartsOf(given));
    const bytes = await read(body);
    expect(download).toEqual({
      fileName: "häfen.md.chunks.json",
      mimeType: "application/json",
      size: bytes.length,
      etag: expect.stringContaining(id),
    });
    const chunks = [];
    for await (const chunk of handle.documents.chunks(id)) chunks.push(chunk);
    expect(chunks.length).toBeGreaterThan(1);
    expect(JSON.parse(bytes.toString())).toEqual({
      metadata: { ...metadata, filename: "häfen.md" },
      total_chunks: document.totalChunks,
      total_characters: document.totalCharacters,
      chunks: chunks.map((chunk, index) => ({
        id: chunk.id,
        text: chunk.text,
        metadata: { sequence_number: index, headings: chunk.metadata.headings },
      })),
    });
  });

  it("are fetched in any part", async () => {
    const { id } = await ingested({ type: "TEXT", text: TEXT });
    const signed = signedPartsOf(await handle.documents.chunksDownloadUrl(id));
    const whole = await read((await kb.openDownload(signed)).body);
    for (const size of [1, 7, 64, whole.length - 1, whole.length, whole.length + 1]) {
      const parts: Buffer[] = [];
      for (let start = 0; start < whole.length; start += size) {
        const part = await kb.openDownload(signed, { range: { start, end: start + size } });
        expect(part.size).toBe(whole.length);
        parts.push(await read(part.body));
        expect(parts.at(-1)!.length).toBe(Math.min(size, whole.length - start));
      }
      expect(Buffer.concat(parts)).toEqual(whole);
    }
  });

  it("may be none", async () => {
    const { id, document } = await ingested({ type: "TEXT", text: "\n" }, { metadata: { a: 1 } });
    expect([document.status, document.totalChunks]).toEqual(["COMPLETED", 0]);
    const { body, size } = await kb.openDownload(signedPartsOf(await handle.documents.chunksDownloadUrl(id)));
    const bytes = await read(body);
    expect(bytes.length).toBe(size);
    expect(JSON.parse(bytes.toString())).toEqual({
      metadata: { a: 1 },
      total_chunks: 0,
      total_characters: document.totalCharacters,
      chunks: [],
    });
  });

  it("break off where the document is ingested again meanwhile, and have another etag afterwards", async () => {
    const text = Array.from({ length: 1300 }, (_, index) => `line ${index}`).join("@@");
    const { id, jobId, document } = await ingested({ type: "TEXT", text });
    expect(document.totalChunks).toBe(1300);
    const signed = signedPartsOf(await handle.documents.chunksDownloadUrl(id));
    const before = await kb.openDownload(signed);
    const reader = before.body.getReader();
    await reader.read();
    await handle.ingestJobs.reingest(jobId);
    await kb.drain();
    const error = await failureOf(async () => {
      while (!(await reader.read()).done);
    });
    expect([error.code, error.retryable]).toEqual(["conflict", true]);
    const after = await kb.openDownload(signed);
    expect(after.etag).not.toBe(before.etag);
    expect(after.size).toBe(before.size);
    await after.body.cancel();
  });

  it("are there once the document is completed, and as long as it is", async () => {
    const { id: jobId } = await handle.ingest({ type: "FILE", fileUrl: "http://10.0.0.1/a.pdf" });
    await kb.drain();
    const [failed] = (await handle.documents.list({ ingestJobId: jobId })).items;
    expect((await failureOf(() => handle.documents.chunksDownloadUrl(failed!.id))).code).toBe("not_ready");
    const done = await ingested({ type: "TEXT", text: TEXT });
    const signed = signedPartsOf(await handle.documents.chunksDownloadUrl(done.id));
    await handle.ingestJobs.reingest(done.jobId);
    expect((await failureOf(() => kb.openDownload(signed))).code).toBe("not_ready");
    await kb.drain();
    await (await kb.openDownload(signed)).body.cancel();
  });
});

describe("a download address", () => {
  it("works for a day", async () => {
    const { id } = await ingestedFile();
    for (const given of [await handle.documents.fileDownloadUrl(id), await handle.documents.chunksDownloadUrl(id)]) {
      const signed = signedPartsOf(given);
      expect(signed.expires).toBe(clock.now() + DAY_MS);
    }
    const signed = signedPartsOf(await handle.documents.chunksDownloadUrl(id));
    await clock.advance(DAY_MS);
    await (await kb.openDownload(signed)).body.cancel();
    await clock.advance(1);
    const error = await failureOf(() => kb.openDownload(signed));
    expect([error.code, error.message]).toEqual(["forbidden", "The download URL has expired."]);
  });

  it("is refused once it was changed", async () => {
    const { id } = await ingestedFile();
    const other = await ingestedFile();
    const signed = signedPartsOf(await handle.documents.fileDownloadUrl(id));
    for (const change of [
      { kind: "chunks" as const },
      { documentId: other.id },
      { expires: signed.expires + 1 },
      { signature: "" },
      { signature: signedPartsOf(await handle.documents.chunksDownloadUrl(id)).signature },
    ]) {
      const error = await failureOf(() => kb.openDownload({ ...signed, ...change }));
      expect([error.code, error.message]).toEqual(["forbidden", "The download URL is not valid."]);
    }
  });

  it("leads nowhere once its document or namespace is deleted", async () => {
    const [first, second] = [await ingestedFile(), await ingestedFile()];
    const [gone, hidden] = [
      signedPartsOf(await handle.documents.fileDownloadUrl(first.id)),
      signedPartsOf(await handle.documents.fileDownloadUrl(second.id)),
    ];
    await handle.documents.delete(first.id);
    await kb.drain();
    expect((await failureOf(() => kb.openDownload(gone))).code).toBe("forbidden");
    await kb.namespaces.delete(handle.ref);
    expect((await failureOf(() => kb.openDownload(hidden))).code).toBe("not_found");
    await kb.drain();
    expect((await failureOf(() => kb.openDownload(hidden))).code).toBe("forbidden");
  });
});
