import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { expect, it, onTestFinished, vi } from "vitest";
import { migrate } from "#dist/storage/sqlite/migrate.js";
import { MIGRATIONS } from "#dist/storage/sqlite/migrations/index.js";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { findScope } from "#dist/storage/sqlite/search-index/find-scope.js";
import { VectorFiles } from "#dist/storage/sqlite/search-index/read-vector-files.js";
import { scopeIndex } from "#dist/storage/sqlite/search-index/scope-indexes.js";
import { compactRecords, removeRecords } from "#dist/storage/sqlite/search-index/vector-blocks.js";
import { removeStrayFiles, vectorFilePath, writeVectorFiles } from "#dist/storage/sqlite/search-index/vector-files.js";
import { Statements } from "#dist/storage/sqlite/statements.js";
import { encodeQuery } from "#dist/vector-scan/query.js";
import { SharedScan } from "#dist/vector-scan/shared-scan.js";
import { ingestTexts, LEXICAL } from "../support/knowledge-base.js";
import { randomFrom } from "../support/odd-vectors.js";
import { recordsOf, unit } from "../support/scan-records.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const DIMENSIONS = 1024;
const TEXTS = 40;

/** A scope of forty passages of which most are in four blocks, as another process's writer sees it. */
async function sealedScope() {
  const directory = temporaryDirectory();
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  onTestFinished(() => kb.close());
  const { id: namespaceId } = await kb.namespaces.create({ name: "Notes", slug: "notes" });
  await ingestTexts(
    kb.namespace("notes"),
    Array.from({ length: TEXTS }, (_, at) => `storm ${at}`),
  );
  const open = (role: "writer" | "reader") => {
    const connection = openConnection(join(directory, "lorebase.db"), role);
    onTestFinished(() => void connection.close());
    return new Statements(connection);
  };
  const writer = open("writer");
  const scope = { organizationId: "org_default", namespaceId, tenantId: null };
  const scopeId = findScope(writer, scope)!.id;
  compactRecords(writer, scopeId, 9);
  const make = (helpers = 0) => {
    const reader = open("reader");
    const rows = vi.spyOn(reader, "rows");
    const limits = { memoryBytes: 2 ** 30, fromChunks: 0, deriveFrom: 0, helpers };
    const index = scopeIndex(reader, findScope(reader, scope)!, DIMENSIONS, limits)!;
    // How many blocks it has read, and not had from files.
    const [, , except] = rows.mock.calls.find(([sql]) => sql.includes("vector_blocks"))!;
    return { length: index.length, filed: JSON.parse(except as string).length as number };
  };
  const files = () =>
    writer.column<string>("SELECT name FROM vector_files").map((name) => vectorFilePath(writer, name)!);
  return { directory, kb, writer, scopeId, make, files };
}

it("reads blocks from files when a reader starts, alone or with other threads", async () => {
  const { writer, scopeId, make, files } = await sealedScope();
  expect(make()).toEqual({ length: TEXTS, filed: 0 });
  writeVectorFiles(writer, scopeId, { fileBytes: 1 });
  expect(files().length).toBe(4);
  expect(make()).toEqual({ length: TEXTS, filed: 4 });
  expect(make(1)).toEqual({ length: TEXTS, filed: 4 });
  // Nothing is left to be written again.
  writeVectorFiles(writer, scopeId, { fileBytes: 1 });
  expect(files().length).toBe(4);
});

it("joins blocks into files of similar size", async () => {
  const { writer, scopeId, make, files } = await sealedScope();
  const [bytes] = writer.column<number>("SELECT max(length(records)) FROM vector_blocks");
  writeVectorFiles(writer, scopeId, { fileBytes: 2 * bytes! });
  expect(files().length).toBe(2);
  expect(make()).toEqual({ length: TEXTS, filed: 4 });
  expect(writeVectorFiles(writer, scopeId)).toBe(0);
  expect(files().length).toBe(2);
});

it("do not include a block that has been split", async () => {
  const { writer, scopeId, make } = await sealedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: 2 ** 15 });
  const [documentSeq] = writer.column<number>("SELECT first_document FROM vector_blocks ORDER BY seq LIMIT 1");
  removeRecords(writer, { scopeId, documentSeq: documentSeq!, generation: null });
  expect(make()).toEqual({ length: TEXTS, filed: 3 });
});

