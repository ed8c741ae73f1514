import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { queryDatabase } from "../../support/database.js";
import { knownDatabaseOf, rowsNow } from "../../support/postgres-directories.js";

/** Content that changes without requests: heartbeats and the last use of keys. */
const VOLATILE = ["processes"];
const VOLATILE_COLUMNS = ["last_used_at"];

/** Every row of every table, and the name and size of every blob: equal if nothing was changed. */
export function tablesOf(directory: string): Readonly<Record<string, readonly string[]>> {
  const rows = Object.entries(rowsIn(directory))
    .filter(([table]) => !VOLATILE.includes(table))
    .map(([table, found]) => [table, found.map(shown).sort()]);
  return { ...Object.fromEntries(rows), blobs: filesIn(join(directory, "blobs")) };
}

function rowsIn(directory: string): Readonly<Record<string, readonly object[]>> {
  const database = knownDatabaseOf(directory);
  if (database) return rowsNow(database);
  // The content of a virtual table is in its shadow tables.
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name";
  const tables = queryDatabase<{ name: string }>(directory, sql);
  return Object.fromEntries(tables.map(({ name }) => [name, queryDatabase(directory, `SELECT * FROM "${name}"`)]));
}

function shown(row: object): string {
  return JSON.stringify(row, (key, value) => (VOLATILE_COLUMNS.includes(key) ? null : value));
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path} ${statSync(path).size}`)
    .sort();
}
