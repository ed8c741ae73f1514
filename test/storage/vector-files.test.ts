import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { expect, it, onTestFinished, vi } from "vitest";
import { migrate } from "#dist/storage/sqlite/migrate.js";
import { MIGRATIONS } from "#dist/storage/sqlite/migrations/index.js";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { findScope } from "#dist/storage/sqlite/search-index/find-scope.js";
import { removeVectors } from "#dist/storage/sqlite/search-index/remove-vectors.js";
import { recordChange } from "#dist/storage/sqlite/search-index/scope-changes.js";
import { scopeIndex } from "#dist/storage/sqlite/search-index/scope-indexes.js";
import {
  isFileWritingDue,
  reconcileVectorFiles,
  vectorFilePath,
  writeVectorFiles,
} from "#dist/storage/sqlite/search-index/vector-files.js";
import { writeVectors } from "#dist/storage/sqlite/search-index/write-vectors.js";
import { Statements } from "#dist/storage/sqlite/statements.js";
import { vectorToBytes } from "#dist/util/float32-bytes.js";
import { encodeQuery } from "#dist/vector-scan/query.js";
import { recordBytes } from "#dist/vector-scan/record.js";
import { ScopeIndex } from "#dist/vector-scan/scope-index.js";
import { SharedScan } from "#dist/vector-scan/shared-scan.js";
import { ingestTexts, LEXICAL } from "../support/knowledge-base.js";
import { randomFrom } from "../support/odd-vectors.js";
import { unit } from "../support/scan-records.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const DIMENSIONS = 1024;
const TEXTS = 40;
/** Bytes of a file with ten records. */
const TEN = 10 * recordBytes(DIMENSIONS);

/** A scope of forty passages, as another process's writer sees it. */
async function ingestedScope() {
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
  /** The records of a new reader's index: all, and those that it has not computed. */
  const read = (helpers = 0) => {
    const append = vi.spyOn(ScopeIndex.prototype, "append");
    const limits = { memoryBytes: 2 ** 30, fromChunks: 0, deriveFrom: 0, helpers };
    const { length } = scopeIndex(open("reader"), findScope(writer, scope)!, DIMENSIONS, limits)!;
    const fromFiles = length - append.mock.calls.length;
    append.mockRestore();
    return { length, fromFiles };
  };
  const files = () =>
    writer.column<string>("SELECT name FROM vector_files ORDER BY id").map((name) => vectorFilePath(writer, name)!);
  const documents = () => writer.column<string>("SELECT id FROM documents WHERE generation > 0 ORDER BY seq");
  return { directory, kb, writer, scope, scopeId, read, files, documents };
}

it("are what a starting reader reads, alone or with other threads", async () => {
  const { writer, scopeId, read, files } = await ingestedScope();
  expect(read()).toEqual({ length: TEXTS, fromFiles: 0 });
  expect(writeVectorFiles(writer, scopeId, { fileBytes: TEN })).toBe(4);
  expect(files().length).toBe(4);
  expect(read()).toEqual({ length: TEXTS, fromFiles: TEXTS });
  expect(read(1)).toEqual({ length: TEXTS, fromFiles: TEXTS });
  expect(writeVectorFiles(writer, scopeId, { fileBytes: 1 })).toBe(0);
});

it("are not written for a few records", async () => {
  const { writer, scopeId, files } = await ingestedScope();
  expect(writeVectorFiles(writer, scopeId)).toBe(0);
  expect(writeVectorFiles(writer, scopeId, { fileBytes: 4 * TEN + 1 })).toBe(0);
  expect(files()).toEqual([]);
});

it("are written for a few records after many changes", async () => {
  const { writer, scopeId, read, files } = await ingestedScope();
  writer.run("UPDATE scopes SET filed_epoch = epoch - 16384 WHERE id = ?", scopeId);
  expect(writeVectorFiles(writer, scopeId)).toBe(1);
  expect(files().length).toBe(1);
  expect(read()).toEqual({ length: TEXTS, fromFiles: TEXTS });
});

it("are due after 16 changes, twice as many, and so on, and then often", () => {
  const due = Array.from({ length: 33_000 }, (_, changes) => changes).filter(isFileWritingDue);
  expect(due.slice(0, 12)).toEqual([16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 16_640]);
});

