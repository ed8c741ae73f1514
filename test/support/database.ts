import { join } from "node:path";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import type { SqlValue } from "../../src/storage/sql-value.js";
import type { Connection } from "../../src/storage/sqlite/connection.js";
import { knownDatabaseOf, queryNow, writeNow } from "./postgres-directories.js";

export interface SqlStatement {
  readonly sql: string;
  readonly parameters?: readonly SqlValue[];
}

/** The rows of a query of the database in a knowledge base's directory. */
export function queryDatabase<Row>(directory: string, sql: string, ...parameters: SqlValue[]): readonly Row[] {
  const database = knownDatabaseOf(directory);
  if (database) return queryNow(database, sql, parameters);
  return onConnection(directory, (connection) => connection.prepare(sql).all(...parameters) as Row[]);
}

/** Runs statements in the database of a knowledge base's directory, all or none. */
export function writeDatabase(directory: string, statements: readonly SqlStatement[]): void {
  const database = knownDatabaseOf(directory);
  if (database) {
    writeNow(database, statements);
    return;
  }
  onConnection(directory, (connection) => {
    connection.exec("BEGIN IMMEDIATE");
    for (const { sql, parameters = [] } of statements) connection.prepare(sql).run(...parameters);
    connection.exec("COMMIT");
  });
}

function onConnection<Result>(directory: string, use: (connection: Connection) => Result): Result {
  const connection = openConnection(join(directory, "lorebase.db"), "writer");
  try {
    return use(connection);
  } finally {
    connection.close();
  }
}
