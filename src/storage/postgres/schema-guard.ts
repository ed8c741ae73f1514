import { KnowledgeBaseError } from "../../errors.js";
import { checkCompatibility } from "../migration-history.js";
import { appliedMigrations } from "./migrate.js";
import type { OpenedPostgres } from "./open-postgres.js";
import type { PostgresSearchIndex } from "./search-index/postgres-search-index.js";

const INTERVAL_MS = 15_000;

/**
 * Checks from time to time whether another process has migrated the database so that this version of lorebase no longer
 * works with it. If so, all further calls of the database and of the search index fail with `unsupported`. Returns what
 * ends the checks.
 */
export function guardSchema(
  { database, schemaVersion }: OpenedPostgres,
  index: Pick<PostgresSearchIndex, "refuse">,
  onError: (error: unknown) => void,
): Disposable {
  const check = async () => {
    const applied = await database.runAlone(appliedMigrations);
    try {
      checkCompatibility(applied, schemaVersion);
    } catch (error) {
      if (KnowledgeBaseError.is(error)) {
        database.refuse(error);
        index.refuse(error);
      }
      throw error;
    }
  };
  const timer = setInterval(() => void check().catch(onError), INTERVAL_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
