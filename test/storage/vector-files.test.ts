import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { expect, it, onTestFinished, vi } from "vitest";
import { migrate } from "#dist/storage/sqlite/migrate.js";
import { MIGRATIONS } from "#dist/storage/sqlite/migrations/index.js";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { ScanThreads } from "#dist/storage/sqlite/scan-helpers.js";
import { findScope } from "#dist/storage/sqlite/search-index/find-scope.js";
import { removeVectors } from "#dist/storage/sqlite/search-index/remove-vectors.js";
import { recordChange } from "#dist/storage/sqlite/search-index/scope-changes.js";
import { loadScopeIndex } from "#dist/storage/sqlite/search-index/scope-indexes.js";
import {
  dropSparseFile,
  maintainVectorFiles,
  reconcileVectorFiles,
  removeFromFiles,
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
import { copiesOf } from "../support/copied-directory.js";
import { failureOf, ingestTexts, LEXICAL } from "../support/knowledge-base.js";
import { randomFrom } from "../support/odd-vectors.js";
import { onlySqliteHere } from "../support/only-sqlite.js";
import { unit } from "../support/scan-records.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

onlySqliteHere("vector files are in a directory");

const DIMENSIONS = 1024;
const TEXTS = 40;
/** Bytes of a file with ten records. */
const TEN = 10 * recordBytes(DIMENSIONS);

/** Ingests as many passages, and returns the id of their namespace. */
async function fill(directory: string, count: number): Promise<string> {
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  const { id } = await kb.namespaces.create({ name: "Notes", slug: "notes" });
  await ingestTexts(
    kb.namespace("notes"),
    Array.from({ length: count }, (_, at) => `storm ${at}`),
  );
  await kb.close();
  return id;
}

const copyForty = copiesOf((directory) => fill(directory, TEXTS));

/** A scope of forty passages, as another process's writer sees it. */
async function ingestedScope() {
  const { directory, made: namespaceId } = await copyForty();
  return scopeIn(directory, namespaceId);
}

/** A scope of as many passages, as another process's writer sees it. */
async function scopeOf(count: number) {
  const directory = temporaryDirectory();
  return scopeIn(directory, await fill(directory, count));
}

function scopeIn(directory: string, namespaceId: string) {
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  onTestFinished(() => kb.close());
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
    const limits = { memoryBytes: 2 ** 30, minChunks: 0, minDerivedRecords: 0, helpers };
    const { length } = loadScopeIndex(open("reader"), findScope(writer, scope)!, DIMENSIONS, limits)!;
    const fromFiles = length - append.mock.calls.length;
    append.mockRestore();
    return { length, fromFiles };
  };
  const files = () =>
    writer.column<string>("SELECT name FROM vector_files ORDER BY id").map((name) => vectorFilePath(writer, name)!);
  /** In the order of files. */
  const documents = () =>
    writer.column<string>(
      `SELECT d.id FROM documents d LEFT JOIN vector_file_documents f ON f.document_seq = d.seq
       WHERE d.generation > 0 ORDER BY f.file, d.seq`,
    );
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
  const unfiled = () => writer.column<number>("SELECT unfiled_bytes FROM scopes WHERE id = ?", scopeId)[0];
  expect(unfiled()).toBe(4 * TEN);
  expect(maintainVectorFiles(writer, { shouldReconcile: true })).toBe(false);
  expect(writeVectorFiles(writer, scopeId)).toBe(0);
  expect(writeVectorFiles(writer, scopeId, { fileBytes: 4 * TEN + 1 })).toBe(0);
  expect(files()).toEqual([]);
  expect(unfiled()).toBe(4 * TEN);
  // Three files, and the rest is too little for another.
  expect(writeVectorFiles(writer, scopeId, { fileBytes: TEN + 1 })).toBe(3);
  expect(unfiled()).toBe(7 * recordBytes(DIMENSIONS));
});

