import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { expect, it, onTestFinished, vi } from "vitest";
import { findScope } from "#dist/database/procedures/find-scope.js";
import { scopeIndex } from "#dist/database/procedures/scope-indexes.js";
import { openConnection } from "#dist/database/sqlite/open-connection.js";
import { Statements } from "#dist/database/sqlite/statements.js";
import { ingestTexts, LEXICAL } from "../support/knowledge-base.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

it("makes the index of a scope that turns out too large once, and leaves the others' alone", async () => {
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
    scopeIndex(db, findScope(db, scopes[which]!)!, 1024, { memoryBytes, fromChunks: 0, helpers: 0 });
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
