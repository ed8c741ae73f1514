import type { LockKind } from "./locks.js";
import type { Step } from "./operation.js";
import type { RowStatement, StatementRow } from "./row-statement.js";
import type { SearchIndexWriter } from "./search-index.js";
import type { SqlValue } from "./sql-value.js";

/** Builds the SQL expressions that differ between database engines. Arguments are SQL, not values. */
export interface Dialect {
  /** Reads a field of a JSON object that is stored as text; NULL if the field is absent. */
  jsonField(json: string, field: string): string;
  /** Tests whether a value is in a list of strings, which is passed as a parameter with a JSON array. */
  inJsonList(value: string): string;
  /** Tests whether a JSON array of strings and a list of strings, passed like that, have an element in common. */
  sharesJsonElement(json: string): string;
  /** Ends a SELECT that locks its rows until the transaction ends, as {@link Tx.lock} does; empty if none is needed. */
  readonly lockingRows: string;
  /** The same for transactions that only keep others from changing the rows. */
  readonly sharingRows: string;
  /** Takes the greater of two numbers. */
  greater(a: string, b: string): string;
  /** Reads the last number that a numbered table has given to a row; NULL if none. Takes names, not expressions. */
  counter(table: string, column: string): string;
  /** A statement that sets the counter of a numbered table to its parameter. Takes names, not expressions. */
  setCounter(table: string, column: string): string;
}

/** A part of a query with its parameters. Values are never part of the SQL text. */
export interface SqlFragment {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/**
 * One transaction, or one snapshot for an operation that only reads.
 *
 * Other operations may write concurrently. Isolation is at least READ COMMITTED, so operations lock what they read,
 * check and then write (see {@link LockKind}).
 */
export interface Tx {
  readonly dialect: Dialect;
  /** The search index of the same database: its writes are committed or rolled back with those of the records. */
  readonly index: SearchIndexWriter;
  /** Returns the first row. Placeholders are written `?`. */
  get<Row>(sql: string, ...parameters: SqlValue[]): Step<Row | undefined>;
  all<Row>(sql: string, ...parameters: SqlValue[]): Step<readonly Row[]>;
  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, ...parameters: SqlValue[]): Step<number>;
  /**
   * Runs a statement whose result isn't needed. A database server need not be waited for: if the statement fails, a later
   * step or the end of the transaction does.
   */
  exec(sql: string, ...parameters: SqlValue[]): Step<void>;
  /** Runs a query for each row, and returns the results of all, in no particular order. */
  allRows<Row>(statement: RowStatement, rows: readonly StatementRow[]): Step<readonly Row[]>;
  /** Runs a statement whose result isn't needed for each row. */
  execRows(statement: RowStatement, rows: readonly StatementRow[]): Step<void>;
  /** Takes a lock, which is held until the transaction ends. */
  lock(kind: LockKind, id: string | number): Step<void>;
}
