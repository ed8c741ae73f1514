import type { Operation } from "../../operation.js";
import { runOperation } from "../run-operation.js";
import type { IndexDatabase, IndexTx, IndexValue } from "./index-database.js";

/** One snapshot or transaction of a search thread, in which nothing else runs. Placeholders are written `?`. */
export interface Snapshot {
  rows<Row>(sql: string, ...parameters: readonly IndexValue[]): Promise<readonly Row[]>;
}

/** Runs snapshots and transactions one at a time, in the order of the calls. */
export class SnapshotQueue {
  readonly #database: Pick<IndexDatabase, "read" | "write">;
  #last: Promise<unknown> = Promise.resolve();

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
    const result = this.#last.then(run);
    this.#last = result.catch(() => {});
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
  };
}
