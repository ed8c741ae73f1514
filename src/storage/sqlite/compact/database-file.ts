import type { Connection } from "../connection.js";
import { BUSY_TIMEOUT_MS, openConnection } from "../open-connection.js";
import type { SqliteDriver } from "../sqlite-driver.js";
import type { Statements } from "../statements.js";

/** Other processes' writes wait for so long at most while the log can't be truncated because it is being read. */
const TRUNCATE_WAIT_MS = 50;

/** The free pages of a database file. */
export interface FreePages {
  readonly pages: number;
  /** The size of a page. */
  readonly bytes: number;
  /** Whether the file can become smaller in steps. A file of an earlier version can't. */
  readonly canShrink: boolean;
}

export function freePages(db: Statements): FreePages {
  const read = (pragma: string) => db.connection.pragma(pragma, { simple: true }) as number;
  return { pages: read("freelist_count"), bytes: read("page_size"), canShrink: read("auto_vacuum") !== 0 };
}

/** Takes up to so many free pages off the file, as part of the transaction. The file becomes smaller when the log is written to it. */
export function shrinkDatabase(db: Statements, { pages }: { readonly pages: number }): FreePages {
  // `exec` runs the statement to its end; it yields a row for each page.
  db.exec(`PRAGMA incremental_vacuum(${pages})`);
  return freePages(db);
}

/**
 * Writes the log to the database and truncates it. Returns false if something remains, since a reader needs it. Must not
 * be called in a transaction.
 */
export function truncateLog(connection: Connection): boolean {
  connection.pragma(`busy_timeout = ${TRUNCATE_WAIT_MS}`);
  try {
    return connection.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) === 0;
  } finally {
    connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/**
 * Writes a database file anew, in one statement, so that it can shrink in steps from then on. Reads go on, and writes
 * wait. Needs the size of the content as free space for the log and for a temporary file.
 */
export function rewriteDatabase(path: string, driver: SqliteDriver): void {
  const connection = openConnection(path, "writer", { driver });
  try {
    // The temporary copy may be larger than the memory.
    connection.pragma("temp_store = FILE");
    connection.pragma("auto_vacuum = INCREMENTAL");
    connection.exec("VACUUM");
  } finally {
    connection.close();
  }
}
