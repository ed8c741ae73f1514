import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type CheckFinding, type CheckOptions, KnowledgeBase } from "lorebase";
import { expect, it, onTestFinished } from "vitest";
import { copiesOf } from "../support/copied-directory.js";
import { changeUnsafely, damageFreelist, damagePointerMap } from "../support/damaged-structure.js";
import { writeDatabase } from "../support/database.js";
import { ingestTexts, LEXICAL } from "../support/knowledge-base.js";
import { onlySqliteHere } from "../support/only-sqlite.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

onlySqliteHere("overwrites pages of the file");

const DOCUMENTS = 120;
const copy = copiesOf(async (directory) => {
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  try {
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    const texts = Array.from({ length: DOCUMENTS }, (_, index) => `Note ${index}: the lamp is lit ${index} times.`);
    await ingestTexts(kb.namespace("notes"), texts);
    await kb.drain();
    return {};
  } finally {
    await kb.close();
  }
});

/** Opens a knowledge base of which the beginning of a page of a table is overwritten. */
async function openDamaged(pageSql: string, ...parameters: readonly string[]): Promise<KnowledgeBase> {
  const { directory } = await copy();
  const path = join(directory, "lorebase.db");
  const db = new Database(path);
  db.pragma("wal_checkpoint(TRUNCATE)");
  const page = db
    .prepare(pageSql)
    .pluck()
    .get(...parameters) as number;
  const pageBytes = db.pragma("page_size", { simple: true }) as number;
  db.close();
  const bytes = readFileSync(path);
  bytes.fill(0, (page - 1) * pageBytes, (page - 1) * pageBytes + 8);
  writeFileSync(path, bytes);
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL, worker: false });
  kb.on("error", () => {});
  onTestFinished(() => kb.close());
  return kb;
}

async function findingsOf(kb: KnowledgeBase, options: CheckOptions = {}): Promise<readonly CheckFinding[]> {
  const findings: CheckFinding[] = [];
  for await (const event of kb.check(options)) if (event.type === "finding") findings.push(event.finding);
  return findings;
}

const TABLES = ["chunks", "documents", "scopes", "uploads", "crawl_page_counts"];
it.each(TABLES)("is reported in all of the table %s", async (table) => {
  const kb = await openDamaged("SELECT rootpage FROM sqlite_schema WHERE name = ?", table);
  const findings = await findingsOf(kb);
  expect(findings.map(({ remedy }) => remedy)).toContain("restore");
  // The threads of the database still answer.
  expect((await kb.namespaces.list()).items).toHaveLength(1);
});

it("loses the documents on it, and an export saves the others", async () => {
  const kb = await openDamaged(
    "SELECT pageno FROM dbstat WHERE name = 'chunks' AND pagetype = 'leaf' LIMIT 1 OFFSET 2",
  );
  expect((await findingsOf(kb)).map(({ remedy }) => remedy)).toContain("restore");
  const bundle = join(temporaryDirectory(), "bundle");
  const { documents, skipped } = await kb.export("notes", bundle, { skipDamaged: true });
  expect(skipped.length).toBeGreaterThan(0);
  expect(documents).toBeGreaterThan(DOCUMENTS / 2);
  expect(documents + skipped.length).toBe(DOCUMENTS);
  expect(skipped.map(({ reason }) => reason)).toContain("Its rows can't be read: the database file is damaged.");
  const saved = new KnowledgeBase({ directory: temporaryDirectory(), defaultEmbedding: LEXICAL });
  onTestFinished(() => saved.close());
  expect(await saved.import(bundle)).toMatchObject({ documents, skipped });
});

it.each([
  ["the list of free pages", damageFreelist, /Freelist/],
  ["the pointer map", damagePointerMap, /ptr map/],
] as const)("is not written to by a repair if it is in %s", async (_, damage, message) => {
  const { directory } = await copy();
  const path = join(directory, "lorebase.db");
  writeDatabase(directory, [
    { sql: "UPDATE scopes SET chunks = chunks + 5" },
    { sql: "UPDATE chunks SET text = 'other' WHERE text LIKE 'Note 7:%'" },
  ]);
  changeUnsafely(path, (db) => db.exec("INSERT INTO scope_changes VALUES (9001, 1, 1)"));
  damage(path);
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL, worker: false });
  onTestFinished(() => kb.close());
  await kb.namespaces.list();
  const db = new Database(path, { readonly: true });
  onTestFinished(() => void db.close());
  const readAll = () => ({
    // Changes with each transaction of another connection.
    version: db.pragma("data_version", { simple: true }),
    texts: db.prepare("SELECT text FROM document_texts ORDER BY document_seq").pluck().all(),
  });
  const before = readAll();
  expect(before.texts).toHaveLength(DOCUMENTS);
  const findings = await findingsOf(kb, { repair: true });
  expect(readAll()).toEqual(before);
  expect(findings).toContainEqual(
    expect.objectContaining({
      stage: "database",
      message: expect.stringMatching(message),
      remedy: "restore",
      isRepaired: false,
    }),
  );
  expect(findings[0]!.message).toMatch(/Nothing is repaired.*copy the directory/);
  // Advice to delete rows would be wrong.
  expect(findings[1]!.message).toMatch(/^Rows of scope_changes refer to .* with the scope_id 9001\.$/);
  expect(findings.slice(1).map(({ stage, remedy, isRepaired }) => ({ stage, remedy, isRepaired }))).toEqual([
    { stage: "database", remedy: "restore", isRepaired: false },
    { stage: "chunks", remedy: "restore", isRepaired: false },
    { stage: "index", remedy: "restore", isRepaired: false },
  ]);
});
