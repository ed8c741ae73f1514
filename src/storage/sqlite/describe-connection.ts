import type { ChosenEngine } from "./choose-engine.js";
import type { Connection } from "./connection.js";
import type { OpenedDatabase } from "./thread-protocol.js";

/** The SQLite engine and version of a connection. */
export function describeConnection(db: Connection, { engine, problem }: ChosenEngine): OpenedDatabase {
  const value = (sql: string) => db.prepare(sql).pluck().get();
  const hasExtension = value("SELECT 1 FROM pragma_function_list WHERE name = 'vec_version'") !== undefined;
  return {
    engine: engine.name,
    sqliteVersion: value("SELECT sqlite_version()") as string,
    vectorsVersion: hasExtension ? (value("SELECT vec_version()") as string) : null,
    problem,
  };
}
