import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { expect, it, onTestFinished, vi } from "vitest";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { keywordSearch } from "#dist/storage/sqlite/search-index/keyword-search.js";
import { vectorSearch } from "#dist/storage/sqlite/search-index/vector-search.js";
import { warmUp } from "#dist/storage/sqlite/search-index/warm-up.js";
import { Statements } from "#dist/storage/sqlite/statements.js";
import { vectorToBytes } from "#dist/util/float32-bytes.js";
import { LEXICAL } from "../support/knowledge-base.js";
import { onlySqliteHere } from "../support/only-sqlite.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

onlySqliteHere("loads indexes from the file as a thread of SQLite's does");

const LIMITS = { memoryBytes: 2 ** 20, minChunks: 0, minDerivedRecords: 0, helpers: 0 };
const DIMENSIONS = 1024;

it("loads the indexes, so that the first search reads nothing of them", async () => {
  const directory = temporaryDirectory();
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  onTestFinished(() => kb.close());
  const { id: namespaceId } = await kb.namespaces.create({ name: "Notes", slug: "notes" });
  const items = ["storm lamp", "lamp oil", "gull"].map((text) => ({ type: "TEXT" as const, text }));
  await (await kb.namespace("notes").ingest({ type: "BATCH", items })).done();
  await kb.namespaces.warmUp("notes");

  const reader = new Statements(openConnection(join(directory, "lorebase.db"), "reader"));
  onTestFinished(() => void reader.connection.close());
  const scope = { organizationId: "org_default", namespaceId, tenantId: null };
  warmUp(reader, { scope, dimensions: DIMENSIONS, limits: LIMITS });
  const asked = [vi.spyOn(reader, "rows"), vi.spyOn(reader, "get"), vi.spyOn(reader, "exec")];
  const vector = vectorToBytes(new Float32Array(DIMENSIONS).fill(DIMENSIONS ** -0.5));
  const search = { scope, limit: 3, filter: null, required: null, typoTolerance: false, withPassages: false };
  const near = vectorSearch(reader, { ...search, vector, approximate: false, limits: LIMITS });
  const terms = [{ text: "lamp", prefix: false }];
  const words = keywordSearch(reader, { ...search, terms });
  expect([near.matches.length, words.matches.length]).toEqual([3, 2]);
  const statements = asked.flatMap(({ mock }) => mock.calls.map(([sql]) => sql));
  expect(statements.filter((sql) => /v\.vector FROM|_docsize|CREATE VIRTUAL/.test(sql))).toEqual([]);
});
