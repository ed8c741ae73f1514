import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { expect, it, onTestFinished, vi } from "vitest";
import { MIGRATIONS } from "#dist/database/migrations/index.js";
import { findScope } from "#dist/database/procedures/find-scope.js";
import { scopeIndex } from "#dist/database/procedures/scope-indexes.js";
import { sealRecords } from "#dist/database/procedures/vector-blocks.js";
import { removeStrayFiles, vectorFilePath, writeVectorFiles } from "#dist/database/procedures/vector-files.js";
import { migrate } from "#dist/database/sqlite/migrate.js";
import { openConnection } from "#dist/database/sqlite/open-connection.js";
import { Statements } from "#dist/database/sqlite/statements.js";
import { SharedScan } from "#dist/scan/shared-scan.js";
import { ingestTexts, LEXICAL } from "../support/knowledge-base.js";
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
  sealRecords(writer, scopeId, 9);
  const make = (helpers = 0) => {
    const reader = open("reader");
    const rows = vi.spyOn(reader, "rows");
    const limits = { memoryBytes: 2 ** 30, fromChunks: 0, helpers };
    const index = scopeIndex(reader, findScope(reader, scope)!, DIMENSIONS, limits)!;
    // How many blocks it has read, and not had from files.
    const [, , except] = rows.mock.calls.find(([sql]) => sql.includes("vector_blocks"))!;
    return { length: index.length, filed: JSON.parse(except as string).length as number };
  };
  const files = () =>
    writer.column<string>("SELECT name FROM vector_files").map((name) => vectorFilePath(writer, name)!);
  return { directory, kb, writer, scopeId, make, files };
}

it("has a reader that starts read blocks from files, alone or with other threads", async () => {
  const { writer, scopeId, make, files } = await sealedScope();
  expect(make()).toEqual({ length: TEXTS, filed: 0 });
  writeVectorFiles(writer, scopeId, 1);
  expect(files().length).toBe(4);
  expect(make()).toEqual({ length: TEXTS, filed: 4 });
  expect(make(1)).toEqual({ length: TEXTS, filed: 4 });
  // Nothing is left to be written again.
  writeVectorFiles(writer, scopeId, 1);
  expect(files().length).toBe(4);
});

it("joins blocks to files of a size", async () => {
  const { writer, scopeId, make, files } = await sealedScope();
  const [bytes] = writer.column<number>("SELECT max(length(records)) FROM vector_blocks");
  writeVectorFiles(writer, scopeId, 2 * bytes!);
  expect(files().length).toBe(2);
  expect(make()).toEqual({ length: TEXTS, filed: 4 });
  writeVectorFiles(writer, scopeId);
  expect(files().length).toBe(2);
});

it("answers from the blocks where a file is missing or can't be read, and writes it again", async () => {
  const { writer, scopeId, make, files } = await sealedScope();
  writeVectorFiles(writer, scopeId, 1);
  rmSync(files()[0]!);
  writeFileSync(files()[1]!, "no records");
  expect(make()).toEqual({ length: TEXTS, filed: 2 });
  const failing = vi.spyOn(SharedScan.prototype, "close").mockReturnValue(false);
  expect(make()).toEqual({ length: TEXTS, filed: 0 });
  failing.mockRestore();
  rmSync(files()[1]!);
  sealRecords(writer, scopeId, 1);
  writeVectorFiles(writer, scopeId, 1);
  writeVectorFiles(writer, scopeId, 1);
  expect(files().every((path) => existsSync(path))).toBe(true);
  const { length, filed } = make();
  expect([length, filed]).toEqual([TEXTS, writer.column("SELECT count(*) FROM vector_blocks")[0]]);
});

it("keeps no file of which half is gone, none that is not listed, and those that another process may be writing", async () => {
  const { directory, kb, writer, scopeId, make, files } = await sealedScope();
  writeVectorFiles(writer, scopeId, 1);
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

it("come to a database that had none", () => {
  const connection = openConnection(join(temporaryDirectory(), "lorebase.db"), "writer");
  onTestFinished(() => void connection.close());
  migrate(connection, MIGRATIONS.slice(0, 6));
  migrate(connection, MIGRATIONS);
  expect(new Statements(connection).column("SELECT count(*) FROM vector_files")).toEqual([0]);
});
