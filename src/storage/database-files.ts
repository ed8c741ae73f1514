import { openThreads } from "./sqlite/open-threads.js";
import { sqliteStorage } from "./sqlite/sqlite-storage.js";
import type { Storage } from "./storage.js";

// What backups do with database files that no knowledge base has open: SQLite's are the only ones.

export { lockFile } from "./sqlite/file-lock.js";
export { openSqliteSnapshot as openFileSnapshot } from "./sqlite/sqlite-snapshot.js";

/** Opens a database file for reading only. */
export async function openDatabaseFile(path: string): Promise<Storage> {
  return sqliteStorage(await openThreads(path, { access: "readOnly" }));
}
