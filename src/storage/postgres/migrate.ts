import { KnowledgeBaseError } from "../../errors.js";
import { type AppliedMigration, checkHistory, checksum, type Migration, requireCurrent } from "../migration-history.js";
import type { Operation } from "../operation.js";
import { UNFINISHED_TRANSFER_TABLE, unfinishedTransferError } from "../transfer/transfer-state.js";
import type { Tx } from "../tx.js";
import { unfinishedUpdateError } from "../unfinished-update.js";

const MIN_VERSION = 15;
/** Identifies the advisory lock of migrations: the letters of "lore" as a number. */
const LOCK_ID = 0x6c6f7265;

/**
 * Returns whether a database has the newest version, which most have.
 * @throws KnowledgeBaseError `unsupported` if the server is too old, the database isn't in UTF-8 or too new for this
 * code, or has different migrations
 */
export function* isMigrated(tx: Tx, migrations: readonly Migration[]): Operation<boolean> {
  yield* checkServer(tx);
  const applied = yield* appliedMigrations(tx);
  checkHistory(applied, migrations);
  return applied.length >= migrations.length;
}

/**
 * Migrates a database to the newest version in one transaction. Processes that start at once take turns.
 * @throws KnowledgeBaseError `unsupported` if the database is too new for this code, or has different migrations
 */
export function* migrate(tx: Tx, migrations: readonly Migration[]): Operation<void> {
  yield* tx.run(`SELECT pg_advisory_xact_lock(${LOCK_ID})`);
  const applied = yield* appliedMigrations(tx);
  checkHistory(applied, migrations);
  // Others wait for the locks that a migration waits for. It is repeated until it gets them within this time.
  yield* tx.run("SET LOCAL lock_timeout = '5s'");
  yield* tx.run(
    `CREATE TABLE IF NOT EXISTS migrations
       (version bigint PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, compatible_since bigint)`,
  );
  // Even if the column exists, the statement would lock the table, and processes that start read it.
  if (!(yield* hasColumn(tx, "migrations", "compatible_since")))
    yield* tx.run("ALTER TABLE migrations ADD COLUMN compatible_since bigint");
  for (const [index, migration] of migrations.entries()) {
    if (index < applied.length) continue;
    yield* tx.run(migration.sql);
    const version = index + 1;
    yield* tx.run(
      "INSERT INTO migrations VALUES (?, ?, ?, ?)",
      ...[version, migration.name, checksum(migration), migration.compatibleSince ?? version],
    );
  }
}

/**
 * Checks that a database has the schema of this code, without changing the database.
 * @throws KnowledgeBaseError `unsupported` if it hasn't
 */
export function* checkSchema(tx: Tx, migrations: readonly Migration[]): Operation<void> {
  yield* checkServer(tx);
  requireCurrent(yield* appliedMigrations(tx), migrations);
}

/** @throws KnowledgeBaseError `not_ready` if a transfer into the database is unfinished */
export function* refuseUnfinishedTransfer(tx: Tx): Operation<void> {
  if (yield* hasTable(tx, UNFINISHED_TRANSFER_TABLE)) throw unfinishedTransferError();
}

/**
 * Checks that maintenance has brought the rows of earlier versions up to date.
 * @throws KnowledgeBaseError `not_ready` if it has not
 */
export function* requireUpdated(tx: Tx): Operation<void> {
  if (yield* tx.get("SELECT 1 AS found FROM unhashed_rows LIMIT 1")) throw unfinishedUpdateError();
}

function* checkServer(tx: Tx): Operation<void> {
  const { version, encoding } = (yield* tx.get<{ version: number; encoding: string }>(
    `SELECT current_setting('server_version_num')::bigint / 10000 AS version,
       current_setting('server_encoding') AS encoding`,
  ))!;
  if (version < MIN_VERSION) {
    const message = `The server runs PostgreSQL ${version}: lorebase needs PostgreSQL ${MIN_VERSION} or later.`;
    throw new KnowledgeBaseError("unsupported", message);
  }
  if (encoding !== "UTF8") {
    const message = `The database has the encoding ${encoding}: create it with ENCODING 'UTF8'.`;
    throw new KnowledgeBaseError("unsupported", message);
  }
}

/** Reads the migrations of a database. A column that it doesn't have yet is read as NULL. */
export function* appliedMigrations(tx: Tx): Operation<readonly AppliedMigration[]> {
  if (!(yield* hasTable(tx, "migrations"))) return [];
  return yield* tx.all<AppliedMigration>(
    `SELECT version, name, checksum, (to_jsonb(m) ->> 'compatible_since')::bigint AS "compatibleSince"
     FROM migrations m ORDER BY version`,
  );
}

function* hasTable(tx: Tx, name: string): Operation<boolean> {
  // Not to_regclass, which may answer from a cache of the connection that another process's migration is not in yet.
  return (yield* tx.get<{ exists: boolean }>(
    "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?) AS exists",
    name,
  ))!.exists;
}

function* hasColumn(tx: Tx, table: string, column: string): Operation<boolean> {
  return (yield* tx.get<{ exists: boolean }>(
    `SELECT EXISTS (SELECT FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = ? AND column_name = ?) AS exists`,
    ...[table, column],
  ))!.exists;
}
