import { afterEach, expect, it } from "vitest";
import { toHashedFile } from "#dist/ingest/hashed-file.js";
import { PeekableFile } from "#dist/parse-workers/peekable-file.js";
import { pooledPreparer } from "#dist/parse-workers/pooled-preparer.js";
import type { ChunkDraft, Chunker } from "../../src/interfaces/chunker.js";
import type { SourceFile } from "../../src/interfaces/parser.js";
import type { StreamedFile } from "../../src/interfaces/streamed-file.js";
import type { Preparer } from "../../src/parse-workers/preparer.js";
import { failureOf } from "../support/knowledge-base.js";
import { sourceFile } from "../support/make-files.js";

const preparers: Preparer[] = [];
afterEach(async () => {
  await Promise.all(preparers.splice(0).map((preparer) => preparer.close()));
});

const MEGABYTE = 1024 * 1024;

/** A file whose bytes come in pieces of the given sizes, and whether what they come from was closed. */
function streamed(bytes: Uint8Array, sizes: readonly number[], size = bytes.length) {
  const state = { closed: false, given: 0 };
  async function* body() {
    try {
      let at = 0;
      for (const length of sizes) {
        state.given++;
        yield bytes.subarray(at, at + length);
        at += length;
      }
      if (at < bytes.length) yield bytes.subarray(at);
    } finally {
      state.closed = true;
    }
  }
  const file: StreamedFile = { name: "a.txt", mimeType: null, size, body: body() };
  return { file, state };
}

function prepare(
  load: SourceFile | StreamedFile,
  { chunker = null, signal }: { chunker?: Chunker | null; signal?: AbortSignal } = {},
) {
  const limits = { timeoutMs: 30_000, maxMemoryBytes: 512 * MEGABYTE };
  const preparer = pooledPreparer({ parsers: [], chunker, languageModel: null, ...limits });
  preparers.push(preparer);
  const chunk = { chunkSize: 1000, maxChunkSize: 2000, chunkOverlap: 0, delimiter: null, maxTokens: null };
  const countTokens = async (texts: readonly string[]) => texts.map(() => 1);
  return preparer.prepare(async () => load, { parse: {}, chunk: { ...chunk, countTokens }, signal });
}

const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(" ");

it.each([1000, 3_000_000])(
  "%i bytes that come in pieces are the file, in a thread and in a process",
  async (length) => {
    const text = words(length).slice(0, length).trimEnd();
    const bytes = Buffer.from(text);
    const { file, state } = streamed(bytes, [1, 0, 10, 500, 0, 100_000]);
    const { text: pieces } = await prepare(file);
    expect(pieces.join("")).toBe(text);
    expect(state.closed).toBe(true);
  },
);

it("a file is read part by part on demand, and its source is closed with it", async () => {
  const { file, state } = streamed(Buffer.alloc(300_000), [100_000, 100_000, 100_000]);
  const peekable = new PeekableFile(file);
  expect((await peekable.peek()).bytes.length).toBe(100_000);
  expect(state.given).toBe(1);
  expect((await peekable.next()).length).toBe(100_000);
  expect(state.given).toBe(1);
  await peekable.close();
  expect(state.closed).toBe(true);
});

