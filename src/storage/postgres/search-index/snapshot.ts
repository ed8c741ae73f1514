import { KnowledgeBaseError } from "../../../errors.js";
import type { Operation } from "../../operation.js";
import type { BinaryColumns, BinaryRow, CopyParameter } from "../copy-rows.js";
import { remedyOf } from "../failures.js";
import { runOperation } from "../run-operation.js";
import type { IndexDatabase, IndexTx, IndexValue } from "./index-database.js";

/** One snapshot or transaction of a search thread, in which nothing else runs. Placeholders are written `?`. */
export interface Snapshot {
  rows<Row>(sql: string, ...parameters: readonly IndexValue[]): Promise<readonly Row[]>;
  /** Returns rows with many bytes, which {@link rows} would take ten times as long to read. Call one at a time. */
  copy<Columns extends BinaryColumns>(
    columns: Columns,
    sql: string,
    ...parameters: readonly CopyParameter[]
  ): Promise<readonly BinaryRow<Columns>[]>;
}

/** A call fails that has waited so long behind others while the server was out of reach. */
const MAX_WAIT_MS = 10_000;

/** Runs snapshots and transactions one at a time, in the order of the calls. */
export class SnapshotQueue {
  readonly #database: Pick<IndexDatabase, "read" | "write">;
  #last: Promise<unknown> = Promise.resolve();
  /** The error of the last call, if the server was out of reach; else `null`. */
  #unreachable: KnowledgeBaseError | null = null;

  constructor(database: Pick<IndexDatabase, "read" | "write">) {
    this.#database = database;
  }

  /** Runs work in one snapshot. It may run more than once. */
  read<Result>(work: (db: Snapshot) => Promise<Result>): Promise<Result> {
    return this.#enqueue(() => this.#database.read((tx) => toOperation(work(toSnapshot(tx)))));
  }

  /** Runs work in one transaction. It may run more than once. */
  write<Result>(work: (db: Snapshot) => Promise<Result>): Promise<Result> {
    return this.#enqueue(() => this.#database.write((tx) => toOperation(work(toSnapshot(tx)))));
  }

  #enqueue<Result>(run: () => Promise<Result>): Promise<Result> {
    const calledAt = performance.now();
    const result = this.#last.then(() => {
      // Otherwise the time that each call tries to reach the server would add up.
      if (this.#unreachable && performance.now() - calledAt > MAX_WAIT_MS) throw this.#unreachable;
      return run();
    });
    this.#last = result.then(
      () => {
        this.#unreachable = null;
      },
      (error) => {
        // Not for a conflict or a slow statement, which the server answered.
        const isReached = !KnowledgeBaseError.is(error, "store_failed") || remedyOf(error.cause) !== "reconnect";
        this.#unreachable = isReached ? null : error;
      },
    );
    return result;
  }
}

function* toOperation<Result>(result: Promise<Result>): Operation<Result> {
  return (yield result) as Result;
}

function toSnapshot(tx: IndexTx): Snapshot {
  return {
    rows<Row>(sql: string, ...parameters: readonly IndexValue[]) {
      return runOperation(
        (function* (): Operation<readonly Row[]> {
          return yield* tx.all<Row>(sql, ...parameters);
        })(),
      );
    },
    copy<Columns extends BinaryColumns>(columns: Columns, sql: string, ...parameters: readonly CopyParameter[]) {
      return runOperation(
        (function* (): Operation<readonly BinaryRow<Columns>[]> {
          return yield* tx.copy(columns, sql, ...parameters);
        })(),
      );
    },
  };
}
