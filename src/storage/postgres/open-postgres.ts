import type { DatabaseAccess } from "../database-access.js";
import type { Migration } from "../migration-history.js";
import { checkSchema, isMigrated, migrate, refuseUnfinishedTransfer, requireUpdated } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { PostgresDatabase } from "./postgres-database.js";
import { ServerClock } from "./server-clock.js";

/** An open, migrated database. */
export interface OpenedPostgres {
  readonly url: string;
  readonly database: PostgresDatabase;
  readonly clock: ServerClock;
  /** The number of migrations that this version of lorebase has. */
  readonly schemaVersion: number;
}

/**
 * Connects to a database, and migrates it unless it is the source of a transfer.
 * @throws KnowledgeBaseError `not_ready` without the package pg, `unsupported` for the server's version or encoding or
 * for a newer schema, `not_ready` if a transfer into the database is unfinished, `store_failed` if the server can't be reached
 */
export async function openPostgres(
  url: string,
  access: DatabaseAccess = "use",
  migrations = MIGRATIONS,
): Promise<OpenedPostgres> {
  // A transfer counts and compares all rows.
  const database = await PostgresDatabase.open(url, access === "use" ? {} : { answerMs: null });
  try {
    if (access !== "source" && !(await database.read((tx) => isMigrated(tx, migrations))))
      await migrateUnlimited(url, migrations);
    if (access !== "use") await database.read((tx) => checkSchema(tx, migrations));
    if (access !== "target") await database.read(refuseUnfinishedTransfer);
    if (access === "source") await database.read(requireUpdated);
    const clock = new ServerClock();
    await database.read((tx) => clock.measure(tx));
    return { url, database, clock, schemaVersion: migrations.length };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Migrates a database on a connection of its own, whose statements may take as long as they need. */
async function migrateUnlimited(url: string, migrations: readonly Migration[]): Promise<void> {
  const database = await PostgresDatabase.open(url, { answerMs: null });
  try {
    await database.write((tx) => migrate(tx, migrations));
  } finally {
    await database.close();
  }
}
