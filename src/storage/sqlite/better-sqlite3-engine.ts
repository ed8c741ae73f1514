import BetterSqlite3 from "better-sqlite3";
import type { SqliteEngine } from "./sqlite-engine.js";

/** @throws Error if its native binding is missing or was built for another version of Node or platform */
export function betterSqlite3Engine(): SqliteEngine {
  // The package loads its binding with the first database.
  new BetterSqlite3(":memory:").close();
  return { name: "better-sqlite3", open: (path, options) => new BetterSqlite3(path, options) };
}