it("continue where the maximum of files was reached", async () => {
  const { writer, scopeId, read, files } = await ingestedScope();
  expect(writeVectorFiles(writer, scopeId, { fileBytes: TEN, maxFiles: 3 })).toBe(3);
  expect(read()).toEqual({ length: TEXTS, fromFiles: 30 });
  expect(writeVectorFiles(writer, scopeId, { fileBytes: TEN, maxFiles: 3 })).toBe(1);
  expect(files().length).toBe(4);
  expect(read()).toEqual({ length: TEXTS, fromFiles: TEXTS });
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
    INSERT INTO scopes (id, namespace_id, filed_epoch) VALUES (1, 'ns_1', -32768);
    INSERT INTO ingest_jobs (id, namespace_id, status, config, created_at) VALUES ('job_1', 'ns_1', 'COMPLETED', '{}', 0);
    BEGIN`);
  for (let chunk = 0; chunk < scope.chunks; chunk++) {
    const document = 1 + Math.floor(chunk / 10_000);
    if (chunk % 10_000 === 0)
      writer.run(
        `INSERT INTO documents (seq, id, ingest_job_id, namespace_id, scope_id, item, status, config, file_size, mime_type, generation, created_at)
         VALUES (?, 'doc_' || ?, 'job_1', 'ns_1', 1, ?, 'COMPLETED', '{}', 0, '', 1, 0)`,
        ...[document, document, document],
      );
    const vector = unit(Float32Array.from({ length: 8 }, () => random() - 0.5));
    writer.run(
      `INSERT INTO chunks (seq, scope_id, document_seq, generation, ordinal, text, headings, metadata, tokens, start_offset, end_offset, stemmed)
       VALUES (?, 1, ?, 1, ?, '', '[]', '{}', 0, 0, 0, 1)`,
      ...[chunk + 1, document, chunk],
    );
    writer.run("INSERT INTO vectors VALUES (?, 1, ?, 1, ?)", chunk + 1, document, vectorToBytes(vector));
  }
  writer.exec("COMMIT");
  const limits = { memoryBytes: 2 ** 30, fromChunks: 0, deriveFrom: 0, helpers: 1 };
  const query = encodeQuery(unit(Float32Array.from({ length: 8 }, () => random() - 0.5)))!;
  const found = () => {
    const reader = new Statements(openConnection(join(directory, "lorebase.db"), "reader"));
    onTestFinished(() => void reader.connection.close());
    return scopeIndex(reader, scope, 8, limits)!.nearest(query, 200, null);
  };
  const append = vi.spyOn(ScopeIndex.prototype, "append");
  const expected = found();
  expect(append).toHaveBeenCalledTimes(5);
  writeVectorFiles(writer, 1, { fileBytes: 2 ** 19 });
  expect(writer.column("SELECT records FROM vector_files")).toEqual([20_000, 20_000, 10_000]);
  expect(found()).toEqual(expected);
  expect(append).toHaveBeenCalledTimes(5);
  append.mockRestore();
});

it("are computed again if they are missing or unreadable, and written again if they are missing", async () => {
  const { writer, scopeId, read, files } = await ingestedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: TEN });
  rmSync(files()[0]!);
  writeFileSync(files()[1]!, "no records");
  expect(read()).toEqual({ length: TEXTS, fromFiles: 20 });
  const failing = vi.spyOn(SharedScan.prototype, "close").mockReturnValue(false);
  expect(read()).toEqual({ length: TEXTS, fromFiles: 0 });
  failing.mockRestore();
  rmSync(files()[1]!);
  reconcileVectorFiles(writer);
  writeVectorFiles(writer, scopeId, { fileBytes: TEN });
  expect(files().every((path) => existsSync(path))).toBe(true);
  expect(read()).toEqual({ length: TEXTS, fromFiles: TEXTS });
});

it("are replaced when half of their records are dead, and removed with the last", async () => {
  const { kb, writer, scopeId, read, files, documents } = await ingestedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: TEN });
  const [first, second, third, fourth] = files();
  const ids = documents();
  // Six of the first ten, four of the second, and all of the third.
  for (const id of [...ids.slice(0, 6), ...ids.slice(10, 14), ...ids.slice(20, 30)])
    await kb.namespace("notes").documents.delete(id);
  await kb.drain();
  expect(files()).toEqual([first, second, fourth]);
  expect(existsSync(third!)).toBe(false);
  expect(read()).toEqual({ length: 20, fromFiles: 20 });
  // Four records are left of the first.
  expect(writeVectorFiles(writer, scopeId, { fileBytes: 4 * recordBytes(DIMENSIONS) + 1 })).toBe(0);
  expect(writeVectorFiles(writer, scopeId, { fileBytes: 4 * recordBytes(DIMENSIONS) })).toBe(1);
  expect(files().slice(0, 2)).toEqual([second, fourth]);
  expect(existsSync(first!)).toBe(false);
  expect(read()).toEqual({ length: 20, fromFiles: 20 });
});

it("are written beside one that has an earlier generation of a document", async () => {
  const { kb, writer, scopeId, read, files, documents } = await ingestedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: TEN });
  const [first] = files();
  const ids = documents();
  const seq = "(SELECT min(seq) FROM documents)";
  // As after a second ingest whose earlier generation is not purged yet.
  writer.exec(`UPDATE chunks SET generation = 2 WHERE document_seq = ${seq};
    UPDATE vectors SET generation = 2 WHERE document_seq = ${seq};
    UPDATE documents SET generation = 2, last_generation = 2 WHERE seq = ${seq};`);
  recordChange(writer, { scopeId, documentSeq: writer.column<number>(`SELECT ${seq}`)[0]! });
  expect(writeVectorFiles(writer, scopeId, { fileBytes: 1 })).toBe(1);
  for (const id of ids.slice(1, 6)) await kb.namespace("notes").documents.delete(id);
  await kb.drain();
  expect(files()).toContain(first);
  expect(writeVectorFiles(writer, scopeId, { fileBytes: 1 })).toBe(4);
  expect(files()).not.toContain(first);
  expect(read()).toEqual({ length: TEXTS - 5, fromFiles: TEXTS - 5 });
});

it("are not read if vectors of a published document were replaced", async () => {
  const { writer, scopeId, read, documents } = await ingestedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: TEN });
  const vector = vectorToBytes(unit(new Float32Array(DIMENSIONS).fill(1)));
  writeVectors(writer, { vectors: [{ documentId: documents()[0]!, generation: 1, ordinal: 0, vector }] });
  expect(read()).toEqual({ length: TEXTS, fromFiles: 30 });
  expect(writeVectorFiles(writer, scopeId, { fileBytes: TEN })).toBe(1);
  expect(read()).toEqual({ length: TEXTS, fromFiles: TEXTS });
});

it("are not read if vectors of a published document were removed", async () => {
  const { writer, scope, scopeId, read, documents } = await ingestedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: TEN });
  removeVectors(writer, { scope, target: { documentId: documents()[0]! } });
  expect(read()).toEqual({ length: TEXTS - 1, fromFiles: 30 });
  expect(writeVectorFiles(writer, scopeId, { fileBytes: 1 })).toBe(9);
  expect(read()).toEqual({ length: TEXTS - 1, fromFiles: TEXTS - 1 });
});

it("are removed if they are not listed, but not while another process may be writing them", async () => {
  const { directory, writer, scopeId, files } = await ingestedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: TEN });
  const folder = join(directory, "scan");
  const [young, old] = ["young", "old"].map((name) => join(folder, name)) as [string, string];
  for (const path of [young, old]) writeFileSync(path, "");
  const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const path of [old, ...files()]) utimesSync(path, longAgo, longAgo);
  reconcileVectorFiles(writer);
  expect(readdirSync(folder).sort()).toEqual(["young", ...files().map((path) => path.slice(folder.length + 1))].sort());
});

it("are written by a worker for a database that has none", async () => {
  const { directory, kb, writer, scope, scopeId, read } = await ingestedScope();
  await kb.close();
  // As many chunks as are worth a file.
  const copy = (table: string, columns: string, values: string) =>
    writer.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
      INSERT INTO ${table} (${columns}) SELECT ${values} FROM n`);
  const { document, vector } = writer.get<{ document: number; vector: Uint8Array }>(
    "SELECT document_seq AS document, vector FROM vectors LIMIT 1",
  )!;
  copy(
    "chunks",
    "scope_id, document_seq, generation, ordinal, text, headings, metadata, tokens, start_offset, end_offset, stemmed",
    `${scopeId}, ${document}, 1, i, '', '[]', '{}', 0, 0, 0, 1`,
  );
  writer.run(
    "INSERT INTO vectors SELECT seq, scope_id, document_seq, generation, ? FROM chunks WHERE document_seq = ? AND ordinal > 0",
    vector,
    document,
  );
  writer.run("UPDATE scopes SET chunks = chunks + 1100 WHERE id = ?", scopeId);
  const again = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  onTestFinished(() => again.close());
  await again.start();
  await vi.waitFor(() => expect(read()).toEqual({ length: TEXTS + 1100, fromFiles: TEXTS + 1100 }));
  expect(findScope(writer, scope)!.chunks).toBe(TEXTS + 1100);
});

it("get their tables in a database without them", () => {
  const connection = openConnection(join(temporaryDirectory(), "lorebase.db"), "writer");
  onTestFinished(() => void connection.close());
  migrate(connection, MIGRATIONS.slice(0, 6));
  migrate(connection, MIGRATIONS);
  expect(new Statements(connection).column("SELECT count(*) FROM vector_files")).toEqual([0]);
});
