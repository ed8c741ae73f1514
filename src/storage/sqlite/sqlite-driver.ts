import BetterSqlite3 from "better-sqlite3";
import type { Connection } from "./connection.js";
import { NodeSqliteConnection } from "./node-sqlite-connection.js";
import type { NodeSqliteModule } from "./node-sqlite-module.js";

/** A library that opens connections to SQLite. */
export interface SqliteDriver {
  readonly name: "better-sqlite3" | "node:sqlite";
  /** @param options.timeout How long to wait for a lock, in milliseconds. */
  open(path: string, options: { readonly readonly: boolean; readonly timeout: number }): Connection;
}

/**
 * Loads better-sqlite3.
 * @throws Error if the native binding is missing or was built for another platform or version of Node
 */
export function betterSqlite3Driver(): SqliteDriver {
  // The package loads its binding when it opens the first database.
  new BetterSqlite3(":memory:").close();
  return { name: "better-sqlite3", open: (path, options) => new BetterSqlite3(path, options) };
}

/** Loads node:sqlite; returns `null` if this version of Node lacks it, as Node 20 does. */
export function nodeSqliteDriver(): SqliteDriver | null {
  const module = process.getBuiltinModule("node:sqlite") as NodeSqliteModule | undefined;
  if (!module) return null;
  return { name: "node:sqlite", open: (path, options) => new NodeSqliteConnection(module, path, options) };
}
