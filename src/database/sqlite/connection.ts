import type { SqlValue } from "../../interfaces/sql-connection.js";

/**
 * What is used of a better-sqlite3 connection. Its own types are a package that users don't install, and these stand in declarations that
 * theirs are checked against.
 */
export interface Connection {
  readonly open: boolean;
  readonly inTransaction: boolean;
  /** Whether it is in memory alone. */
  readonly memory: boolean;
  /** The path of its file. */
  readonly name: string;
  prepare(sql: string): PreparedStatement;
  exec(sql: string): unknown;
  pragma(text: string): unknown;
  close(): unknown;
}

export interface PreparedStatement {
  /** Whether it gives rows. */
  readonly reader: boolean;
  all(...parameters: SqlValue[]): unknown[];
  get(...parameters: SqlValue[]): unknown;
  run(...parameters: SqlValue[]): { readonly changes: number };
  iterate(...parameters: SqlValue[]): IterableIterator<unknown>;
  /** Gives the first column of each row alone, or whole rows again. */
  pluck(only?: boolean): this;
  /** Gives rows as arrays. */
  raw(): this;
}
