import { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import threads, { type WorkerOptions } from "node:worker_threads";
import { KnowledgeBase, type NamespaceHandle } from "lorebase";
import { expect } from "vitest";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { writeVectorFiles } from "#dist/storage/sqlite/search-index/vector-files.js";
import { Statements } from "#dist/storage/sqlite/statements.js";
import { queryDatabase } from "./support/database.js";
import { ingestTexts, LEXICAL } from "./support/knowledge-base.js";
import { makeTableFile } from "./support/make-table.js";
import { onlySqlite } from "./support/only-sqlite.js";
import { temporaryDirectory } from "./support/temporary-directory.js";

/** The threads that this process has started, and the exit codes of those that have ended. */
const started: { readonly entry: string; code: number | null }[] = [];

class RecordedThread extends threads.Worker {
  constructor(entry: URL, options?: WorkerOptions) {
    super(entry, options);
    const thread: (typeof started)[number] = { entry: entry.pathname.replace(/^.*\/dist\//, ""), code: null };
    started.push(thread);
    this.once("exit", (code) => {
      thread.code = code;
    });
  }
}
Object.assign(threads, { Worker: RecordedThread });
syncBuiltinESMExports();

async function closeAndWait(kb: KnowledgeBase): Promise<void> {
  const closed = kb.close();
  // Tells which thread doesn't end, where closing would wait for ever.
  await expect.poll(() => started.filter(({ code }) => code === null)).toEqual([]);
  await closed;
}

onlySqlite("has database threads")("ends every thread; those of the database end by themselves", async () => {
  const directory = temporaryDirectory();
  const table = join(directory, "table.bin");
  writeFileSync(table, makeTableFile({ boat: [100, 1], lamp: [80, 2] }));
  const open = () => new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });

  const first = open();
  await first.namespaces.create({ name: "Lexical", slug: "lexical" });
  await first.namespaces.create({
    name: "Static",
    slug: "static",
    embeddingConfig: { provider: "MANAGED_STATIC", model: table },
  });
  const use = async (handle: NamespaceHandle) => {
    await ingestTexts(handle, ["The lamp of the boat is lit."]);
    expect(await handle.search("boat lamp")).not.toHaveLength(0);
  };
  for (const slug of ["lexical", "static"]) await use(first.namespace(slug));
  await closeAndWait(first);

  // A reader of vector files starts helpers.
  const connection = openConnection(join(directory, "lorebase.db"), "writer");
  for (const { id } of queryDatabase<{ id: number }>(directory, "SELECT id FROM scopes"))
    expect(writeVectorFiles(new Statements(connection), id, { fileBytes: 1 })).toBe(1);
  connection.close();
  const second = open();
  for (const slug of ["lexical", "static"]) await use(second.namespace(slug));
  await closeAndWait(second);

  const ends = new Set(started.map(({ entry, code }) => `${entry}: ${code}`));
  expect([...ends].sort()).toEqual([
    "embedders/lexical/thread.cjs: 1",
    "embedders/static/thread.cjs: 1",
    "parse-workers/thread.js: 1",
    "storage/sqlite/thread.cjs: 0",
  ]);
});
