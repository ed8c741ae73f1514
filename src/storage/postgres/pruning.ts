import type { PostgresDatabase } from "./postgres-database.js";
import { SERVER_TIME } from "./server-clock.js";

const INTERVAL_MS = 10 * 60_000;

/** Removes outdated rows, if this process hasn't done so in the last ten minutes. */
export type Pruning = () => Promise<void>;

/** @param statements Each takes the server's time in milliseconds since the epoch */
export function pruning(
  database: PostgresDatabase,
  statements: readonly string[],
  onError: (error: unknown) => void,
): Pruning {
  let nextAt = 0;
  return async () => {
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + INTERVAL_MS;
    try {
      await database.runAlone(function* (tx) {
        const { now } = (yield* tx.get<{ now: number }>(`SELECT ${SERVER_TIME} AS now`))!;
        for (const statement of statements) yield* tx.run(statement, now);
      });
    } catch (error) {
      onError(error);
    }
  };
}
