import { join } from "node:path";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import type { SqlValue } from "../../src/storage/sql-value.js";
import type { Connection } from "../../src/storage/sqlite/connection.js";
import { knownDatabaseOf, queryNow, rowsNow, writeNow } from "./postgres-directories.js";

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

/** All rows of each table of the database in a knowledge base's directory. */
export function rowsByTable(directory: string): Readonly<Record<string, readonly object[]>> {
  const database = knownDatabaseOf(directory);
  if (database) return rowsNow(database);
  // The content of a virtual table is in its shadow tables.
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name";
  return onConnection(directory, (connection) => {
    const tables = connection.prepare(sql).all() as { readonly name: string }[];
    return Object.fromEntries(
      tables.map(({ name }) => [name, connection.prepare(`SELECT * FROM "${name}"`).all() as object[]]),
    );
  });
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
