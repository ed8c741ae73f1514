import type { SqlValue } from "../../interfaces/sql-connection.js";
import type { PreparedStatement } from "./connection.js";
import type { StatementSync } from "./node-sqlite-module.js";

/** A statement of node:sqlite with better-sqlite3's interface. */
export class NodeSqliteStatement implements PreparedStatement {
  readonly reader: boolean;
  readonly #statement: StatementSync;
  #first = false;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.reader = statement.columns().length > 0;
  }

  all(...parameters: SqlValue[]): unknown[] {
    const rows = this.#statement.all(...parameters);
    return this.#first ? rows.map(firstOf) : rows;
  }

  get(...parameters: SqlValue[]): unknown {
    const row = this.#statement.get(...parameters);
    return this.#first && row !== undefined ? firstOf(row) : row;
  }

  run(...parameters: SqlValue[]): { readonly changes: number } {
    return { changes: Number(this.#statement.run(...parameters).changes) };
  }

  iterate(...parameters: SqlValue[]): IterableIterator<unknown> {
    const rows = this.#statement.iterate(...parameters);
    return this.#first ? eachFirst(rows) : rows;
  }

  pluck(only = true): this {
    this.#first = only;
    this.#statement.setReturnArrays(only);
    return this;
  }

  raw(): this {
    this.#first = false;
    this.#statement.setReturnArrays(true);
    return this;
  }
}

function* eachFirst(rows: Iterable<unknown>): IterableIterator<unknown> {
  for (const row of rows) yield firstOf(row);
}

function firstOf(row: unknown): unknown {
  return (row as readonly unknown[])[0];
}
