import { KnowledgeBaseError } from "../../errors.js";
import type { Connection } from "./connection.js";

/** Older versions can lose a commit when two connections write and checkpoint at once (sqlite.org/wal.html#walresetbug). */
export const MINIMUM_SQLITE = "3.51.3";

/** @throws KnowledgeBaseError `unsupported` where the SQLite of a connection is older than {@link MINIMUM_SQLITE} or lacks FTS5 */
export function requireSqlite(db: Connection): void {
  requireVersion(db.prepare("SELECT sqlite_version()").pluck().get() as string);
  if (db.prepare("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").get() !== undefined) return;
  throw new KnowledgeBaseError(
    "unsupported",
    "This SQLite was built without FTS5, which keyword search needs. Reinstall better-sqlite3 12.8 or later.",
  );
}

/** @throws KnowledgeBaseError `unsupported` below the version that is safe with more than one connection. */
export function requireVersion(version: string): void {
  const parts = version.split(".").map(Number);
  for (const [index, minimum] of MINIMUM_SQLITE.split(".").map(Number).entries()) {
    const part = parts[index] ?? 0;
    if (part > minimum) return;
    if (part < minimum) {
      throw new KnowledgeBaseError(
        "unsupported",
        `SQLite ${version} is too old: lorebase needs ${MINIMUM_SQLITE} or later. Reinstall better-sqlite3 12.8 or later.`,
      );
    }
  }
}
