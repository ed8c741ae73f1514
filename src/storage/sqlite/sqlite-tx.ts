import type { Operation, Step } from "../operation.js";
import { forOneRow, type RowStatement, type SingleStatement, type StatementRow } from "../row-statement.js";
import type { SearchIndexWriter } from "../search-index.js";
import type { SqlValue } from "../sql-value.js";
import type { Dialect, Tx } from "../tx.js";
import { setChangedError } from "../vector-sets.js";
import { sharesJsonElement } from "./filter-sql.js";
import {
  removeChunks,
  removeScopeIndex,
  restoreChunks,
  restoreScope,
  writeIndexedChunks,
} from "./search-index/chunks.js";
import { activeVectorSet, recordChange } from "./search-index/scope-changes.js";
import type { Statements } from "./statements.js";

const SQLITE_DIALECT: Dialect = {
  jsonField: (json, field) => `${json} ->> '$.${field}'`,
  inJsonList: (value) => `${value} IN (SELECT value FROM json_each(?))`,
  sharesJsonElement,
  lockingRows: "",
  sharingRows: "",
  greater: (a, b) => `max(${a}, ${b})`,
  counter: (table) => `(SELECT seq FROM sqlite_sequence WHERE name = '${table}')`,
  // The table has no unique index on the name.
  setCounter: (table) =>
    `INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq)
     VALUES ((SELECT rowid FROM sqlite_sequence WHERE name = '${table}'), '${table}', ?)`,
};

/** A step with an immediate result. Serves as its own iterator and result, which saves two objects per statement. */
export class ImmediateStep<Result> implements Step<Result> {
  readonly done = true;
  readonly value: Result;

  constructor(value: Result) {
    this.value = value;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): this {
    return this;
  }
}

/** A transaction in SQLite. All steps have immediate results, so operations never suspend. */
export class SqliteTx implements Tx {
  readonly dialect = SQLITE_DIALECT;
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

  exec(sql: string, ...parameters: SqlValue[]): Step<void> {
    this.#db.run(sql, ...parameters);
    return DONE;
  }

  allRows<Row>(statement: RowStatement, rows: readonly StatementRow[]): Step<readonly Row[]> {
    const { sql, parameters } = singleStatement(statement);
    return new ImmediateStep(rows.flatMap((row) => this.#db.all<Row>(sql, ...parameters(row))));
  }

  execRows(statement: RowStatement, rows: readonly StatementRow[]): Step<void> {
    const { sql, parameters } = singleStatement(statement);
    for (const row of rows) this.#db.run(sql, ...parameters(row));
    return DONE;
  }

  /** Does nothing, since there is one writer at a time. */
  lock(): Step<void> {
    return DONE;
  }
}

/** Statements are constants of modules. */
const SINGLE_STATEMENTS = new WeakMap<RowStatement, SingleStatement>();

function singleStatement(statement: RowStatement): SingleStatement {
  let single = SINGLE_STATEMENTS.get(statement);
  if (!single) {
    single = forOneRow(statement);
    SINGLE_STATEMENTS.set(statement, single);
  }
  return single;
}

const DONE = new ImmediateStep<void>(undefined);

/** Creates the writer of the search index in the connection's database. */
function sqliteIndexWriter(db: Statements): SearchIndexWriter {
  return {
    writeChunks(batches) {
      for (const batch of batches) writeIndexedChunks(db, batch);
      return DONE;
    },
    publish(publications) {
      for (const publication of publications) {
        const { scopeId, vectorSet } = publication;
        if (vectorSet !== undefined && vectorSet !== activeVectorSet(db, scopeId)) throw setChangedError();
        recordChange(db, publication);
      }
      return DONE;
    },
    removeChunks: (target) => new ImmediateStep(removeChunks(db, target)),
    removeScope: (scopeId) => new ImmediateStep(removeScopeIndex(db, scopeId)),
    restoreChunks: (chunks) => new ImmediateStep(restoreChunks(db, chunks)),
    restoreScope: (scopeId) => new ImmediateStep(restoreScope(db, scopeId)),
    removeNamespace: (namespaceId) => {
      db.run("DELETE FROM embedding_cache WHERE namespace_id = ?", namespaceId);
      return new ImmediateStep<void>(undefined);
    },
  };
}

/**
 * Runs an operation to completion.
 * @throws Error if the operation waits for a result
 */
export function runNow<Result>(operation: Operation<Result>): Result {
  const { done, value } = operation.next();
  if (!done) throw new Error("An operation waited in SQLite's thread, where every statement completes synchronously.");
  return value;
}
