import BetterSqlite3 from "better-sqlite3";
import { KnowledgeBaseError } from "../../errors.js";
import { keywordText } from "../../words/keyword-text.js";
import type { ThreadSettings } from "./thread-protocol.js";
import { loadVectorFunctions } from "./vector-functions.js";

/** Older versions can lose a commit when two connections write and checkpoint at once (sqlite.org/wal.html#walresetbug). */
const MINIMUM_SQLITE = [3, 51, 3] as const;
/** How long a connection waits for another process's transaction. Nobody's event loop waits with it. */
const BUSY_TIMEOUT_MS = 30_000;

/** Opens one connection with the settings that every connection of ours has. */
export function openConnection(
  path: string,
  role: "writer" | "reader",
  { temporary = false }: Pick<ThreadSettings, "temporary"> = {},
): BetterSqlite3.Database {
  const db = new BetterSqlite3(path, { readonly: role === "reader", timeout: BUSY_TIMEOUT_MS });
  try {
    requireVersion(db.prepare("SELECT sqlite_version()").pluck().get() as string);
    loadVectorFunctions(db);
    db.function("keyword_text", { deterministic: true }, (text, stemmed) => keywordText(text as string, stemmed === 1));
    db.pragma("trusted_schema = OFF");
    db.pragma("foreign_keys = ON");
    db.pragma("temp_store = MEMORY");
    db.pragma("cache_size = -32768");
    if (role === "writer") {
      // Set once: asking again for a mode that the file already has would take its lock.
      if (db.pragma("journal_mode", { simple: true }) !== "wal") db.pragma("journal_mode = WAL");
      db.pragma(`synchronous = ${temporary ? "OFF" : "FULL"}`);
      db.pragma("journal_size_limit = 67108864");
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** @throws KnowledgeBaseError `unsupported` below the version that is safe with more than one connection. */
export function requireVersion(version: string): void {
  const parts = version.split(".").map(Number);
  for (const [index, minimum] of MINIMUM_SQLITE.entries()) {
    const part = parts[index] ?? 0;
    if (part > minimum) return;
    if (part < minimum) {
      throw new KnowledgeBaseError(
        "unsupported",
        `SQLite ${version} is too old: lorebase needs ${MINIMUM_SQLITE.join(".")} or later. Reinstall better-sqlite3 12.8 or later.`,
      );
    }
  }
}
