import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { openPools } from "./open-pools.js";
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
 * Connects to a database and migrates it.
 * @throws KnowledgeBaseError `not_ready` without the package pg, `unsupported` for the server's version or encoding or
 * for a newer schema, `store_failed` if the server can't be reached
 */
export async function openPostgres(url: string, migrations = MIGRATIONS): Promise<OpenedPostgres> {
  const database = new PostgresDatabase(await openPools(url));
  try {
    await database.write((tx) => migrate(tx, migrations));
    const clock = new ServerClock();
    await database.read((tx) => clock.measure(tx));
    return { url, database, clock, schemaVersion: migrations.length };
  } catch (error) {
    await database.close();
    throw error;
  }
}
