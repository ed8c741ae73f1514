import { type AppliedMigration, checkHistory, checksum, type Migration, requireCurrent } from "../migration-history.js";
import { UNFINISHED_TRANSFER_TABLE, unfinishedTransferError } from "../transfer/transfer-state.js";
import type { Connection } from "./connection.js";
import type { Statements } from "./statements.js";

/**
 * Migrates a database to the newest version, in one transaction that excludes other writers, so that two processes may
 * start at once. Does nothing if the database is up to date.
 *
 * @throws KnowledgeBaseError `unsupported` if the database is newer than this code or has different migrations
 */
export function migrate(db: Connection, migrations: readonly Migration[]): void {
  // Checks without a lock first: most databases are up to date.
  if (appliedVersion(db) === migrations.length) {
    checkHistory(appliedMigrations(db), migrations);
    return;
  }
  db.exec("BEGIN IMMEDIATE");
  try {
    db.exec(
      `CREATE TABLE IF NOT EXISTS migrations
         (version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL) STRICT`,
    );
    const applied = appliedMigrations(db);
    checkHistory(applied, migrations);
    for (const [index, migration] of migrations.entries()) {
      if (index < applied.length) continue;
      db.exec(migration.sql);
      db.prepare("INSERT INTO migrations VALUES (?, ?, ?)").run(index + 1, migration.name, checksum(migration));
    }
    db.pragma(`user_version = ${migrations.length}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.inTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/**
 * Checks that a database has the schema of this code, without changing the database.
 * @throws KnowledgeBaseError `unsupported` if it hasn't
 */
export function checkSchema(db: Connection, migrations: readonly Migration[]): void {
  requireCurrent(appliedVersion(db) === 0 ? [] : appliedMigrations(db), migrations);
}

/**
 * Checks that no other process has migrated an open database to a schema that this code doesn't know. Cheap enough for
 * every operation: the version is in the header of the file.
 *
 * @throws KnowledgeBaseError `unsupported` if one has
 */
export function requireKnownSchema(statements: Statements, migrations: readonly Migration[]): void {
  const { user_version } = statements.get<{ user_version: number }>("PRAGMA user_version")!;
  if (user_version > migrations.length) checkHistory(appliedMigrations(statements.connection), migrations);
}

/** @throws KnowledgeBaseError `not_ready` if a transfer into the database is unfinished */
export function refuseUnfinishedTransfer(db: Connection): void {
  const found = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(UNFINISHED_TRANSFER_TABLE);
  if (found !== undefined) throw unfinishedTransferError();
}

function appliedVersion(db: Connection): number {
  return db.pragma("user_version", { simple: true }) as number;
}

function appliedMigrations(db: Connection): readonly AppliedMigration[] {
  return db.prepare("SELECT version, name, checksum FROM migrations ORDER BY version").all() as AppliedMigration[];
}
