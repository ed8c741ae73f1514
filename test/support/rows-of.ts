import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { knownDatabaseOf, queryNow, tablesNow } from "./postgres-directories.js";

/** How many rows each table of a knowledge base's directory has, and how many files its blob store; tables without rows are left out. */
export function rowsOf(directory: string): Readonly<Record<string, number>> {
  const database = knownDatabaseOf(directory);
  if (database) return withFiles(directory, countsOf(database));
  const db = new BetterSqlite3(join(directory, "lorebase.db"), { readonly: true });
  try {
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      .pluck()
      .all() as string[];
    const counts = tables.map((table) => [
      table,
      db.prepare(`SELECT count(*) FROM "${table}"`).pluck().get() as number,
    ]);
    return withFiles(directory, counts as [string, number][]);
  } finally {
    db.close();
  }
}

function withFiles(
  directory: string,
  counts: readonly (readonly [string, number])[],
): Readonly<Record<string, number>> {
  const all = [...counts, ["blobs", filesIn(join(directory, "blobs"))] as const];
  return Object.fromEntries(all.filter(([, count]) => count !== 0));
}

function countsOf(database: string): readonly (readonly [string, number])[] {
  const counts = tablesNow(database).map((name) => `SELECT '${name}' AS name, count(*) AS rows FROM ${name}`);
  const rows = queryNow<{ name: string; rows: number }>(database, counts.join(" UNION ALL "));
  return rows.map(({ name, rows }) => [name, rows]);
}

function filesIn(directory: string): number {
  if (!existsSync(directory)) return 0;
  return readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
}
