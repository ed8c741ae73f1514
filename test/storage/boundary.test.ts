import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, it } from "vitest";

const SOURCE = join(import.meta.dirname, "../../src");

/** Statements as they begin in a string. */
const SQL =
  /["'`]\s*(?:SELECT\s|INSERT\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|CREATE\s+(?:TABLE|INDEX|TRIGGER)\s|PRAGMA\s)/;
const ENGINE = /(?:from|import\()\s*"(?:kysely|better-sqlite3|node:sqlite|sqlite-vec|[./]+\/storage\/sqlite\/[^"]*)"/;

/** The composition root names the engine. */
const ROOT = "create-engine.ts";

const outside = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.startsWith("storage/"))
  .map((file) => ({ file: relative(".", file), text: readFileSync(join(SOURCE, file), "utf8") }));

it("looks at the files outside src/storage", () => {
  expect(outside.length).toBeGreaterThan(500);
  expect(SQL.test('read({ sql: "SELECT 1 FROM tasks" })')).toBe(true);
  expect(ENGINE.test('import { X } from "../storage/sqlite/thread.js";')).toBe(true);
});

it("none of them contains SQL", () => {
  expect(outside.filter(({ text }) => SQL.test(text)).map(({ file }) => file)).toEqual([]);
});

it("only the composition root imports a database or its engine", () => {
  const importers = outside.filter(({ file, text }) => file !== ROOT && ENGINE.test(text));
  expect(importers.map(({ file }) => file)).toEqual([]);
});
