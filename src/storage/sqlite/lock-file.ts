import { KnowledgeBaseError } from "../../errors.js";
import type { Connection } from "./connection.js";
import { sqliteCodeOf } from "./sqlite-code.js";
import type { SqliteDriver } from "./sqlite-driver.js";

/**
 * Locks a file, which is created if it is missing, until the connection is closed or the process ends in any way.
 * @throws KnowledgeBaseError `conflict` if another connection has locked it
 */
export function lockFile(path: string, driver: SqliteDriver): Connection {
  const connection = driver.open(path, { readonly: false, timeout: 0 });
  try {
    connection.exec("BEGIN EXCLUSIVE");
    return connection;
  } catch (cause) {
    connection.close();
    if (!sqliteCodeOf(cause)?.startsWith("SQLITE_BUSY")) throw cause;
    throw new KnowledgeBaseError("conflict", `${path} is locked by another process.`, { cause, retryable: true });
  }
}
