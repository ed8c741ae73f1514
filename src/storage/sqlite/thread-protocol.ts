import { storageFullError } from "../../domain/storage-full.js";
import { type ErrorCode, type InputIssue, KnowledgeBaseError } from "../../errors.js";
import type { DatabaseAccess } from "../database-access.js";
import type { ChosenDriver } from "./choose-driver.js";
import { isSqliteFull } from "./free-space.js";
import type { ProcedureName } from "./procedures.js";
import { isCorrupt, sqliteCodeOf } from "./sqlite-code.js";
import type { SqliteDriver } from "./sqlite-driver.js";

/** Describes the SQLite that a connection uses. The reply to the request `open`. */
export interface OpenedDatabase {
  readonly driver: SqliteDriver["name"];
  readonly sqliteVersion: string;
  /** The version of the sqlite-vec extension; `null` if JavaScript functions replace the extension. */
  readonly sqliteVecVersion: string | null;
  /** Why better-sqlite3 cannot be used; `null` if nothing is wrong. */
  readonly problem: ChosenDriver["problem"];
}

/** Settings of a database thread's connection. */
export interface ThreadSettings {
  readonly path: string;
  /**
   * - `snapshot` is a reader whose requests all see the state at the time of the first.
   * - `lock` keeps other connections with this role from opening the same file, which is not a knowledge base.
   */
  readonly role: "writer" | "reader" | "snapshot" | "lock";
  /** @default "use" */
  readonly access?: DatabaseAccess;
  /** Whether the database is deleted when it is closed, so that nothing needs to reach the disk. @default false */
  readonly isTemporary?: boolean;
  /** The number of helper threads for scans. @default 0 */
  readonly scanHelpers?: number;
}

/** What a request asks a thread to do. */
export type ThreadOperation =
  /** Must be the first request. */
  | { readonly kind: "open"; readonly settings: ThreadSettings }
  | { readonly kind: "procedure"; readonly name: ProcedureName; readonly argument: unknown }
  /** Copies the database of a snapshot to a new file. */
  | { readonly kind: "copy"; readonly target: string; readonly bytesPerSecond: number; readonly now: number }
  /** Runs SQLite's checks of a whole database. The reply is the list of problems, as sentences. */
  /** Asks the writer to write the log to the database and to truncate it. The reply is whether nothing remains in it. */
  | { readonly kind: "truncateLog" }
  /** Asks the writer to write the database file anew. */
  | { readonly kind: "rewrite" }
  /** Asks the writer whether there is no space for new content. */
  | { readonly kind: "isFull" }
  /** Asks a reader for the memory of its vector indexes, in bytes. */
  | { readonly kind: "scanMemory" }
  | { readonly kind: "close" };

export type ThreadRequest = ThreadOperation & { readonly id: number };
export type ProcedureRequest = Extract<ThreadRequest, { kind: "procedure" }>;

export type ThreadReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: ThreadFailure };

/** An error that can be sent between threads. */
export interface ThreadFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly issues: readonly InputIssue[];
  /** SQLite's result code, such as `SQLITE_CONSTRAINT_UNIQUE`; `null` if the error is not SQLite's. */
  readonly sqliteCode: string | null;
}

/** An error of SQLite, as the `cause` of a `store_failed` or `storage_full` error. */
export class SqliteFailure extends Error {
  override readonly name = "SqliteFailure";
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const TRANSIENT_CODES = ["SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_LOCKED"];
/** Converts an error so that it can be sent to another thread. */
export function toFailure(error: unknown): ThreadFailure {
  if (KnowledgeBaseError.is(error)) {
    const { code, message, retryable, issues } = error;
    return { code, message, retryable, issues, sqliteCode: null };
  }
  const message = error instanceof Error ? error.message : String(error);
  const sqliteCode = sqliteCodeOf(error);
  if (sqliteCode === null) return { code: "internal", message, retryable: false, issues: [], sqliteCode };
  if (isSqliteFull(error)) {
    const { message: text } = storageFullError("database", error);
    return { code: "storage_full", message: text, retryable: true, issues: [], sqliteCode };
  }
  const cure = isCorrupt(error)
    ? ". The database file is damaged: lorebase check says where. Restore a backup, or save what can be read with lorebase export --skip-damaged."
    : "";
  return {
    code: "store_failed",
    message: `SQLite failed: ${message}${cure}`,
    retryable: TRANSIENT_CODES.includes(sqliteCode),
    issues: [],
    sqliteCode,
  };
}

/** The failure of a write of content while there is no space for it. */
export const STORAGE_FULL = toFailure(storageFullError("database", new Error("there is no space for new content")));

/** Converts an error that another thread has sent. */
export function fromFailure(failure: ThreadFailure): KnowledgeBaseError {
  return new KnowledgeBaseError(failure.code, failure.message, {
    retryable: failure.retryable,
    issues: failure.issues,
    cause: failure.sqliteCode === null ? undefined : new SqliteFailure(failure.sqliteCode, failure.message),
  });
}
