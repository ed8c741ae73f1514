import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { expect, it, onTestFinished } from "vitest";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { reanalyzeDocuments } from "#dist/storage/sqlite/search-index/reanalyze-documents.js";
import { Statements } from "#dist/storage/sqlite/statements.js";
import { writeDatabase } from "../../support/database.js";
import { LEXICAL, newNamespace } from "../../support/knowledge-base.js";
import { onlySqliteHere } from "../../support/only-sqlite.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

onlySqliteHere("documents in PostgreSQL are stemmed when they are ingested again");

const GERMAN = "Die Häuser der Wärter sind alt, und das Dach ist nicht mehr dicht";
const POLISH = "Latarnie nie są nowe, ale jest ich tak wiele, że już nie ma ich kto liczyć";

it.each([
  ["of a scope that is indexed in memory", 400, 0],
  ["of a scope with a table of its own", 3000, 1],
])("stems the words %s while it is searched", async (_, count, hasTable) => {
  const directory = temporaryDirectory();
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  onTestFinished(() => kb.close());
  const handle = await newNamespace(kb);
  const german = Array.from({ length: count }, (_, index) => `${GERMAN} ${index}`).join("\n\n");
  // As they were stored when only English was stemmed.
  const unstemmed = { languageCode: "ja", chunkSize: 64, chunkOverlap: 0 };
  await handle.ingest({ type: "TEXT", text: german }, unstemmed).done();
  await handle.ingest({ type: "TEXT", text: POLISH }, unstemmed).done();
  const find = async (query: string) => {
    const hits = await handle.search(query, { mode: "keyword", topK: 100, includeHighlights: true });
    return hits.map(({ text, highlights }) => highlights!.map(({ start, end }) => text.slice(start, end)));
  };
  expect(await find("haus")).toEqual([]);
  expect(await find("häuser alt")).toHaveLength(100);
  writeDatabase(directory, [
    { sql: "UPDATE documents SET config = json_remove(config, '$.languageCode')" },
    { sql: "INSERT INTO documents_to_analyze SELECT seq FROM documents" },
  ]);

  const connection = openConnection(join(directory, "lorebase.db"), "writer");
  onTestFinished(() => void connection.close());
  const writer = new Statements(connection);
  expect(writer.column("SELECT keyword_table FROM scopes")).toEqual([hasTable]);
  let isUnfinished = true;
  for (let steps = 0; isUnfinished; steps++) {
    writer.exec("BEGIN IMMEDIATE");
    isUnfinished = reanalyzeDocuments(writer);
    writer.exec("COMMIT");
    expect(await find("häuser alt")).toHaveLength(100);
    expect(await find("nowe")).toEqual([["nowe"]]);
    expect(steps).toBeLessThan(20);
  }
  expect(new Set((await find("haus")).flat())).toEqual(new Set(["Häuser"]));
  expect(writer.column("SELECT count(*) FROM documents_to_analyze")).toEqual([0]);
  // FTS5 finds each word that it is told to remove.
  await handle.documents.delete((await handle.documents.list()).items[1]!.id);
  expect(await find("haus")).toEqual([]);
});