function latch() {
  let resolve = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** A file whose source stalls once it has given the first bytes, until it is let go. */
function stalling(size: number, first: number) {
  const stalled = latch();
  const release = latch();
  const closed = latch();
  async function* body() {
    try {
      if (first > 0) yield new Uint8Array(first).fill(97);
      stalled.resolve();
      await release.promise;
    } finally {
      closed.resolve();
    }
  }
  const file: StreamedFile = { name: "a.txt", mimeType: null, size, body: body() };
  return { file, stalled: stalled.promise, release, closed: closed.promise };
}

it("closing a file does not wait for a stalled source, which is closed once its read settles", async () => {
  const { file, stalled, release, closed } = stalling(100_000, 50_000);
  const peekable = new PeekableFile(file);
  await peekable.next();
  const reading = peekable.next().catch((error: unknown) => error);
  await stalled;
  await peekable.close();
  release.reject(new Error("The store is gone."));
  await closed;
  expect(await reading).toMatchObject({ message: "The store is gone." });
});

it.each([0, 100, 50_000, 300_000])(
  "a document whose source stalls after %i bytes and ignores the signal is left when it is aborted",
  async (first) => {
    const { file, stalled, release } = stalling(600_000, first);
    const aborting = new AbortController();
    const preparing = prepare(file, { signal: aborting.signal }).catch((error: unknown) => error);
    await stalled;
    aborting.abort(new Error("no longer wanted"));
    expect(await preparing).toMatchObject({ message: "no longer wanted" });
    release.resolve();
  },
);

it.each([
  [299_999, "more"],
  [300_001, "fewer"],
])("a file of 300,000 bytes that was stored as %i has %s", async (size, word) => {
  const { file } = streamed(Buffer.alloc(300_000, "a "), [100_000], size);
  const { code, message } = await failureOf(() => prepare(file));
  expect([code, message]).toEqual([
    "store_failed",
    `The file "a.txt" has ${word} bytes than the ${size} recorded when it was stored. Ingest it again.`,
  ]);
});

it.each([
  [[10, 10], 10],
  [[9_000, 9_000], 9_000],
  [[300_000, 300_000], 300_000],
  [[10], 0],
])("a file in parts of %j bytes that was stored as %i has more, though a part ends there", async (sizes, size) => {
  const { file } = streamed(Buffer.alloc(size + sizes.at(-1)!, "a "), sizes, size);
  const message = `The file "a.txt" has more bytes than the ${size} recorded when it was stored. Ingest it again.`;
  expect(await failureOf(() => prepare(file))).toMatchObject({ code: "store_failed", message });
});

it("an empty file is rejected", async () => {
  const { file } = streamed(new Uint8Array(), []);
  expect((await failureOf(() => prepare(file))).message).toContain("is empty");
});

it("too many chunks are rejected with advice on how to get fewer", async () => {
  const draft = { text: "a", indexText: "a", headings: [], page: null, tokens: 1, start: 0, end: 1 };
  const cutInto = (count: number): Chunker => ({
    name: "many",
    chunk: async () => new Array<ChunkDraft>(count).fill(draft),
  });
  const file = () => sourceFile("a.txt", "a");
  expect((await prepare(file(), { chunker: cutInto(100_000) })).chunks.length).toBe(100_000);
  const { code, message } = await failureOf(() => prepare(file(), { chunker: cutInto(100_001) }));
  expect([code, message]).toEqual([
    "limit_exceeded",
    '"a.txt" is split into 100001 chunks, more than the 100000 allowed. Increase the chunk size.',
  ]);
});

it("cells of a custom chunker that no sheet has are rejected, with the field named", async () => {
  const draft = { text: "a", indexText: "a", headings: [], page: null, tokens: 1, start: 0, end: 1 };
  const cells = { sheet: "S", columns: [1, 2], rows: [1, 3_000_000_000], range: { start: 0, end: 1 } } as const;
  const cutInto = (...drafts: ChunkDraft[]): Chunker => ({ name: "cells", chunk: async () => drafts });
  const rejected = async (...drafts: ChunkDraft[]) =>
    failureOf(() => prepare(sourceFile("a.txt", "a"), { chunker: cutInto(...drafts) }));
  expect(await rejected(draft, { ...draft, cells: [cells] })).toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("chunks[1].cells[0].rows[1]"),
  });
  const many = new Array<typeof cells>(257).fill({ ...cells, rows: [1, 1] as never });
  expect((await rejected({ ...draft, cells: many })).message).toContain("chunks[0].cells");
});

it("a text of more than 24 Mi characters is rejected", async () => {
  const text = Buffer.alloc(34 * MEGABYTE, "Some words of a sentence.\n\n");
  const { code, message } = await failureOf(() =>
    prepare({ name: "a.txt", mimeType: null, bytes: new Uint8Array(text) }),
  );
  expect(code).toBe("limit_exceeded");
  expect(message).toMatch(/more (?:text|than the 1000000 paragraphs)/);
});

it("the source is closed even if nothing was read", async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    cancel() {
      isCancelled = true;
    },
  });
  const hashed = toHashedFile({ name: "a.txt", mimeType: null, size: 1, body });
  await new PeekableFile(hashed.file).close();
  expect(isCancelled).toBe(true);
});
