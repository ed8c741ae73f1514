import { KnowledgeBaseError } from "../../errors.js";
import type { Connection } from "./connection.js";

/**
 * The oldest safe version. Earlier versions can lose a commit when two connections write and checkpoint at once
 * (sqlite.org/wal.html#walresetbug).
 */
const MINIMUM_SQLITE = [3, 51, 3] as const;

/**
 * Checks the SQLite of a connection.
 * @throws KnowledgeBaseError `unsupported` if it is too old or lacks FTS5
 */
export function requireSqlite(db: Connection): void {
  const reason = unmetRequirement(db);
  if (reason === null) return;
  throw new KnowledgeBaseError("unsupported", `${reason}. Install better-sqlite3 12.8 or later.`);
}

/** Returns why the SQLite of a connection cannot be used, as a clause; `null` if it can be used. */
export function unmetRequirement(db: Connection): string | null {
  const version = db.prepare("SELECT sqlite_version()").pluck().get() as string;
  if (isTooOld(version)) return `SQLite ${version} is too old: lorebase needs ${MINIMUM_SQLITE.join(".")} or later`;
  const fts5 = db.prepare("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").get();
  return fts5 === undefined ? `SQLite ${version} was built without FTS5, which keyword search needs` : null;
}

/** Returns whether a version is too old to be safe with several connections. */
export function isTooOld(version: string): boolean {
  const parts = version.split(".").map(Number);
  const firstDifference = MINIMUM_SQLITE.findIndex((minimum, index) => minimum !== (parts[index] ?? 0));
  return firstDifference !== -1 && (parts[firstDifference] ?? 0) < MINIMUM_SQLITE[firstDifference]!;
}
