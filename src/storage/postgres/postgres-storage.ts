import { KnowledgeBaseError } from "../../errors.js";
import { createRecords } from "../facade.js";
import type { Operation } from "../operation.js";
import type { Storage } from "../storage.js";
import type { Tx } from "../tx.js";
import type { OpenedPostgres } from "./open-postgres.js";
import { recordOperation } from "./operations.js";
import { postgresSearchIndex } from "./search-index/postgres-search-index.js";
import type { CacheLimits } from "./search-index/scope-caches.js";

/** Creates the storage in a PostgreSQL database, which is closed with the storage. */
export function postgresStorage(
  { url, database, clock }: OpenedPostgres,
  limits: Pick<CacheLimits, "memoryBytes"> & Partial<CacheLimits>,
): Storage {
  const index = postgresSearchIndex({ database, connection: { connectionString: url }, ...limits });
  const withClock = (operation: (tx: Tx) => Operation<unknown>) =>
    function* (tx: Tx): Operation<unknown> {
      const result = yield* operation(tx);
      yield* clock.measure(tx);
      return result;
    };
  return {
    ...createRecords((mode, name, argument, options) => {
      const operation = recordOperation(name, argument);
      if (mode === "read") return database.read(operation, options);
      return database.write(name === "processes.recordHeartbeat" ? withClock(operation) : operation, options);
    }),
    index,
    openSnapshot() {
      const message =
        "Backups and exports read a directory's SQLite database. Back up a PostgreSQL database with pg_dump or " +
        "point-in-time recovery, and its files with the versioning of their bucket.";
      return Promise.reject(new KnowledgeBaseError("unsupported", message));
    },
    async close() {
      await index.close();
      await database.close();
    },
  };
}
