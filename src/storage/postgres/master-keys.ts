import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import type { PostgresDatabase } from "./postgres-database.js";
import { SERVER_TIME } from "./server-clock.js";

/**
 * Records that a process uses a master key. Returns the ids of the keys that processes have used before, the latest
 * first.
 */
export function recordMasterKey(database: PostgresDatabase, id: string): Promise<readonly string[]> {
  return database.write(function* (tx): Operation<readonly string[]> {
    const used = yield* listMasterKeys(tx);
    yield* tx.exec(
      `INSERT INTO master_keys VALUES (?, ${SERVER_TIME})
       ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at`,
      id,
    );
    return used;
  });
}

export function* listMasterKeys(tx: Tx): Operation<readonly string[]> {
  return (yield* tx.all<{ id: string }>("SELECT id FROM master_keys ORDER BY used_at DESC")).map(({ id }) => id);
}
