import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { KnowledgeBase } from "lorebase";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { findScope } from "#dist/storage/sqlite/search-index/find-scope.js";
import { deriveWhenIdle, loadScopeIndex } from "#dist/storage/sqlite/search-index/scope-indexes.js";
import { vectorSearch } from "#dist/storage/sqlite/search-index/vector-search.js";
import { Statements } from "#dist/storage/sqlite/statements.js";
import { recordBytes } from "#dist/vector-scan/record.js";
import { ScopeIndex } from "#dist/vector-scan/scope-index.js";
import { sq4Bytes } from "#dist/vector-scan/sq4.js";
import { ingestTexts, LEXICAL } from "../support/knowledge-base.js";
import { onlySqliteHere } from "../support/only-sqlite.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

onlySqliteHere("loads indexes from the file as a thread of SQLite's does");

/** Every scope has an index, which one thread scans. */
const ALWAYS = { minChunks: 0, minDerivedRecords: 0, helpers: 0 };

it("builds the index of a scope that turns out too large once, and keeps the others' indexes", async () => {
  const directory = temporaryDirectory();
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  onTestFinished(() => kb.close());
  const scopes: { organizationId: string; namespaceId: string; tenantId: null }[] = [];
  for (const slug of ["small", "large"]) {
    const { id: namespaceId } = await kb.namespaces.create({ name: slug, slug });
    await ingestTexts(
      kb.namespace(slug),
      Array.from({ length: slug === "small" ? 2 : 60 }, (_, at) => `storm ${at}`),
    );
    scopes.push({ organizationId: "org_default", namespaceId, tenantId: null });
  }
  const open = () => {
    const connection = openConnection(join(directory, "lorebase.db"), "reader");
    onTestFinished(() => void connection.close());
    return new Statements(connection);
  };
  const indexOf = (db: Statements, which: number, memoryBytes: number) =>
    loadScopeIndex(db, findScope(db, scopes[which]!)!, 1024, { memoryBytes, ...ALWAYS });
  // Room for the records of the large one, and not for what it takes besides.
  const memoryBytes = indexOf(open(), 1, 2 ** 30)!.bytes - 1;
  const reader = open();
  const read = vi.spyOn(reader, "rows");
  expect(indexOf(reader, 1, memoryBytes)).toBeNull();
  expect(read).toHaveBeenCalled();
  const kept = indexOf(reader, 0, memoryBytes);
  expect(kept).not.toBeNull();
  read.mockClear();
  expect(indexOf(reader, 1, memoryBytes)).toBeNull();
  expect(read).not.toHaveBeenCalled();
  expect(indexOf(reader, 0, memoryBytes)).toBe(kept);
  const { items } = await kb.namespace("large").documents.list({ perPage: 40 });
  for (const { id } of items) await kb.namespace("large").documents.delete(id);
  await kb.drain();
  expect(indexOf(reader, 1, memoryBytes)).not.toBeNull();
});

describe("sketches derived from vectors", () => {
  const opened = async () => {
    const directory = temporaryDirectory();
    const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
    onTestFinished(() => kb.close());
    const { id: namespaceId } = await kb.namespaces.create({ name: "Storms", slug: "storms" });
    const ingest = (from: number, count: number) =>
      ingestTexts(
        kb.namespace("storms"),
        Array.from({ length: count }, (_, at) => `storm ${from + at}`),
      );
    const connect = () => {
      const connection = openConnection(join(directory, "lorebase.db"), "reader");
      onTestFinished(() => void connection.close());
      return new Statements(connection);
    };
    const db = connect();
    const scope = { organizationId: "org_default", namespaceId, tenantId: null };
    const indexWithin = (memoryBytes: number) =>
      loadScopeIndex(db, findScope(db, scope)!, 1024, { memoryBytes, ...ALWAYS })!;
    return { db, connect, scope, ingest, indexWithin };
  };

  it("are written once the thread is idle, and dropped if the records need their memory", async () => {
    const { db, scope, ingest, indexWithin } = await opened();
    await ingest(0, 100);
    const index = indexWithin(2 ** 30);
    const { id } = findScope(db, scope)!;
    const { bytes } = index;
    const idleWithin = async (memoryBytes: number) => {
      deriveWhenIdle(db, id, "sq4", { memoryBytes, ...ALWAYS });
      expect(index.countMissing("sq4")).toBe(100);
      await setImmediate();
    };
    await idleWithin(bytes + 100);
    expect(index.countMissing("sq4")).toBe(100);
    await idleWithin(2 ** 30);
    expect(index.countMissing("sq4")).toBe(0);
    expect(index.bytes).toBe(bytes + 100 * sq4Bytes(1024));

    await ingest(100, 100);
    expect(indexWithin(2 ** 30)).toBe(index);
    expect(index.countMissing("sq4")).toBe(100);
    await ingest(200, 100);
    const anew = indexWithin(index.bytes + 100 * recordBytes(1024) - 10_000);
    expect(anew).not.toBe(index);
    expect(anew.length).toBe(300);
    expect(anew.countMissing("sq4")).toBe(300);
  });

  it("are written segment by segment while the thread has no requests", async () => {
    const { db, scope, ingest, indexWithin } = await opened();
    await ingest(0, 10);
    const index = indexWithin(2 ** 30);
    const derive = vi.spyOn(index, "derive").mockReturnValue(true);
    deriveWhenIdle(db, findScope(db, scope)!.id, "signs", { memoryBytes: 2 ** 30, ...ALWAYS });
    await expect.poll(() => derive.mock.calls.length).toBeGreaterThan(30);
    derive.mockRestore();
  });

  it("are used by later searches, with the same results", async () => {
    const { db, connect, scope, ingest } = await opened();
    await ingest(0, 400);
    const vectors = db.column<Uint8Array>("SELECT vector FROM vectors");
    const find = (by: Statements, vector: Uint8Array, approximate: boolean) => {
      const limits = { memoryBytes: by === db ? 2 ** 30 : 0, ...ALWAYS };
      const among = { filter: null, required: null, withPassages: false };
      return vectorSearch(by, { scope, vector, limit: 5, ...among, approximate, limits }).matches;
    };
    const bySql = connect();
    const bySigns = vi.spyOn(ScopeIndex.prototype, "nearestBySigns");
    for (const approximate of [false, true]) {
      find(db, vectors[0]!, approximate);
      expect(bySigns).not.toHaveBeenCalled();
      await setImmediate();
      for (const vector of vectors.slice(0, 20))
        expect(find(db, vector, approximate)).toEqual(find(bySql, vector, approximate));
      await setImmediate();
    }
    expect(bySigns).toHaveBeenCalledTimes(20);
  });
});
