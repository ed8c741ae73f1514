import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";

/** How many rows each table of a knowledge base's directory has, and how many files its blob store; tables without rows are left out. */
export function rowsOf(directory: string): Readonly<Record<string, number>> {
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
    return Object.fromEntries(
      [...counts, ["blobs", filesIn(join(directory, "blobs"))]].filter(([, count]) => count !== 0),
    );
  } finally {
    db.close();
  }
}

function filesIn(directory: string): number {
  if (!existsSync(directory)) return 0;
  return readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
}
