import { KnowledgeBaseError } from "../../errors.js";
import type { SqlValue } from "../tx.js";
import type { PreparedStatement } from "./connection.js";
import type { StatementSync } from "./node-sqlite-module.js";

/** A statement of node:sqlite with better-sqlite3's interface. */
export class NodeSqliteStatement implements PreparedStatement {
  readonly #statement: StatementSync;
  readonly #truncatesText: boolean;
  #plucks = false;

  /** @param options.truncatesText Whether reading truncates text at the first NUL character. If so, it is refused. */
  constructor(statement: StatementSync, { truncatesText }: { readonly truncatesText: boolean }) {
    this.#truncatesText = truncatesText;
    this.#statement = statement;
  }

  all(...parameters: SqlValue[]): unknown[] {
    const rows = this.#statement.all(...this.#checked(parameters));
    return this.#plucks ? rows.map(firstOf) : rows;
  }

  get(...parameters: SqlValue[]): unknown {
    const row = this.#statement.get(...this.#checked(parameters));
    return this.#plucks && row !== undefined ? firstOf(row) : row;
  }

  run(...parameters: SqlValue[]): { readonly changes: number } {
    return { changes: Number(this.#statement.run(...this.#checked(parameters)).changes) };
  }

  iterate(...parameters: SqlValue[]): IterableIterator<unknown> {
    const rows = this.#statement.iterate(...this.#checked(parameters));
    return this.#plucks ? eachFirst(rows) : rows;
  }

  pluck(toggle = true): this {
    this.#plucks = toggle;
    this.#statement.setReturnArrays(toggle);
    return this;
  }

  raw(): this {
    this.#plucks = false;
    this.#statement.setReturnArrays(true);
    return this;
  }

  #checked(given: SqlValue[]): SqlValue[] {
    // better-sqlite3 binds undefined as NULL.
    const parameters = given.map((value) => value ?? null);
    if (!this.#truncatesText) return parameters;
    for (const value of parameters) {
      if (typeof value !== "string" || !value.includes("\0")) continue;
      throw new KnowledgeBaseError(
        "unsupported",
        `The text contains a NUL character (U+0000), at which Node ${process.versions.node}'s node:sqlite truncates it. ` +
          "Remove the character, use Node 24.21 or later, or install better-sqlite3's native binding " +
          "(run `lorebase doctor` to see how).",
      );
    }
    return parameters;
  }
}

function* eachFirst(rows: Iterable<unknown>): IterableIterator<unknown> {
  for (const row of rows) yield firstOf(row);
}

function firstOf(row: unknown): unknown {
  return (row as readonly unknown[])[0];
}
