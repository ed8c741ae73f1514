import { KnowledgeBaseError } from "../../errors.js";
import type { SqlValue } from "../sql-value.js";
import type { PreparedStatement } from "./connection.js";
import type { StatementSync } from "./node-sqlite-module.js";

/** Adapts a statement of node:sqlite to better-sqlite3's interface. */
export class NodeSqliteStatement implements PreparedStatement {
  readonly #statement: StatementSync;
  readonly #truncatesText: boolean;
  #firstColumnOnly = false;

  /**
   * @param options.truncatesText Whether node:sqlite truncates text at NUL characters. If so, such text is rejected.
   */
  constructor(statement: StatementSync, { truncatesText }: { readonly truncatesText: boolean }) {
    this.#truncatesText = truncatesText;
    this.#statement = statement;
  }

  all(...parameters: SqlValue[]): unknown[] {
    const rows = this.#statement.all(...this.#checkParameters(parameters));
    return this.#firstColumnOnly ? rows.map(firstColumn) : rows;
  }

  get(...parameters: SqlValue[]): unknown {
    const row = this.#statement.get(...this.#checkParameters(parameters));
    return this.#firstColumnOnly && row !== undefined ? firstColumn(row) : row;
  }

  run(...parameters: SqlValue[]): { readonly changes: number } {
    return { changes: Number(this.#statement.run(...this.#checkParameters(parameters)).changes) };
  }

  iterate(...parameters: SqlValue[]): IterableIterator<unknown> {
    const rows = this.#statement.iterate(...this.#checkParameters(parameters));
    return this.#firstColumnOnly ? firstColumns(rows) : rows;
  }

  pluck(toggle = true): this {
    this.#firstColumnOnly = toggle;
    this.#statement.setReturnArrays(toggle);
    return this;
  }

  raw(): this {
    this.#firstColumnOnly = false;
    this.#statement.setReturnArrays(true);
    return this;
  }

  #checkParameters(given: SqlValue[]): SqlValue[] {
    // better-sqlite3 binds undefined as NULL.
    const parameters = given.map((value) => value ?? null);
    if (!this.#truncatesText) return parameters;
    for (const value of parameters) {
      if (typeof value !== "string" || !value.includes("\0")) continue;
      throw new KnowledgeBaseError(
        "unsupported",
        `The text contains a NUL character (U+0000), and node:sqlite in Node ${process.versions.node} would truncate ` +
          "the text there. Remove the character, use Node 24.21 or later, or install better-sqlite3's native binding " +
          "(run `lorebase doctor` to see how).",
      );
    }
    return parameters;
  }
}

function* firstColumns(rows: Iterable<unknown>): IterableIterator<unknown> {
  for (const row of rows) yield firstColumn(row);
}

function firstColumn(row: unknown): unknown {
  return (row as readonly unknown[])[0];
}