it("are written for a few records after many changes", async () => {
  const { writer, scopeId, read, files } = await ingestedScope();
  const [seq] = writer.column<number>("SELECT seq FROM documents ORDER BY seq LIMIT 1");
  writer.run("UPDATE documents SET generation = 0 WHERE seq = ?", seq!);
  writer.exec("BEGIN");
  for (let change = 0; change < 16_384; change++) recordChange(writer, { scopeId, documentSeq: seq! });
  writer.exec("COMMIT");
  expect(maintainVectorFiles(writer, { shouldReconcile: false })).toBe(true);
  expect(maintainVectorFiles(writer, { shouldReconcile: false })).toBe(false);
  expect(files().length).toBe(1);
  expect(read()).toEqual({ length: TEXTS - 1, fromFiles: TEXTS - 1 });
});

it("do not keep changes of a scope without vectors", async () => {
  const { writer, scopeId } = await ingestedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: TEN, maxFiles: 5 });
  const [seq] = writer.column<number>("SELECT seq FROM documents ORDER BY seq LIMIT 1");
  writer.run("UPDATE documents SET generation = 0 WHERE seq = ?", seq!);
  writer.exec("BEGIN");
  for (let change = 0; change < 22_000; change++) recordChange(writer, { scopeId, documentSeq: seq! });
  writer.exec("COMMIT");
  expect(writer.column<number>("SELECT count(*) FROM scope_changes")[0]).toBeLessThan(21_001);
  expect(writer.column("SELECT epoch - filed_epoch FROM scopes")).toEqual([0]);
});

it("continue where the maximum of files was reached", async () => {
  const { writer, scopeId, read, files } = await ingestedScope();
  expect(writeVectorFiles(writer, scopeId, { fileBytes: TEN, maxFiles: 3 })).toBe(3);
  expect(read()).toEqual({ length: TEXTS, fromFiles: 30 });
  expect(writeVectorFiles(writer, scopeId, { fileBytes: TEN, maxFiles: 3 })).toBe(1);
  expect(files().length).toBe(4);
  expect(read()).toEqual({ length: TEXTS, fromFiles: TEXTS });
});

it("are written for a database of an earlier version, and read into as many segments as they need", () => {
  const directory = temporaryDirectory();
  const connection = openConnection(join(directory, "lorebase.db"), "writer");
  const writer = new Statements(connection);
  onTestFinished(() => void connection.close());
  migrate(connection, MIGRATIONS.slice(0, 8));
  const random = randomFrom(3);
  writer.exec(`INSERT INTO organizations (id, name, created_at) VALUES ('org_1', '', 0);
    INSERT INTO namespaces (id, organization_id, name, slug, slug_key, embedding_config, vector_store_config, created_at)
      VALUES ('ns_1', 'org_1', '', '', '', '{}', '{}', 0);
    INSERT INTO scopes (id, namespace_id, chunks) VALUES (1, 'ns_1', 50000);
    INSERT INTO ingest_jobs (id, namespace_id, status, config, created_at) VALUES ('job_1', 'ns_1', 'COMPLETED', '{}', 0);
    BEGIN`);
  for (let chunk = 0; chunk < 50_000; chunk++) {
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
    writer.run(
      "INSERT INTO vectors (chunk_seq, scope_id, document_seq, generation, vector) VALUES (?, 1, ?, 1, ?)",
      chunk + 1,
      document,
      vectorToBytes(vector),
    );
  }
  writer.exec("COMMIT");
  migrate(connection, MIGRATIONS);
  const limits = { memoryBytes: 2 ** 30, minChunks: 0, minDerivedRecords: 0, helpers: 1 };
  const query = encodeQuery(unit(Float32Array.from({ length: 8 }, () => random() - 0.5)))!;
  const append = vi.spyOn(ScopeIndex.prototype, "append");
  onTestFinished(() => append.mockRestore());
  const found = () => {
    const reader = new Statements(openConnection(join(directory, "lorebase.db"), "reader"));
    onTestFinished(() => void reader.connection.close());
    const scope = { id: 1, epoch: 0, chunks: 50_000, vector_set: 0 };
    return loadScopeIndex(reader, scope, 8, limits)!.nearest(query, 200, null);
  };
  const expected = found();
  expect(append).toHaveBeenCalledTimes(5);
  while (maintainVectorFiles(writer, { shouldReconcile: true }));
  expect(writer.column("SELECT records FROM vector_files")).toEqual([20_000, 20_000]);
  expect(found()).toEqual(expected);
  expect(append).toHaveBeenCalledTimes(6);
});

