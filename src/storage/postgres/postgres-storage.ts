import { getErrorMessage } from "../../errors.js";
import { createRecords } from "../facade.js";
import type { Operation } from "../operation.js";
import type { Storage } from "../storage.js";
import type { Tx } from "../tx.js";
import { PostgresCallCounter } from "./call-counter.js";
import { postgresInspection } from "./check/postgres-inspection.js";
import { compactPostgres } from "./compact-postgres.js";
import type { OpenedPostgres } from "./open-postgres.js";
import { recordOperation, recordWrite } from "./operations.js";
import { refuseSnapshot } from "./refuse-snapshot.js";
import { guardSchema } from "./schema-guard.js";
import { MaintenancePace } from "./search-index/maintenance-pace.js";
import { postgresSearchIndex } from "./search-index/postgres-search-index.js";
import type { CacheLimits } from "./search-index/scope-caches.js";
import { SitePaces } from "./site-paces.js";
import { PostgresWorkSignals } from "./work-signals.js";

/**
 * Creates the storage in a PostgreSQL database, which is closed with the storage.
 * @param onError Called with failures that no call reports
 */
export function postgresStorage(
  opened: OpenedPostgres,
  limits: Pick<CacheLimits, "memoryBytes"> & Partial<CacheLimits>,
  onError: (error: unknown) => void = (error) => process.emitWarning(getErrorMessage(error)),
): Storage {
  const { url, database, clock } = opened;
  const paces = new SitePaces(database, onError);
  const hashPace = new MaintenancePace();
  const index = postgresSearchIndex({ database, connection: { connectionString: url }, ...limits });
  const guard = guardSchema(opened, index, onError);
  const withClock = (operation: (tx: Tx) => Operation<unknown>) =>
    function* (tx: Tx): Operation<unknown> {
      const result = yield* operation(tx);
      yield* clock.measure(tx);
      return result;
    };
  return {
    ...createRecords((mode, name, argument, options) => {
      if (name === "jobs.isWanted") return database.poll(recordOperation(name, argument));
      if (mode === "read") return database.read(recordOperation(name, argument), options);
      if (name === "processes.recordHeartbeat")
        return database.write(withClock(recordOperation(name, argument)), options);
      const write = () => database.writeOne(recordWrite(name, argument, index.analyze), options);
      return name === "content.hash" ? hashPace.run(write, () => database.isWriting, options?.signal) : write();
    }),
    index,
    openSnapshot: refuseSnapshot,
    compact: (options) => compactPostgres(url, index, options),
    // The server's disk is the server's to watch. A write that finds it full fails with `storage_full`.
    isFull: async () => false,
    measure: async () => ({ walBytes: null, databaseBytes: null, scanMemoryBytes: await index.scanMemoryBytes() }),
    inspect: () => postgresInspection(url),
    calls: new PostgresCallCounter(database, onError),
    openSitePace: paces.open,
    workSignals: new PostgresWorkSignals(database, url, onError),
    async close() {
      guard[Symbol.dispose]();
      paces[Symbol.dispose]();
      await index.close();
      await database.close();
    },
  };
}
