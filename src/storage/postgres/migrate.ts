import { KnowledgeBaseError } from "../../errors.js";
import { type AppliedMigration, checkHistory, checksum, type Migration, requireCurrent } from "../migration-history.js";
import type { Operation } from "../operation.js";
import { UNFINISHED_TRANSFER_TABLE, unfinishedTransferError } from "../transfer/transfer-state.js";
import type { Tx } from "../tx.js";

const MIN_VERSION = 15;
/** Identifies the advisory lock of migrations: the letters of "lore" as a number. */
const LOCK_ID = 0x6c6f7265;

/**
 * Migrates a database to the newest version in one transaction. Processes that start at once take turns.
 * @throws KnowledgeBaseError `unsupported` if the server is too old, the database isn't in UTF-8 or newer than this code,
 * or has different migrations
 */
export function* migrate(tx: Tx, migrations: readonly Migration[]): Operation<void> {
  yield* checkServer(tx);
  // Checks without a lock first: most databases are up to date.
  const known = yield* appliedMigrations(tx);
  checkHistory(known, migrations);
  if (known.length === migrations.length) return;
  yield* tx.run(`SELECT pg_advisory_xact_lock(${LOCK_ID})`);
  const applied = yield* appliedMigrations(tx);
  checkHistory(applied, migrations);
  if (applied.length === 0)
    yield* tx.run("CREATE TABLE migrations (version bigint PRIMARY KEY, name text NOT NULL, checksum text NOT NULL)");
  for (const [index, migration] of migrations.entries()) {
    if (index < applied.length) continue;
    yield* tx.run(migration.sql);
    yield* tx.run("INSERT INTO migrations VALUES (?, ?, ?)", index + 1, migration.name, checksum(migration));
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

function* appliedMigrations(tx: Tx): Operation<readonly AppliedMigration[]> {
  if (!(yield* hasTable(tx, "migrations"))) return [];
  return yield* tx.all<AppliedMigration>("SELECT version, name, checksum FROM migrations ORDER BY version");
}

function* hasTable(tx: Tx, name: string): Operation<boolean> {
  return (yield* tx.get<{ exists: boolean }>("SELECT to_regclass(?) IS NOT NULL AS exists", name))!.exists;
}
