import type { Operation, Step } from "../operation.js";
import type { SearchIndexWriter } from "../search-index.js";
import type { Dialect, SqlValue, Tx } from "../tx.js";
import { ImmediateStep } from "./immediate-step.js";
import { sqliteIndexWriter } from "./search-index/writer.js";
import type { Statements } from "./statements.js";

const SQLITE: Dialect = {
  jsonField: (json, field) => `${json} ->> '$.${field}'`,
  among: (value) => `${value} IN (SELECT value FROM json_each(?))`,
  greater: (a, b) => `max(${a}, ${b})`,
};

/** A transaction of SQLite. Steps have immediate results, so an operation never suspends. */
export class SqliteTx implements Tx {
  readonly dialect = SQLITE;
  readonly index: SearchIndexWriter;
  readonly #db: Statements;

  constructor(db: Statements) {
    this.#db = db;
    this.index = sqliteIndexWriter(db);
  }

  get<Row>(sql: string, ...parameters: SqlValue[]): Step<Row | undefined> {
    return new ImmediateStep(this.#db.get<Row>(sql, ...parameters));
  }

  all<Row>(sql: string, ...parameters: SqlValue[]): Step<readonly Row[]> {
    return new ImmediateStep(this.#db.all<Row>(sql, ...parameters));
  }

  run(sql: string, ...parameters: SqlValue[]): Step<number> {
    return new ImmediateStep(this.#db.run(sql, ...parameters));
  }

  /** No lock is needed: there is one writer at a time. */
  lock(): Step<void> {
    return NOTHING;
  }
}

const NOTHING = new ImmediateStep<void>(undefined);

/** Runs an operation to completion. @throws Error if it would have to wait */
export function runNow<Result>(operation: Operation<Result>): Result {
  const { done, value } = operation.next();
  if (!done) throw new Error("An operation waited in SQLite's thread, where every statement completes at once.");
  return value;
}
