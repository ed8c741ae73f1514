import { KnowledgeBaseError } from "../../errors.js";
import { type AppliedMigration, checkHistory, checksum, type Migration } from "../migration-history.js";
import type { Connection } from "./connection.js";

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
 * Checks that a database needs no migration.
 * @throws KnowledgeBaseError `unsupported` if it is older or newer than this code or has different migrations
 */
export function requireCurrentSchema(db: Connection, migrations: readonly Migration[]): void {
  const version = appliedVersion(db);
  if (version < migrations.length) {
    throw new KnowledgeBaseError(
      "unsupported",
      `The database has schema version ${version}, and this version of lorebase needs ${migrations.length}: ` +
        "open it once without readOnly, which migrates it.",
    );
  }
  checkHistory(appliedMigrations(db), migrations);
}

function appliedVersion(db: Connection): number {
  return db.pragma("user_version", { simple: true }) as number;
}

function appliedMigrations(db: Connection): readonly AppliedMigration[] {
  return db.prepare("SELECT version, name, checksum FROM migrations ORDER BY version").all() as AppliedMigration[];
}