it("are computed again if they are missing or unreadable, and written again", async () => {
  const { writer, scopeId, read, files } = await ingestedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: TEN });
  rmSync(files()[0]!);
  writeFileSync(files()[1]!, "no records");
  expect(read()).toEqual({ length: TEXTS, fromFiles: 20 });
  const failing = vi.spyOn(SharedScan.prototype, "close").mockReturnValue(false);
  expect(read()).toEqual({ length: TEXTS, fromFiles: 0 });
  failing.mockRestore();
  reconcileVectorFiles(writer);
  expect(files().length).toBe(2);
  expect(writeVectorFiles(writer, scopeId, { fileBytes: TEN })).toBe(2);
  expect(read()).toEqual({ length: TEXTS, fromFiles: TEXTS });
});

it("are read in groups, so that not all are open at once", async () => {
  const { writer, scopeId, read } = await scopeOf(200);
  expect(writeVectorFiles(writer, scopeId, { fileBytes: 1, maxFiles: 1000 })).toBe(200);
  const reads = vi.spyOn(ScanThreads.prototype, "read");
  onTestFinished(() => reads.mockRestore());
  expect(read()).toEqual({ length: 200, fromFiles: 200 });
  expect(new Set(reads.mock.calls.flatMap(([parts]) => parts.map(({ descriptor }) => descriptor))).size).toBe(128);
});

it("are dropped when half of their records are dead, and the rest is written again", async () => {
  const { kb, writer, scopeId, read, files, documents } = await ingestedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: TEN });
  const [, second, , fourth] = files();
  const ids = documents();
  // Six of the first ten, four of the second, and all of the third.
  for (const id of [...ids.slice(0, 6), ...ids.slice(10, 14), ...ids.slice(20, 30)])
    await kb.namespace("notes").documents.delete(id);
  await kb.drain();
  expect(files()).toEqual([second, fourth]);
  expect(read()).toEqual({ length: 20, fromFiles: 16 });
  expect(writeVectorFiles(writer, scopeId, { fileBytes: 4 * recordBytes(DIMENSIONS) + 1 })).toBe(0);
  expect(writeVectorFiles(writer, scopeId, { fileBytes: 4 * recordBytes(DIMENSIONS) })).toBe(1);
  expect(read()).toEqual({ length: 20, fromFiles: 20 });
  // A compaction drops those of which a quarter is dead.
  expect([dropSparseFile(writer), dropSparseFile(writer)]).toEqual([true, false]);
  expect(files()).toEqual([fourth, expect.any(String)]);
  expect(read()).toEqual({ length: 20, fromFiles: 14 });
});

it("do not disturb a publication if they can't be written", async () => {
  const { directory, kb, writer, scopeId } = await ingestedScope();
  // After the first job, the knowledge base looks for files that belong to none.
  await ingestTexts(kb.namespace("notes"), ["squall"]);
  await kb.drain();
  writeFileSync(join(directory, "scan"), "");
  expect(await failureOf(() => writeVectorFiles(writer, scopeId, { fileBytes: 1 }))).toMatchObject({
    code: "store_failed",
  });
  const errors: unknown[] = [];
  kb.on("error", ({ error }) => errors.push(error));
  await ingestTexts(
    kb.namespace("notes"),
    Array.from({ length: 600 }, (_, at) => `gale ${at}`),
  );
  await expect.poll(() => errors).toMatchObject([{ code: "store_failed", retryable: true }]);
  expect(writer.column("SELECT count(*) FROM documents WHERE status = 'COMPLETED'")).toEqual([641]);
});

