import { LruCache } from "../../util/lru-cache.js";
import type { SqlValue } from "../tx.js";
import type { Connection, PreparedStatement } from "./connection.js";

/** Maximum cached prepared statements; the least recently used is evicted first. */
const CACHE_SIZE = 400;

/** A connection with a cache of prepared statements. */
export class Statements {
  readonly connection: Connection;
  readonly #cache = new LruCache<string, PreparedStatement>({ maxEntries: CACHE_SIZE });

  constructor(connection: Connection) {
    this.connection = connection;
  }

  all<Row>(sql: string, ...parameters: SqlValue[]): Row[] {
    return this.#prepare(sql).all(...parameters) as Row[];
  }

  /** Returns the first column of each row. */
  column<Value>(sql: string, ...parameters: SqlValue[]): Value[] {
    const statement = this.#prepare(sql).pluck();
    try {
      return statement.all(...parameters) as Value[];
    } finally {
      // The same SQL may also be used for whole rows.
      statement.pluck(false);
    }
  }

  get<Row>(sql: string, ...parameters: SqlValue[]): Row | undefined {
    return this.#prepare(sql).get(...parameters) as Row | undefined;
  }

  /** Iterates over rows as arrays, for large results. The connection can't run other statements in the meantime. */
  rows<Row extends readonly unknown[]>(sql: string, ...parameters: SqlValue[]): IterableIterator<Row> {
    return this.#prepare(sql)
      .raw()
      .iterate(...parameters) as IterableIterator<Row>;
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...parameters: SqlValue[]): number {
    return this.#prepare(sql).run(...parameters).changes;
  }

  /** Runs SQL without caching it, such as CREATE TABLE. */
  exec(sql: string): void {
    this.connection.exec(sql);
  }

  #prepare(sql: string): PreparedStatement {
    let statement = this.#cache.get(sql);
    if (!statement) {
      statement = this.connection.prepare(sql);
      this.#cache.set(sql, statement);
    }
    return statement;
  }
}
