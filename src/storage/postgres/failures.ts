import { storageFullError } from "../../domain/storage-full.js";
import { getErrorMessage, KnowledgeBaseError } from "../../errors.js";
import { sqlStateOf } from "../../util/sql-state.js";

/** The connection to the server broke, or could not be opened. */
export class ConnectionFailure extends Error {
  override readonly name = "ConnectionFailure";
}

/** A deadlock or a failed serialization: the transaction succeeds when it is run again. */
const CONFLICTS = new Set(["40001", "40P01", "55P03"]);
/** Another transaction has just inserted or removed the row. Run again, the operation sees what the other has done. */
const CONSTRAINTS = new Set(["23503", "23505"]);
/**
 * The server ends or refuses connections (shutdown, crash, start, too many clients, idle in a transaction), or is a standby
 * that takes no writes.
 */
const DISCONNECTED = /^(?:08...|57P0[1235]|53300|25P03|25006)$/;
const DISK_FULL = "53100";
/** A statement took longer than its transaction allows. */
const CANCELLED = "57014";

/**
 * Whether the connection broke, so that the server may have run statements without an answer. A pooler reports the loss
 * of its own connection to the server as an error with a SQLSTATE of class 08.
 */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof ConnectionFailure || (sqlStateOf(error)?.startsWith("08") ?? false);
}

/** What to do about a failed transaction: run it again, run it again on another connection, or report the failure. */
export function remedyOf(error: unknown): "repeat" | "reconnect" | "report" {
  if (error instanceof ConnectionFailure) return "reconnect";
  const code = sqlStateOf(error);
  if (code === null) return "report";
  if (DISCONNECTED.test(code)) return "reconnect";
  return CONFLICTS.has(code) || CONSTRAINTS.has(code) ? "repeat" : "report";
}

/** Converts an error of the server or its connection to what callers see, as the other engines do. */
export function toKnowledgeBaseError(error: unknown): KnowledgeBaseError {
  if (KnowledgeBaseError.is(error)) return error;
  const message = getErrorMessage(error);
  if (error instanceof ConnectionFailure)
    return storeFailed(`The connection to PostgreSQL failed: ${message}`, true, error);
  const code = sqlStateOf(error);
  if (code === null) return new KnowledgeBaseError("internal", message, { cause: error });
  if (code === DISK_FULL) return storageFullError("database", error);
  return storeFailed(`PostgreSQL failed: ${message}`, isRetryable(code), error);
}

function isRetryable(code: string): boolean {
  return CONFLICTS.has(code) || DISCONNECTED.test(code) || code === CANCELLED;
}

/** Marks an error that came neither from the server nor from this package as one of the connection. */
export function toStatementError(error: unknown): unknown {
  if (KnowledgeBaseError.is(error)) return error;
  return sqlStateOf(error) === null ? new ConnectionFailure(getErrorMessage(error), { cause: error }) : error;
}

function storeFailed(message: string, retryable: boolean, cause: unknown): KnowledgeBaseError {
  return new KnowledgeBaseError("store_failed", message, { retryable, cause });
}