it("are written for a document that has an earlier generation in another", async () => {
  const { writer, scopeId, read, files } = await ingestedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: TEN });
  const [first] = files();
  const seqs = writer.column<number>("SELECT document_seq FROM vector_file_documents ORDER BY file LIMIT 6");
  // As after a second ingest whose earlier generation is not purged yet.
  for (const table of ["chunks", "vectors"])
    writer.run(`UPDATE ${table} SET generation = 2 WHERE document_seq = ?`, seqs[0]!);
  writer.run("UPDATE documents SET generation = 2, last_generation = 2 WHERE seq = ?", seqs[0]!);
  recordChange(writer, { scopeId, documentSeq: seqs[0]! });
  expect(writeVectorFiles(writer, scopeId, { fileBytes: 1 })).toBe(1);
  for (const seq of seqs.slice(1)) {
    writer.run("UPDATE documents SET generation = 0 WHERE seq = ?", seq);
    recordChange(writer, { scopeId, documentSeq: seq });
    removeFromFiles(writer, seq, null, null);
  }
  expect(files()).not.toContain(first);
  expect(writeVectorFiles(writer, scopeId, { fileBytes: 4 * recordBytes(DIMENSIONS) })).toBe(1);
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

it("are not read for another set of vectors, and are replaced one after the other", async () => {
  const { writer, scope, scopeId, read, files } = await ingestedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: TEN });
  const former = files();
  writer.run("INSERT INTO odd_vectors SELECT chunk_seq, scope_id, document_seq, generation, vector, hash FROM vectors");
  const use = (set: number) =>
    writer.run("UPDATE scopes SET vector_set = ?, epoch = epoch + 1 WHERE id = ?", set, scopeId);
  use(1);
  expect(read()).toEqual({ length: TEXTS, fromFiles: 0 });
  use(0);
  expect(read()).toEqual({ length: TEXTS, fromFiles: TEXTS });
  use(1);
  const { epoch } = findScope(writer, scope)!;
  for (const fromFiles of [10, 20, 30, 40]) {
    expect(maintainVectorFiles(writer, { shouldReconcile: false })).toBe(true);
    expect(read()).toEqual({ length: TEXTS, fromFiles });
  }
  expect(maintainVectorFiles(writer, { shouldReconcile: false })).toBe(false);
  expect(files().filter((file) => former.includes(file))).toEqual([]);
  expect(findScope(writer, scope)!.epoch).toBe(epoch);
  expect(read()).toEqual({ length: TEXTS, fromFiles: TEXTS });
});

it("are not read if vectors of a published document were removed", async () => {
  const { writer, scope, scopeId, read, documents } = await ingestedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: TEN });
  removeVectors(writer, { scope, target: { documentId: documents()[0]! } });
  expect(read()).toEqual({ length: TEXTS - 1, fromFiles: 30 });
  expect(writeVectorFiles(writer, scopeId, { fileBytes: 1, maxFiles: 10 })).toBe(9);
  expect(read()).toEqual({ length: TEXTS - 1, fromFiles: TEXTS - 1 });
});

it("are removed if they are not listed, but not while another process may be writing them", async () => {
  const { directory, writer, scopeId, files } = await ingestedScope();
  writeVectorFiles(writer, scopeId, { fileBytes: TEN });
  const folder = join(directory, "scan");
  const [young, old, foreign] = ["0".repeat(32), "1".repeat(32), "notes"] as const;
  for (const name of [young, old]) writeFileSync(join(folder, name), "");
  mkdirSync(join(folder, foreign));
  const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const path of [join(folder, old), join(folder, foreign), ...files()]) utimesSync(path, longAgo, longAgo);
  reconcileVectorFiles(writer);
  expect(readdirSync(folder).sort()).toEqual([young, foreign, ...files().map((path) => basename(path))].sort());
});

it("are written after a job", async () => {
  const { kb, read } = await ingestedScope();
  await ingestTexts(
    kb.namespace("notes"),
    Array.from({ length: 600 }, (_, at) => `gale ${at}`),
  );
  // The first 505 records are half a mebibyte.
  await expect.poll(read).toEqual({ length: TEXTS + 600, fromFiles: 505 });
});
