import type { SqlValue } from "../sql-value.js";

/**
 * A connection to SQLite. better-sqlite3's `Database` has this shape; `NodeSqliteConnection` adapts node:sqlite to it.
 * It is declared here because users don't install the package with better-sqlite3's types.
 */
export interface Connection {
  readonly open: boolean;
  readonly inTransaction: boolean;
  /** Whether the database is in memory. */
  readonly memory: boolean;
  /** The path of the database's file. */
  readonly name: string;
  prepare(sql: string): PreparedStatement;
  exec(sql: string): unknown;
  /** Runs a pragma. Returns its rows or, with `simple`, the first column of the first row. */
  pragma(text: string, options?: { readonly simple?: boolean }): unknown;
  /** Defines an SQL function with the same number of parameters as `implementation`. */
  function(
    name: string,
    options: { readonly deterministic: boolean },
    implementation: (...values: unknown[]) => unknown,
  ): unknown;
  loadExtension(path: string): unknown;
  close(): unknown;
}

export interface PreparedStatement {
  all(...parameters: SqlValue[]): unknown[];
  get(...parameters: SqlValue[]): unknown;
  /** Runs the statement. `changes` counts the rows changed by an INSERT, UPDATE or DELETE; ignore it otherwise. */
  run(...parameters: SqlValue[]): { readonly changes: number };
  iterate(...parameters: SqlValue[]): IterableIterator<unknown>;
  /** Makes later calls return only the first column of each row or, if `toggle` is false, whole rows again. */
  pluck(toggle?: boolean): this;
  /** Makes later calls return rows as arrays. */
  raw(): this;
}
