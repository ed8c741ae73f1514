import type { PoolClient, QueryResult, QueryResultRow } from "pg";
import { getErrorMessage } from "../../errors.js";
import { LOCKS, type LockKind } from "../locks.js";
import type { Step } from "../operation.js";
import { forAllRows, type RowStatement, type StatementRow } from "../row-statement.js";
import type { SearchIndexWriter } from "../search-index.js";
import type { Dialect, Tx } from "../tx.js";
import { type BinaryColumns, type BinaryRow, type CopyParameter, copyRows } from "./copy-rows.js";
import { ConnectionFailure, toStatementError } from "./failures.js";
import { sharesJsonElement } from "./search-index/filter-sql.js";
import { postgresIndexWriter } from "./search-index/index-writer.js";
import type { StatementTexts } from "./statement-text.js";
import { type Parameter, toParameter } from "./values.js";

const POSTGRES_DIALECT: Dialect = {
  // PostgreSQL reads no JSON that has escapes of U+0000 or of half a surrogate pair, in whichever field.
  jsonField: (json, field) =>
    `(regexp_replace(${json}, '\\\\u(0000|d[89a-f][0-9a-f]{2})', '\\\\ufdd0', 'g')::json ->> '${field}')`,
  inJsonList: (value) => `${value} IN (SELECT json_array_elements_text(?::json))`,
  sharesJsonElement,
  lockingRows: "FOR NO KEY UPDATE",
  sharingRows: "FOR SHARE",
  greater: (a, b) => `greatest(${a}, ${b})`,
  counter: (table, column) => `pg_sequence_last_value(pg_get_serial_sequence('${table}', '${column}')::regclass)`,
  setCounter: (table, column) => `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), ?)`,
};

/** A statement that may be sent before the transaction has begun: outside one, it would change no row. */
const IS_READ = /^\s*SELECT\b/i;

/**
 * A transaction on one connection. Statements are sent without waiting for the answers to earlier ones; the server runs
 * them in order. Once one has failed, all later ones fail with the same error.
 */
export class PostgresTx implements Tx {
  readonly dialect = POSTGRES_DIALECT;
  readonly index: SearchIndexWriter;
  readonly #client: PoolClient;
  readonly #texts: StatementTexts;
  #failure: unknown = null;
  /** Statements to send once the transaction has begun; `null` if they are sent at once. */
  #held: (() => void)[] | null = null;

  constructor(client: PoolClient, texts: StatementTexts) {
    this.#client = client;
    this.#texts = texts;
    this.index = postgresIndexWriter(this);
  }

