import { chooseDriver } from "./choose-driver.js";
import { DatabaseThread } from "./database-thread.js";
import type { OpenedDatabase } from "./thread-protocol.js";

export type { OpenedDatabase };

/** How long to wait for a lock held by another process. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens an in-memory database with the driver that a knowledge base would use, and describes it.
 *
 * @throws KnowledgeBaseError `unsupported` if no SQLite can be used here
 */
export async function inspectSqlite(): Promise<OpenedDatabase> {
  const thread = new DatabaseThread();
  try {
    return await thread.open({ path: ":memory:", role: "writer", isTemporary: true });
  } finally {
    await thread.close();
  }
}

/**
 * Counts the completed documents in a database file that have a warning with the given text. Doesn't change the
 * database.
 */
export function countDocumentsWithWarning(file: string, text: string): number {
  const database = chooseDriver().driver.open(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const sql = "SELECT count(*) FROM documents WHERE status = 'COMPLETED' AND instr(warnings, ?) > 0";
    return database.prepare(sql).pluck().get(text) as number;
  } finally {
    database.close();
  }
}

/** A file that an upload has stored. */
export interface StoredUpload {
  readonly key: string;
  readonly fileName: string;
}

/** Lists the newest stored uploads in a database file, at most `limit`. Doesn't change the database. */
export function listStoredUploads(file: string, limit: number): readonly StoredUpload[] {
  const database = chooseDriver().driver.open(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const sql = "SELECT key, file_name AS fileName FROM uploads WHERE state = 'stored' ORDER BY seq DESC LIMIT ?";
    return database.prepare(sql).all(limit) as StoredUpload[];
  } finally {
    database.close();
  }
}
