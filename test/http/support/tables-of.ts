import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";

/** Content that changes without requests: heartbeats and the last use of keys. */
const VOLATILE = ["processes"];
const VOLATILE_COLUMNS = ["last_used_at"];

/** Every row of every table, and the name and size of every blob: equal if nothing was changed. */
export function tablesOf(directory: string): Readonly<Record<string, readonly string[]>> {
  const db = new BetterSqlite3(join(directory, "lorebase.db"), { readonly: true });
  try {
    const tables = db
      // The content of a virtual table is in its shadow tables.
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")
      .pluck()
      .all() as string[];
    const rows = tables
      .filter((table) => !VOLATILE.includes(table))
      .map((table) => [table, (db.prepare(`SELECT * FROM "${table}"`).all() as object[]).map(shown).sort()]);
    return { ...Object.fromEntries(rows), blobs: filesIn(join(directory, "blobs")) };
  } finally {
    db.close();
  }
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
