import type { SqlValue } from "./sql-connection.js";

/**
 * A connection to SQLite, as our code uses it. better-sqlite3's `Database` has this shape; `NodeSqliteConnection` gives
 * it to node:sqlite. Declared here, because the types of better-sqlite3 are a package that users don't install.
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
  /** Returns the rows of a pragma, or, where `simple` is set, the first column of the first row. */
  pragma(text: string, options?: { readonly simple?: boolean }): unknown;
  /** Defines an SQL function of as many arguments as `implementation` has parameters. */
  function(
    name: string,
    options: { readonly deterministic: boolean },
    implementation: (...values: unknown[]) => unknown,
  ): unknown;
  loadExtension(path: string): unknown;
  close(): unknown;
}

export interface PreparedStatement {
  /** Whether it returns rows. */
  readonly reader: boolean;
  all(...parameters: SqlValue[]): unknown[];
  get(...parameters: SqlValue[]): unknown;
  /** `changes` counts the rows that an INSERT, UPDATE or DELETE changed; after other statements it means nothing. */
  run(...parameters: SqlValue[]): { readonly changes: number };
  iterate(...parameters: SqlValue[]): IterableIterator<unknown>;
  /** Returns the first column of each row alone, or whole rows again. */
  pluck(only?: boolean): this;
  /** Returns rows as arrays. */
  raw(): this;
}
