import type { CallOptions } from "../../types.js";

/** A connection that one caller uses at a time. */
export interface Session {
  /** Runs one statement with parameters `$1`, `$2` …; without parameters, also several. */
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
}

/** Connections to one database. */
export interface Sessions {
  /** The server and the database, without user and password. */
  readonly address: string;
  /**
   * Runs `work` on a connection. If it fails or is aborted, the server rolls back what is open.
   * @throws KnowledgeBaseError `store_failed`
   */
  withConnection<Result>(work: (session: Session) => Promise<Result>, options?: CallOptions): Promise<Result>;
  /** Runs `work`, which may take hours, on a connection that calls don't wait for. `close` breaks the connection. */
  withOwnConnection<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/**
 * A statement that the caller of an aborted call doesn't wait for goes on in the server, for as long as a call may take.
 * A process that stops within a transaction, for example a suspended machine, loses its locks after 20 s. In the message
 * that begins the transaction, so that it never lacks them; a pooler refuses settings at the start of a connection.
 */
const BEGIN = "BEGIN; SET LOCAL statement_timeout = '60s'; SET LOCAL idle_in_transaction_session_timeout = '20s'";

/** Runs `work` in a transaction. It is committed by a message of its own: if the process dies before, nothing is. */
export async function inTransaction<Result>(session: Session, work: () => Promise<Result>): Promise<Result> {
  await session.query(BEGIN);
  try {
    const result = await work();
    await session.query("COMMIT");
    return result;
  } catch (error) {
    // The first error counts, and the connection is not used again.
    await session.query("ROLLBACK").catch(() => {});
    throw error;
  }
}
