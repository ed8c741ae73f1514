import BetterSqlite3 from "better-sqlite3";
import type { Connection } from "./connection.js";
import { NodeSqliteConnection } from "./node-sqlite-connection.js";
import type { NodeSqliteModule } from "./node-sqlite-module.js";

/** A library that opens connections to SQLite. */
export interface SqliteDriver {
  readonly name: "better-sqlite3" | "node:sqlite";
  /**
   * Copies a database to a new file with SQLite's online backup, as the connection's open transaction sees it.
   * @param options.pages The number of pages of one step.
   * @param options.afterStep Called after each step but the last. If it throws, the copy ends with its error.
   */
  copy(
    connection: Connection,
    target: string,
    options: { readonly pages: number; readonly afterStep: () => void },
  ): Promise<void>;
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
  return {
    name: "better-sqlite3",
    open: (path, options) => new BetterSqlite3(path, options),
    async copy(connection, target, { pages, afterStep }) {
      const progress = () => {
        afterStep();
        return pages;
      };
      await (connection as BetterSqlite3.Database).backup(target, { progress });
    },
  };
}

/** Loads node:sqlite; returns `null` if this version of Node lacks it, as Node 20 does. */
export function nodeSqliteDriver(): SqliteDriver | null {
  const module = process.getBuiltinModule("node:sqlite") as NodeSqliteModule | undefined;
  if (!module) return null;
  return {
    name: "node:sqlite",
    open: (path, options) => new NodeSqliteConnection(module, path, options),
    copy: (connection, target, { pages, afterStep }) =>
      (connection as NodeSqliteConnection).copy(module, target, { rate: pages, progress: afterStep }),
  };
}
