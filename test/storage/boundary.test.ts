import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, it } from "vitest";
import { COUNTED_TABLES, OTHER_TABLES, TRANSFER_TABLES } from "../../src/storage/transfer/tables.js";

const SOURCE = join(import.meta.dirname, "../../src");

/** Statements as they begin in a string. */
const SQL =
  /["'`]\s*(?:SELECT\s|INSERT\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|CREATE\s+(?:TABLE|INDEX|TRIGGER)\s|PRAGMA\s)/;
const ENGINE = /(?:from|import\()\s*"(?:kysely|better-sqlite3|node:sqlite|sqlite-vec|[./]+\/storage\/sqlite\/[^"]*)"/;

/** The composition root names the engine. */
const ROOT = "create-engine.ts";

/** A driver whose vector store is a database. */
const DATABASE_DRIVER = "vector-stores/pgvector/";

const outside = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.startsWith("storage/"))
  .map((file) => ({ file: relative(".", file), text: readFileSync(join(SOURCE, file), "utf8") }));

it("looks at the files outside src/storage", () => {
  expect(outside.length).toBeGreaterThan(500);
  expect(SQL.test('read({ sql: "SELECT 1 FROM tasks" })')).toBe(true);
  expect(ENGINE.test('import { X } from "../storage/sqlite/thread.js";')).toBe(true);
});

it("none of them contains SQL, except for the driver of a database", () => {
  const withSql = outside.filter(({ text }) => SQL.test(text)).map(({ file }) => file);
  expect(withSql.filter((file) => !file.startsWith(DATABASE_DRIVER))).toEqual([]);
});

it("the driver of a database reads and writes no table of the engine", () => {
  const tables = [...TRANSFER_TABLES, ...COUNTED_TABLES].map(({ name }) => name).concat(Object.keys(OTHER_TABLES));
  expect(tables).toContain("chunks");
  const mention = new RegExp(String.raw`\b(?:FROM|JOIN|INTO|UPDATE|TABLE|ON)\s+(?:${tables.join("|")})\b`);
  expect(mention.test("DELETE FROM chunks")).toBe(true);
  const driver = outside.filter(({ file }) => file.startsWith(DATABASE_DRIVER));
  expect(driver.some(({ text }) => SQL.test(text))).toBe(true);
  expect(driver.filter(({ text }) => mention.test(text)).map(({ file }) => file)).toEqual([]);
});

it("only the composition root imports a database or its engine", () => {
  const importers = outside.filter(({ file, text }) => file !== ROOT && ENGINE.test(text));
  expect(importers.map(({ file }) => file)).toEqual([]);
});
