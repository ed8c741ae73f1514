import { LruCache } from "../../util/lru-cache.js";
import type { SqlValue } from "../sql-value.js";
import type { Connection, PreparedStatement } from "./connection.js";

/** The maximum number of cached statements. The least recently used statement is evicted first. */
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

  /** Runs a query and returns the first column of each row. */
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

  /** Iterates over the rows of a large result, as arrays. The connection can't run other statements in the meantime. */
  rows<Row extends readonly unknown[]>(sql: string, ...parameters: SqlValue[]): IterableIterator<Row> {
    return this.#prepare(sql)
      .raw()
      .iterate(...parameters) as IterableIterator<Row>;
  }

  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, ...parameters: SqlValue[]): number {
    return this.#prepare(sql).run(...parameters).changes;
  }

  /** Runs SQL, such as CREATE TABLE, without caching a statement. */
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
