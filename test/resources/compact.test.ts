import { cpSync, existsSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type CompactProgress, KnowledgeBase, type KnowledgeBaseOptions, type NamespaceHandle } from "lorebase";
import { describe, expect, onTestFinished } from "vitest";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import { copiesOf } from "../support/copied-directory.js";
import { failureOf, ingestTexts, LEXICAL } from "../support/knowledge-base.js";
import { onlySqlite } from "../support/only-sqlite.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

// test/storage/postgres/compact.test.ts has PostgreSQL's.
const it = onlySqlite("compacts the files of a directory");

const NOTES = Array.from({ length: 20 }, (_, index) => `Note ${index}: the keeper lit the lamp at ${index}.`);
const textOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `Page ${from + index}: a storm from the west, force ${index}.`).join(
    "\n\n",
  );
const SIZES = { chunkSize: 48, maxChunkSize: 64, chunkOverlap: 0 };

/** Notes, and, with `isLarge`, two documents of which the second has most of the content: enough for a keyword table. */
async function fill(directory: string, isLarge: boolean): Promise<void> {
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  await kb.namespaces.create({ name: "Notes", slug: "notes" });
  const notes = kb.namespace("notes");
  await ingestTexts(notes, NOTES);
  if (isLarge) {
    await notes.ingest({ type: "TEXT", text: textOf(0, 300) }, SIZES).done({ throwOnFailure: true });
    await notes.ingest({ type: "TEXT", text: textOf(300, 1800) }, SIZES).done({ throwOnFailure: true });
  }
  await kb.drain();
  await kb.close();
}

const copyOfLarge = copiesOf((directory) => fill(directory, true));
const copyOfSmall = copiesOf((directory) => fill(directory, false));

function open(directory: string, options: KnowledgeBaseOptions = {}) {
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL, ...options });
  onTestFinished(() => kb.close());
  return { kb, notes: kb.namespace("notes") };
}

/** A knowledge base whose largest documents were deleted. */
async function openEmptied(options: KnowledgeBaseOptions = {}) {
  const { directory } = await copyOfLarge();
  const { kb, notes } = open(directory);
  await deleteLarge(notes);
  await kb.drain();
  if (Object.keys(options).length === 0) return { directory, kb, notes };
  await kb.close();
  return { directory, ...open(directory, options) };
}

async function deleteLarge(notes: NamespaceHandle): Promise<void> {
  const { items } = await notes.documents.list({ perPage: 100 });
  for (const { id, totalChunks } of items) if (totalChunks > 100) await notes.documents.delete(id);
}

const sizeOf = (directory: string) => statSync(join(directory, "lorebase.db")).size;

async function findings(kb: KnowledgeBase): Promise<readonly string[]> {
  const messages: string[] = [];
  for await (const event of kb.check()) if (event.type === "finding") messages.push(event.finding.message);
  return messages;
}

const bytesOf = (places: readonly { readonly place: string; readonly bytesAfter: number }[], place: string) =>
  places.find((each) => each.place === place)!.bytesAfter;

it("makes the files about as small as if what was deleted had never been there", async () => {
  const { directory, kb, notes } = await openEmptied();
  const before = sizeOf(directory);
  const phases = new Set<CompactProgress["phase"]>();
  const { places, remaining } = await kb.compact({ onProgress: ({ phase }) => phases.add(phase) });
  expect(remaining).toEqual([]);
  expect([...phases]).toEqual(["database", "keywords"]);
  expect(places.map(({ place }) => place)).toEqual(["database", "log", "vectors", "files"]);
  const small = sizeOf((await copyOfSmall()).directory);
  expect(before).toBeGreaterThan(8 * small);
  expect(sizeOf(directory)).toBeLessThan(1.5 * small);
  expect(places[0]).toEqual({ place: "database", bytesBefore: before, bytesAfter: sizeOf(directory) });
  expect(bytesOf(places, "log")).toBe(0);
  expect(await findings(kb)).toEqual([]);
  expect((await notes.search("keeper lamp", { topK: 50, mode: "keyword" })).length).toBe(NOTES.length);
});

it("adds nothing to a log that a long read has let grow too large, and goes on once the read has ended", async () => {
  const { directory, kb } = await openEmptied();
  const file = join(directory, "lorebase.db");
  const reader = new Database(file, { readonly: true });
  onTestFinished(() => void reader.close());
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM documents").get();
  await kb.namespaces.create({ name: "Other", slug: "other" });
  // A log of this size, most of it without content.
  truncateSync(`${file}-wal`, 65 * 1024 * 1024);
  const steps: CompactProgress[] = [];
  const { remaining } = await kb.compact({ onProgress: (step) => steps.push(step) });
  expect(remaining).toEqual([expect.stringContaining("still needs the write-ahead log")]);
  expect(steps.filter(({ phase }) => phase === "database")).toHaveLength(2);
  expect(steps.filter(({ phase, done }) => phase === "keywords" && done > 0)).toEqual([]);
  reader.exec("COMMIT");
  expect((await kb.compact()).remaining).toEqual([]);
  expect(statSync(`${file}-wal`).size).toBe(0);
  expect(await findings(kb)).toEqual([]);
});

