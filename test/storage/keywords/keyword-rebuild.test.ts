import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { expect, it, onTestFinished } from "vitest";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { removeChunks } from "#dist/storage/sqlite/search-index/chunks.js";
import { rebuildKeywordTables } from "#dist/storage/sqlite/search-index/keyword-rebuild.js";
import { reanalyzeDocuments } from "#dist/storage/sqlite/search-index/reanalyze-documents.js";
import { recordChange } from "#dist/storage/sqlite/search-index/scope-changes.js";
import { Statements } from "#dist/storage/sqlite/statements.js";
import { writeDatabase } from "../../support/database.js";
import { LEXICAL, newNamespace } from "../../support/knowledge-base.js";
import { onlySqliteHere } from "../../support/only-sqlite.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

onlySqliteHere("rebuilds a table of FTS5");

const GERMAN = "Die Häuser der Wärter sind alt, und das Dach ist nicht mehr dicht.";
/** The numbers of documents. */
const [DAMAGED, EARLY, LATE] = [2, 3, 5];
const noteOf = (name: string) => `The ${name} note of the harbour.`;

it("replaces the table of a scope in steps after a damaged chunk was removed, while it is searched and changed", async () => {
  const directory = temporaryDirectory();
  // Without a worker, only this test changes the database once it is filled.
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL, worker: false });
  onTestFinished(() => kb.close());
  const handle = await newNamespace(kb);
  const ingest = async (texts: readonly string[], config = {}) => {
    await handle.ingest({ type: "BATCH", items: texts.map((text) => ({ type: "TEXT", text })) }, config);
    await kb.drain();
  };
  // As it was stored when only English was stemmed.
  await ingest([GERMAN], { languageCode: "ja" });
  await ingest([noteOf("damaged"), noteOf("early")]);
  const pages = Array.from({ length: 1100 }, (_, index) => `Page ${index}: the keeper lit the lamp ${index} times.`);
  await ingest([pages.join("\n\n")], { chunkSize: 48, maxChunkSize: 64, chunkOverlap: 0 });
  await ingest([noteOf("late"), noteOf("hidden")]);
  writeDatabase(directory, [{ sql: "UPDATE chunks SET text = 'A changed note.' WHERE text LIKE '%damaged%'" }]);
  const find = async (query: string) => {
    const hits = await handle.search(query, { mode: "keyword", topK: 10 });
    return hits.map(({ text }) => text).sort();
  };
  const indexFindings = async () => {
    const found: string[] = [];
    for await (const event of kb.check())
      if (event.type === "finding" && event.finding.stage === "index") found.push(event.finding.message);
    return found;
  };

  const connection = openConnection(join(directory, "lorebase.db"), "writer");
  onTestFinished(() => void connection.close());
  const writer = new Statements(connection);
  const change = <Result>(run: (db: Statements) => Result): Result => {
    writer.exec("BEGIN IMMEDIATE");
    const result = run(writer);
    writer.exec("COMMIT");
    return result;
  };
  const publish = (documentSeq: number, generation: number) => {
    writer.run("UPDATE documents SET generation = ? WHERE seq = ?", generation, documentSeq);
    recordChange(writer, { scopeId: 1, documentSeq });
  };
  const remove = (documentSeq: number) =>
    change(() => {
      publish(documentSeq, 0);
      removeChunks(writer, { documentSeq, generation: "all", limit: 500 });
    });
  const indexed = (table: string) => writer.column<number>(`SELECT id FROM ${table}_docsize ORDER BY id`);
  const stored = () => writer.column<number>("SELECT seq FROM chunks ORDER BY seq");
  const before = stored();
  remove(DAMAGED);
  // The words of the removed chunk are still there, and not found.
  expect(indexed("keywords_1")).toEqual(before);
  expect(await find("harbour")).toEqual(["early", "hidden", "late"].map(noteOf));
  expect(await find("damaged")).toEqual([]);
  expect(await indexFindings()).toEqual([]);

  const step = () => change(rebuildKeywordTables);
  step();
  const [last] = writer.column<number>("SELECT last_chunk FROM keyword_rebuilds");
  expect(last).toBeLessThan(before.length / 2);
  // Some changes concern chunks that the new table has, and some those that it doesn't have yet.
  remove(EARLY);
  remove(LATE);
  change(() => {
    writer.run("UPDATE documents SET config = json_remove(config, '$.languageCode')");
    writer.run("INSERT INTO documents_to_analyze SELECT min(seq) FROM documents");
    while (reanalyzeDocuments(writer));
  });
  expect(indexed("new_keywords_1")).toEqual(stored().filter((chunk) => chunk <= last!));
  let steps = 1;
  for (; step(); steps++) {
    expect(await find("harbour")).toEqual([noteOf("hidden")]);
    expect(await find("haus")).toEqual([GERMAN]);
  }
  expect(steps).toBeGreaterThan(5);
  expect(indexed("keywords_1")).toEqual(stored());
  expect(await find("harbour")).toEqual([noteOf("hidden")]);
  expect(await find("haus")).toEqual([GERMAN]);
  expect(await indexFindings()).toEqual([]);
});
