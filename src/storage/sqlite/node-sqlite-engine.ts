import { NodeSqliteConnection } from "./node-sqlite-connection.js";
import type { NodeSqliteModule } from "./node-sqlite-module.js";
import type { SqliteEngine } from "./sqlite-engine.js";

/** `null` if Node has no node:sqlite, like Node 20. */
export function nodeSqliteEngine(): SqliteEngine | null {
  const module = process.getBuiltinModule("node:sqlite") as NodeSqliteModule | undefined;
  if (!module) return null;
  return { name: "node:sqlite", open: (path, options) => new NodeSqliteConnection(module, path, options) };
}
