import { join } from "node:path";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { postgresStorage } from "#dist/storage/postgres/postgres-storage.js";
import { postgresSearchIndex } from "#dist/storage/postgres/search-index/postgres-search-index.js";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import { runNow, SqliteTx } from "#dist/storage/sqlite/sqlite-tx.js";
import { Statements } from "#dist/storage/sqlite/statements.js";
import type { Operation } from "../../src/storage/operation.js";
import type { SearchIndex } from "../../src/storage/search-index.js";
import type { Tx } from "../../src/storage/tx.js";

/** A database engine with its search index, to be compared with another. */
export interface ComparedEngine {
  readonly name: string;
  /** Runs an operation in a transaction. */
  write<Result>(operation: (tx: Tx) => Operation<Result>): Promise<Result>;
  /** Readers with indexes of their own, which see each other's writes. The first one writes vectors and maintains. */
  readonly indexes: readonly SearchIndex[];
  close(): Promise<void>;
}

/** SQLite, written by a connection of its own, as another process does. */
export async function openSqliteEngine(directory: string): Promise<ComparedEngine> {
  const storage = await openSqliteStorage(directory, { minChunks: 0, minDerivedRecords: 40 });
  const connection = openConnection(join(directory, "lorebase.db"), "writer", { isTemporary: true });
  const db = new Statements(connection);
  const tx = new SqliteTx(db);
  return {
    name: "SQLite",
    async write(operation) {
      db.exec("BEGIN IMMEDIATE");
      const result = runNow(operation(tx));
      db.exec("COMMIT");
      return result;
    },
    indexes: [storage.index],
    async close() {
      connection.close();
      await storage.close();
    },
  };
}

/** PostgreSQL, with two readers: one that scans, and one that compares vectors and has little memory. */
export async function openPostgresEngine(url: string): Promise<ComparedEngine> {
  const opened = await openPostgres(url);
  const scanning = { memoryBytes: 2 ** 28, minVectors: 0, minDerivedRecords: 40, blockChunks: 12 };
  const storage = postgresStorage(opened, scanning);
  const connection = { connectionString: url };
  const second = postgresSearchIndex({ database: opened.database, connection, ...scanning, memoryBytes: 20_000 });
  return {
    name: "PostgreSQL",
    write: (operation) => opened.database.write(operation),
    indexes: [storage.index, second],
    async close() {
      await second.close();
      await storage.close();
    },
  };
}