  /** The first error of a statement; `null` if all answers so far were good. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * Begins the transaction, without which each statement is one of its own. Statements may follow at once: they wait for
   * its answer if they could write. Resolves with the answer; a failure is that of all statements.
   */
  async begin(sql: string): Promise<void> {
    this.#held = [];
    try {
      await this.#client.query(sql);
    } catch (error) {
      // On another connection it may begin: this one may have led to a standby.
      this.#failure ??= new ConnectionFailure(`A transaction could not begin: ${getErrorMessage(error)}`, {
        cause: error,
      });
    }
    const held = this.#held;
    this.#held = null;
    for (const send of held) send();
  }

  get<Row>(sql: string, ...parameters: Parameter[]): Step<Row | undefined> {
    return new SentStep(() => this.#send(sql, parameters).then(({ rows }) => rows[0] as Row | undefined));
  }

  all<Row>(sql: string, ...parameters: Parameter[]): Step<readonly Row[]> {
    return new SentStep(() => this.#send(sql, parameters).then(({ rows }) => rows as unknown as readonly Row[]));
  }

  copy<Columns extends BinaryColumns>(
    columns: Columns,
    sql: string,
    ...parameters: CopyParameter[]
  ): Step<readonly BinaryRow<Columns>[]> {
    return new SentStep(() => this.#afterHeld(sql, () => copyRows(this.#client, columns, sql, parameters)));
  }

  run(sql: string, ...parameters: Parameter[]): Step<number> {
    return new SentStep(() => this.#send(sql, parameters).then(({ rowCount }) => rowCount ?? 0));
  }

  exec(sql: string, ...parameters: Parameter[]): Step<void> {
    return new UnawaitedStep(() => this.#send(sql, parameters));
  }

  allRows<Row>(statement: RowStatement, rows: readonly StatementRow[]): Step<readonly Row[]> {
    return new SentStep(async () => {
      const results = await Promise.all(this.#sendRows(statement, rows));
      return results.flatMap((result) => result.rows as unknown as readonly Row[]);
    });
  }

  execRows(statement: RowStatement, rows: readonly StatementRow[]): Step<void> {
    return new UnawaitedStep(() => Promise.all(this.#sendRows(statement, rows)));
  }

  /** Waits for new rows that refer to the locked one only if that is a scope, which is removed once nothing refers to it. */
  lock(kind: LockKind, id: string | number): Step<void> {
    return this.exec(`${LOCKS[kind]} FOR ${kind === "scope" ? "UPDATE" : "NO KEY UPDATE"}`, id);
  }

  /** Sends a statement once for all rows, or once for each part of so many that they would be too large. */
  #sendRows(statement: RowStatement, rows: readonly StatementRow[]): Promise<QueryResult<QueryResultRow>>[] {
    const sql = rows.length === 0 ? "" : forAllRows(statement);
    const columns = Object.keys(statement.columns);
    return splitRows(rows).map((part) =>
      this.#send(
        sql,
        columns.map((_, column) => part.map((row) => row[column]!) as Parameter),
      ),
    );
  }

  #send(sql: string, parameters: readonly Parameter[]): Promise<QueryResult<QueryResultRow>> {
    return this.#afterHeld(sql, () => this.#client.query(this.#texts.numbered(sql), parameters.map(toParameter)));
  }

  /** Sends a statement, after those that wait for the transaction to begin, or with them if it could write. */
  #afterHeld<Result>(sql: string, send: () => Promise<Result>): Promise<Result> {
    const held = this.#held;
    if (held === null || (held.length === 0 && IS_READ.test(sql))) return this.#noteFailure(send());
    return new Promise((resolve, reject) => {
      held.push(() => {
        try {
          if (this.#failure !== null) throw this.#failure;
          resolve(this.#noteFailure(send()));
        } catch (error) {
          this.#failure ??= toStatementError(error);
          reject(this.#failure);
        }
      });
    });
  }

  async #noteFailure<Result>(sent: Promise<Result>): Promise<Result> {
    try {
      const result = await sent;
      // An answer after a failure is that of a statement outside the transaction.
      if (this.#failure === null) return result;
    } catch (error) {
      this.#failure ??= toStatementError(error);
    }
    throw this.#failure;
  }
}

/** Splits rows into parts of limited size, since a parameter can't have more than 1 GiB. */
function splitRows(rows: readonly StatementRow[]): readonly (readonly StatementRow[])[] {
  const parts: StatementRow[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (size > MAX_ROWS_SIZE) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)!.push(row);
    for (const value of row) size += typeof value === "string" ? value.length : 8;
  }
  return parts;
}

/** In characters. */
const MAX_ROWS_SIZE = 4_000_000;

/** Sends a statement and waits for its answer. */
class SentStep<Result> implements Step<Result> {
  readonly #send: () => Promise<Result>;

  constructor(send: () => Promise<Result>) {
    this.#send = send;
  }

  *[Symbol.iterator](): Iterator<Promise<unknown>, Result, unknown> {
    return (yield this.#send()) as Result;
  }
}

/** Sends a statement. The transaction keeps its error. */
class UnawaitedStep implements Step<void> {
  readonly #send: () => Promise<unknown>;

  constructor(send: () => Promise<unknown>) {
    this.#send = send;
  }

  *[Symbol.iterator](): Iterator<Promise<unknown>, void, unknown> {
    this.#send().catch(() => {});
  }
}