it("are read into as many segments as they need", () => {
  const directory = temporaryDirectory();
  const connection = openConnection(join(directory, "lorebase.db"), "writer");
  const writer = new Statements(connection);
  onTestFinished(() => void connection.close());
  migrate(connection, MIGRATIONS);
  const scope = { id: 1, epoch: 0, chunks: 50_000 };
  const random = randomFrom(3);
  writer.exec(`INSERT INTO organizations (id, name, created_at) VALUES ('org_1', '', 0);
    INSERT INTO namespaces (id, organization_id, name, slug, slug_key, embedding_config, vector_store_config, created_at)
      VALUES ('ns_1', 'org_1', '', '', '', '{}', '{}', 0);
    INSERT INTO scopes (id, namespace_id) VALUES (1, 'ns_1');
    INSERT INTO ingest_jobs (id, namespace_id, status, config, created_at) VALUES ('job_1', 'ns_1', 'COMPLETED', '{}', 0);
    INSERT INTO documents (seq, id, ingest_job_id, namespace_id, scope_id, item, status, config, file_size, mime_type, generation, created_at)
      VALUES (1, 'doc_1', 'job_1', 'ns_1', 1, 0, 'COMPLETED', '{}', 0, '', 1, 0);`);
  for (let first = 0; first < scope.chunks; first += 10_000) {
    const vectors = Array.from({ length: 10_000 }, () => unit(Float32Array.from({ length: 8 }, () => random() - 0.5)));
    const ones = new Uint8Array(new Float64Array(10_000).fill(1).buffer);
    writer.run(
      `INSERT INTO vector_blocks (scope_id, first_document, last_document, dimensions, documents, generations, records)
       VALUES (1, 1, 1, 8, ?, ?, ?)`,
      ...[ones, ones, recordsOf(vectors, first)],
    );
  }
  const limits = { memoryBytes: 2 ** 30, fromChunks: 0, deriveFrom: 0, helpers: 1 };
  const query = encodeQuery(unit(Float32Array.from({ length: 8 }, () => random() - 0.5)))!;
  const found = () => {
    const reader = new Statements(openConnection(join(directory, "lorebase.db"), "reader"));
    onTestFinished(() => void reader.connection.close());
    return scopeIndex(reader, scope, 8, limits)!.nearest(query, 200, null);
  };
  const expected = found();
  writeVectorFiles(writer, 1, { fileBytes: 2 ** 19 });
  expect(writer.column("SELECT count(*) FROM vector_files")).toEqual([2]);
  const read = vi.spyOn(VectorFiles.prototype, "read");
  expect(found()).toEqual(expected);
  expect(read.mock.results.map(({ value }) => value.length)).toEqual([4]);
});

it("uses the blocks if a file is missing or unreadable, and writes the file again", async () => {
  const { writer, scopeId, make, files } = await sealedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: 1 });
  rmSync(files()[0]!);
  writeFileSync(files()[1]!, "no records");
  expect(make()).toEqual({ length: TEXTS, filed: 2 });
  const failing = vi.spyOn(SharedScan.prototype, "close").mockReturnValue(false);
  expect(make()).toEqual({ length: TEXTS, filed: 0 });
  failing.mockRestore();
  rmSync(files()[1]!);
  compactRecords(writer, scopeId, 1);
  writeVectorFiles(writer, scopeId, { fileBytes: 1 });
  writeVectorFiles(writer, scopeId, { fileBytes: 1 });
  expect(files().every((path) => existsSync(path))).toBe(true);
  const { length, filed } = make();
  expect([length, filed]).toEqual([TEXTS, writer.column("SELECT count(*) FROM vector_blocks")[0]]);
});

it("removes half-dead and unlisted files, but not those that another process may be writing", async () => {
  const { directory, kb, writer, scopeId, make, files } = await sealedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: 1 });
  const folder = join(directory, "scan");
  const { items } = await kb.namespace("notes").documents.list({ perPage: 30 });
  for (const { id } of items) await kb.namespace("notes").documents.delete(id);
  await kb.drain();
  expect(files().length).toBeLessThan(4);
  expect(readdirSync(folder).sort()).toEqual(
    files()
      .map((path) => path.slice(folder.length + 1))
      .sort(),
  );
  expect(make().length).toBe(TEXTS - 30);

  const [young, old] = ["young", "old"].map((name) => join(folder, name)) as [string, string];
  for (const path of [young, old, ...files()]) writeFileSync(path, "", { flag: "a" });
  const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const path of [old, ...files()]) utimesSync(path, longAgo, longAgo);
  removeStrayFiles(writer);
  expect([existsSync(young), existsSync(old)]).toEqual([true, false]);
  expect(files().every((path) => existsSync(path))).toBe(true);
});

it("are added to a database of an earlier version step by step", async () => {
  const { directory, kb, writer, scopeId, files } = await sealedScope();
  await kb.close();
  // As much as is worth a file.
  writer.run("UPDATE vector_blocks SET records = zeroblob(?)", 2 ** 20);
  expect(files()).toEqual([]);
  const again = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  onTestFinished(() => again.close());
  await again.start();
  await vi.waitFor(() => expect(files().length).toBe(1));
  expect(writer.column("SELECT count(*) FROM vector_file_blocks")).toEqual([4]);
  expect(writeVectorFiles(writer, scopeId)).toBe(0);
});

it("get their tables in a database without them", () => {
  const connection = openConnection(join(temporaryDirectory(), "lorebase.db"), "writer");
  onTestFinished(() => void connection.close());
  migrate(connection, MIGRATIONS.slice(0, 6));
  migrate(connection, MIGRATIONS);
  expect(new Statements(connection).column("SELECT count(*) FROM vector_files")).toEqual([0]);
});
