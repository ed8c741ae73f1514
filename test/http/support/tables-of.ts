import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { rowsByTable } from "../../support/database.js";

/** Content that changes without requests: heartbeats and the last use of keys. */
const VOLATILE = ["processes"];
const VOLATILE_COLUMNS = ["last_used_at"];

/** Every row of every table, and the name and size of every blob: equal if nothing was changed. */
export function tablesOf(directory: string): Readonly<Record<string, readonly string[]>> {
  const rows = Object.entries(rowsByTable(directory))
    .filter(([table]) => !VOLATILE.includes(table))
    .map(([table, found]) => [table, found.map(shown).sort()]);
  return { ...Object.fromEntries(rows), blobs: filesIn(join(directory, "blobs")) };
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
