/** What backups do with database files that no knowledge base has open: SQLite's are the only ones. */
export { checkDatabaseFile } from "./sqlite/check-database-file.js";
export { lockFile } from "./sqlite/file-lock.js";
export { openSqliteSnapshot as openFileSnapshot } from "./sqlite/sqlite-snapshot.js";
