import type { Dialect } from "./dialect.js";
import type { LockKind } from "./locks.js";
import type { Step } from "./operation.js";
import type { SearchIndexWriter } from "./search-index.js";
import type { SqlValue } from "./sqlite/sql-connection.js";

/**
 * One transaction, or one snapshot for an operation that only reads.
 *
 * Operations may run beside others that write. Isolation is READ COMMITTED at least, so whatever is read, checked and
 * then written is locked first (see {@link LockKind}).
 */
export interface Tx {
  readonly dialect: Dialect;
  /** The search index of the same database: what it writes is committed and rolled back with the records. */
  readonly index: SearchIndexWriter;
  /** The first row. Parameters are written `?`. */
  get<Row>(sql: string, ...parameters: SqlValue[]): Step<Row | undefined>;
  all<Row>(sql: string, ...parameters: SqlValue[]): Step<readonly Row[]>;
  /** How many rows the statement changed. */
  run(sql: string, ...parameters: SqlValue[]): Step<number>;
  /** Keeps others from locking the same until the transaction ends. */
  lock(kind: LockKind, id: string | number): Step<void>;
}