it("keeps searches and writes, of this and of other processes, waiting for no more than the step that runs", async () => {
  const { directory, kb, notes } = await openEmptied();
  const other = open(directory, { worker: false });
  const storage = await openSqliteStorage(directory);
  onTestFinished(() => storage.close());
  const compaction = storage.compact({ rewrite: false, signal: undefined });
  let steps = 0;
  for (let ended = false; !ended; steps++) {
    const step = compaction.next();
    // The next step begins only after these. Something that waited for the end of the compaction would wait for ever.
    for (const handle of [notes, other.notes]) {
      const hits = await handle.search("keeper lamp", { mode: "keyword", topK: 100 });
      expect(hits.length).toBe(NOTES.length + steps);
    }
    await ingestTexts(notes, [`Note ${steps}: the keeper lit another lamp.`]);
    await other.notes.ingestJobs.create({ payload: { type: "TEXT", text: "A storm." } });
    ended = (await step).done === true;
  }
  expect(steps).toBeGreaterThan(5);
  await kb.drain();
  expect(await findings(kb)).toEqual([]);
});

it("leaves a sound database when its process ends after any step", async () => {
  const { directory, kb } = await openEmptied();
  const images: string[] = [];
  const onProgress = () => {
    // No step runs, so this is what a process leaves that is killed here.
    const image = join(temporaryDirectory(), "lorebase.db");
    for (const file of ["", "-wal"]) {
      const from = join(directory, `lorebase.db${file}`);
      if (existsSync(from)) cpSync(from, `${image}${file}`);
    }
    images.push(image);
  };
  await kb.compact({ onProgress });
  expect(images.length).toBeGreaterThan(5);
  const outcomes = images.map((image) => {
    const database = new Database(image);
    onTestFinished(() => void database.close());
    database.function("keyword_text", { deterministic: true }, () => "");
    const chunks = database.prepare("SELECT count(*) FROM chunks").pluck().get();
    return [database.pragma("integrity_check", { simple: true }), chunks];
  });
  expect(outcomes).toEqual(images.map(() => ["ok", NOTES.length]));
});

it("stops at a signal, and goes on with the next call", async () => {
  const { directory, kb } = await openEmptied();
  const before = sizeOf(directory);
  const stop = new AbortController();
  const call = kb.compact({ signal: stop.signal, onProgress: () => stop.abort() });
  await expect(call).rejects.toMatchObject({ name: "AbortError" });
  expect(await findings(kb)).toEqual([]);
  await kb.compact();
  expect(sizeOf(directory)).toBeLessThan(before / 4);
});

describe("says what remains, and what helps", () => {
  it("while removals are queued", async () => {
    const { directory } = await copyOfLarge();
    const { kb, notes } = open(directory, { worker: false });
    await deleteLarge(notes);
    const { remaining } = await kb.compact();
    expect(remaining).toEqual([expect.stringMatching(/^2 removals are still queued\. .*lorebase work/)]);
  });

  it("while a long read needs the log", async () => {
    const { directory, kb } = await openEmptied();
    const before = sizeOf(directory);
    const reader = new Database(join(directory, "lorebase.db"));
    reader.exec("BEGIN; SELECT count(*) FROM chunks");
    const { remaining } = await kb.compact();
    expect(remaining).toEqual([expect.stringMatching(/^A long read, .* Compact again once it has ended\.$/)]);
    reader.exec("COMMIT");
    reader.close();
    expect((await kb.compact()).remaining).toEqual([]);
    expect(sizeOf(directory)).toBeLessThan(before / 4);
  });

  it("of a file of an earlier version, which shrinks after it was rewritten", async () => {
    const { directory } = await copyOfLarge();
    const earlier = new Database(join(directory, "lorebase.db"));
    earlier.pragma("auto_vacuum = NONE");
    earlier.exec("VACUUM");
    earlier.close();
    const { kb, notes } = open(directory);
    const { items } = await notes.documents.list({ perPage: 100 });
    const [second, first] = items.filter(({ totalChunks }) => totalChunks > 100);
    await notes.documents.delete(second!.id);
    await kb.drain();
    const before = sizeOf(directory);
    const { places, remaining } = await kb.compact();
    expect(remaining).toEqual([expect.stringMatching(/has \d+\.\d MB of free pages.*lorebase compact --rewrite/)]);
    expect(bytesOf(places, "database")).toBeGreaterThanOrEqual(before * 0.9);
    expect(bytesOf(places, "log")).toBe(0);
    expect((await kb.compact({ rewrite: true })).remaining).toEqual([]);
    const rewritten = sizeOf(directory);
    expect(rewritten).toBeLessThan(before / 3);
    await notes.documents.delete(first!.id);
    await kb.drain();
    await kb.compact();
    expect(sizeOf(directory)).toBeLessThan(rewritten * 0.7);
    expect(await findings(kb)).toEqual([]);
  });
});

it("is refused for reading only, and with options that it doesn't have", async () => {
  const { directory } = await copyOfSmall();
  const { kb } = open(directory, { readOnly: true });
  expect((await failureOf(() => kb.compact())).code).toBe("forbidden");
  const writable = open((await copyOfSmall()).directory).kb;
  expect(await failureOf(() => writable.compact({ rewrite: 1 } as never))).toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("rewrite"),
  });
});
