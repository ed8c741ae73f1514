import type { CallOptions } from "../../../types.js";
import type { Operation, Step } from "../../operation.js";
import type { SqlValue } from "../../sql-value.js";
import type { BinaryColumns, BinaryRow, CopyParameter } from "../copy-rows.js";

/** A parameter of a statement. Lists are for `unnest`. */
export type IndexValue =
  | SqlValue
  | boolean
  | readonly (number | null)[]
  | readonly (string | null)[]
  | readonly (Uint8Array | null)[];

/** What the index needs of a transaction on the records. */
export interface IndexTx {
  get<Row>(sql: string, ...parameters: IndexValue[]): Step<Row | undefined>;
  all<Row>(sql: string, ...parameters: IndexValue[]): Step<readonly Row[]>;
  /** Returns rows of bytes and integers, in a fraction of the time of {@link all}. No other copy may run meanwhile. */
  copy<Columns extends BinaryColumns>(
    columns: Columns,
    sql: string,
    ...parameters: CopyParameter[]
  ): Step<readonly BinaryRow<Columns>[]>;
  run(sql: string, ...parameters: IndexValue[]): Step<number>;
  /** Runs a statement whose result isn't needed. If it fails, a later step or the end of the transaction does. */
  exec(sql: string, ...parameters: IndexValue[]): Step<void>;
}

/** Runs operations on the caller's thread. An operation may run more than once. */
export interface IndexDatabase {
  /** Whether writes are waiting or running. */
  readonly isWriting: boolean;
  /** Runs an operation in one REPEATABLE READ snapshot. */
  read<Result>(operation: (tx: IndexTx) => Operation<Result>, options?: CallOptions): Promise<Result>;
  /** Runs an operation in one transaction, after the writes of this process that were called before. */
  write<Result>(operation: (tx: IndexTx) => Operation<Result>, options?: CallOptions): Promise<Result>;
}
