import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { postgresStorage } from "#dist/storage/postgres/postgres-storage.js";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import type { Storage } from "../../src/storage/storage.js";
import { databaseOf, ON_POSTGRES } from "./postgres-directories.js";
import { testServer } from "./postgres-server.js";

/** Opens the storage of a directory as another process does: SQLite's, or with LOREBASE_TEST_ENGINE=postgres its database's. */
export async function openStorage(directory: string): Promise<Storage> {
  if (!ON_POSTGRES) return openSqliteStorage(directory);
  const opened = await openPostgres(databaseOf((await testServer())!, directory));
  return postgresStorage(opened, { memoryBytes: 2 ** 26 });
}
