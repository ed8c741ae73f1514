import type { Operation } from "../operation.js";
import * as transfer from "../transfer/counters.js";
import type { Tx } from "../tx.js";

/**
 * Sets the counters of copied tables, and that of turns in the queue. Also collects the statistics by which the server
 * plans queries: autovacuum would do so minutes later.
 */
export function* writeCounters(tx: Tx, argument: { readonly counters: readonly transfer.Counter[] }): Operation<void> {
  yield* transfer.writeCounters(tx, argument);
  yield* tx.run("SELECT setval('organizations_served', greatest(max(served), 1)) FROM organizations");
  yield* tx.run("ANALYZE");
}
