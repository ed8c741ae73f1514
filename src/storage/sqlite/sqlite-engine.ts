import type { Connection } from "./connection.js";

/** A library that opens connections to SQLite. */
export interface SqliteEngine {
  readonly name: "better-sqlite3" | "node:sqlite";
  /** @param options.timeout How long to wait for a lock, in milliseconds. */
  open(path: string, options: { readonly readonly: boolean; readonly timeout: number }): Connection;
}
