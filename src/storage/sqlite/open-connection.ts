import { keywordText } from "../../text-analysis/keyword-text.js";
import type { Stemming } from "../../text-analysis/stemming.js";
import { chooseDriver } from "./choose-driver.js";
import type { Connection } from "./connection.js";
import { MAX_LOG_BYTES } from "./log-limit.js";
import { requireSqlite } from "./require-sqlite.js";
import type { SqliteDriver } from "./sqlite-driver.js";
import { loadVectorFunctions } from "./vector-functions.js";

/** How long a connection waits for another process's transaction. The wait blocks only the database thread. */
export const BUSY_TIMEOUT_MS = 30_000;

/** Opens a connection with the settings and functions that every connection needs. */
export function openConnection(
  path: string,
  role: "writer" | "reader" | "snapshot",
  {
    isTemporary = false,
    driver = chooseDriver().driver,
  }: { readonly isTemporary?: boolean | undefined; readonly driver?: SqliteDriver | undefined } = {},
): Connection {
  const db = driver.open(path, { readonly: role !== "writer", timeout: BUSY_TIMEOUT_MS });
  try {
    requireSqlite(db);
    loadVectorFunctions(db);
    db.function("keyword_text", { deterministic: true }, (text, stemming) =>
      keywordText(text as string, stemming as Stemming),
    );
    db.pragma("trusted_schema = OFF");
    db.pragma("foreign_keys = ON");
    db.pragma("temp_store = MEMORY");
    db.pragma("cache_size = -32768");
    if (role === "writer") {
      // Lets the file become smaller in steps. Has an effect on a new file only, and before it is in WAL mode.
      if (db.pragma("page_count", { simple: true }) === 0) db.pragma("auto_vacuum = INCREMENTAL");
      // The mode is set once: setting the same mode again would lock the file.
      if (db.pragma("journal_mode", { simple: true }) !== "wal") db.pragma("journal_mode = WAL");
      db.pragma(`synchronous = ${isTemporary ? "OFF" : "FULL"}`);
      db.pragma(`journal_size_limit = ${MAX_LOG_BYTES}`);
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
