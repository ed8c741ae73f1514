import { truncateSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { createHandler } from "lorebase/http";
import { expect, it, onTestFinished } from "vitest";
import { queryDatabase, writeDatabase } from "../support/database.js";
import { failureOf, LEXICAL, newNamespace } from "../support/knowledge-base.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

/** More than is compared before the first byte is passed on. */
const LARGE = `${"The lamp is lit at dusk. ".repeat(60_000)}The end.`;
const SMALL = "The lamp is lit at dusk.";

async function openWithFile(text: string) {
  const directory = temporaryDirectory();
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL, publicUrl: "http://localhost" });
  onTestFinished(() => kb.close());
  const handle = await newNamespace(kb);
  const { key } = await handle.uploads.put({
    fileName: "lamp.txt",
    contentType: "text/plain",
    body: Buffer.from(text),
  });
  const job = await handle.ingest({ type: "MANAGED_FILE", key }, { chunkSize: 60_000 }).done();
  const [document] = (await handle.documents.list({ ingestJobId: job.id })).items;
  return { kb, handle, jobId: job.id, id: document!.id, path: join(directory, "blobs", key), directory };
}

async function flipLastByte(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[bytes.length - 1]! ^= 1;
  await writeFile(path, bytes);
}

const read = async (body: ReadableStream<Uint8Array>) => Buffer.from(await new Response(body).arrayBuffer());

/** How many bytes of a body come before its error. */
async function readUntilError(body: ReadableStream<Uint8Array>): Promise<{ bytes: number; error: unknown }> {
  let bytes = 0;
  try {
    for await (const part of body) bytes += part.length;
    return { bytes, error: null };
  } catch (error) {
    return { bytes, error };
  }
}

it("does not return a small file that was altered", async () => {
  const { handle, id, path } = await openWithFile(SMALL);
  expect((await read((await handle.documents.file(id)).body)).toString()).toBe(SMALL);
  await flipLastByte(path);
  const error = await failureOf(() => handle.documents.file(id));
  expect(error).toMatchObject({
    code: "store_failed",
    message: expect.stringMatching(/"lamp.txt" is damaged: its SHA-256/),
  });
});

it("ends a large file that was altered with an error before its last bytes", async () => {
  const { handle, id, path } = await openWithFile(LARGE);
  const whole = await readUntilError((await handle.documents.file(id)).body);
  expect(whole).toEqual({ bytes: LARGE.length, error: null });
  await flipLastByte(path);
  const { bytes, error } = await readUntilError((await handle.documents.file(id)).body);
  expect(error).toMatchObject({ code: "store_failed" });
  expect(bytes).toBeLessThan(LARGE.length);
});

it("breaks off a response over HTTP", async () => {
  const { kb, handle, id, path } = await openWithFile(LARGE);
  const handler = createHandler(kb);
  const { url } = await handle.documents.fileDownloadUrl(id);
  await flipLastByte(path);
  const response = await handler(new Request(url));
  expect(response.headers.get("content-length")).toBe(String(LARGE.length));
  await expect(response.arrayBuffer()).rejects.toThrow(/interrupted/);
});

it.each([0, 1, 12, SMALL.length - 1])("does not return a file cut to %i bytes", async (size) => {
  const { handle, id, path } = await openWithFile(SMALL);
  truncateSync(path, size);
  const { code, message } = await failureOf(() => handle.documents.file(id));
  expect({ code, message }).toEqual({
    code: "store_failed",
    message: expect.stringContaining(`it has ${size} bytes, and ${SMALL.length} were uploaded`),
  });
});

it("compares the whole file before the first range of it", async () => {
  const { handle, id, path } = await openWithFile(LARGE);
  await flipLastByte(path);
  const range = { start: 0, end: 8 };
  expect(await failureOf(() => handle.documents.file(id, { range }))).toMatchObject({ code: "store_failed" });
  await flipLastByte(path);
  expect((await read((await handle.documents.file(id, { range })).body)).toString()).toBe("The lamp");
});

it.each([
  ["altered", flipLastByte, /"lamp.txt" is damaged: its SHA-256/],
  ["cut", (path: string) => truncateSync(path, 5), /"lamp.txt" is damaged: it has 5 bytes/],
  ["removed", (path: string) => rm(path), /File not found/],
] as const)("does not ingest a file again that was %s", async (_, change, message) => {
  const { handle, jobId, id, path } = await openWithFile(LARGE);
  await change(path);
  const job = await (await handle.ingestJobs.reingest(jobId)).done();
  expect(job).toMatchObject({ status: "FAILED", error: expect.stringMatching(message) });
  // What was published before stays.
  expect((await handle.search("lamp")).length).toBeGreaterThan(0);
  expect((await handle.documents.get(id)).error).toMatch(message);
});

it("does not ingest a text again that was altered", async () => {
  const { handle, directory, kb } = await openWithFile(SMALL);
  const job = await handle.ingest({ type: "TEXT", text: "The oil is changed at six." }).done();
  writeDatabase(directory, [{ sql: "UPDATE document_sources SET source = replace(source, 'six', 'ten')" }]);
  const again = await (await handle.ingestJobs.reingest(job.id)).done();
  expect(again).toMatchObject({ status: "FAILED", error: expect.stringContaining("is damaged") });
  await kb.close();
  expect(queryDatabase(directory, "SELECT 1 FROM chunks WHERE text LIKE '%ten%'")).toEqual([]);
});
