import { hash } from "node:crypto";
import { LruCache } from "../../util/lru-cache.js";
import { type CallCount, type CallCounter, type CountedCall, MemoryCallCounter, toCallCount } from "../call-counter.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import type { PostgresDatabase } from "./postgres-database.js";
import { type Pruning, pruning } from "./pruning.js";
import { SERVER_TIME } from "./server-clock.js";

/** After this time, a call is counted in this process only. */
const TIMEOUT_MS = 1000;
/** Windows whose limit is known to be reached. */
const MAX_REACHED = 10_000;

/** Counts calls in the database. Once a limit is reached, its calls are refused without asking the database again. */
export class PostgresCallCounter implements CallCounter {
  readonly #database: PostgresDatabase;
  readonly #onError: (error: unknown) => void;
  readonly #prune: Pruning;
  /** Counts while the database doesn't answer. */
  readonly #local = new MemoryCallCounter();
  /** The ends of windows by key and limit, on the monotonic clock. */
  readonly #reached = new LruCache<string, number>({ maxEntries: MAX_REACHED });

  /** @param onError Called with the reason for which a call was counted in this process only */
  constructor(database: PostgresDatabase, onError: (error: unknown) => void) {
    this.#database = database;
    this.#onError = onError;
    this.#prune = pruning(database, ["DELETE FROM call_counts WHERE ends_at < ?"], onError);
  }

  async count(call: CountedCall): Promise<CallCount> {
    const reachedKey = JSON.stringify([call.key, call.limit]);
    const reachedUntil = this.#reached.get(reachedKey) ?? 0;
    const now = performance.now();
    if (reachedUntil > now) return toCallCount(call.limit, call.limit + 1, reachedUntil - now);
    try {
      const { count, resetMs } = await this.#database.runAlone((tx) => countCall(tx, call), { timeoutMs: TIMEOUT_MS });
      void this.#prune();
      if (count > call.limit) this.#reached.set(reachedKey, performance.now() + resetMs);
      return toCallCount(call.limit, count, resetMs);
    } catch (error) {
      this.#onError(error);
      return this.#local.count(call);
    }
  }
}

/** Keys are stored as digests, since they name addresses of visitors. */
function* countCall(tx: Tx, { key, windowMs }: CountedCall): Operation<{ count: number; resetMs: number }> {
  return (yield* tx.get<{ count: number; resetMs: number }>(
    `WITH clock AS (SELECT ${SERVER_TIME} AS now),
     counted AS (
       INSERT INTO call_counts AS c (key, count, ends_at) SELECT ?, 1, now + ? FROM clock
       ON CONFLICT (key) DO UPDATE SET
         count = CASE WHEN c.ends_at > excluded.ends_at - ? THEN c.count + 1 ELSE 1 END,
         ends_at = CASE WHEN c.ends_at > excluded.ends_at - ? THEN c.ends_at ELSE excluded.ends_at END
       RETURNING count, ends_at)
     SELECT count, ends_at - now AS "resetMs" FROM counted, clock`,
    ...[hash("sha256", key, "buffer"), windowMs, windowMs, windowMs],
  ))!;
}
