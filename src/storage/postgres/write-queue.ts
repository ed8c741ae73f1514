import type { Pool, PoolClient } from "pg";
import { getErrorMessage, KnowledgeBaseError } from "../../errors.js";
import { backoffMs } from "../../util/backoff.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { ConnectionFailure, remedyOf, toKnowledgeBaseError, toStatementError } from "./failures.js";
import { PostgresTx } from "./postgres-tx.js";
import { runOperation } from "./run-operation.js";
import type { StatementTexts } from "./statement-text.js";

/** A group is committed after this many writes or this time, whichever comes first, to release its locks. */
const MAX_GROUP_WRITES = 64;
const MAX_GROUP_MS = 20;
/** Deadlocks and lost connections after which a write fails. */
const MAX_ATTEMPTS = 8;
const REPEAT_BACKOFF = { firstMs: 10, maxMs: 500, jitter: 1 };
const RECONNECT_BACKOFF = { firstMs: 100, maxMs: 2000, jitter: 0.5 };
/** A process that stops within a transaction, for example a suspended machine, loses its locks after this time. */
const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL idle_in_transaction_session_timeout = '20s'";

interface Write {
  readonly operation: (tx: Tx) => Operation<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** How often the write was at fault for the end of its transaction. */
  failures: number;
}

/** A write that ended its transaction, and its position in the group. */
interface GroupFailure {
  readonly index: number;
  readonly error: unknown;
}

/**
 * Runs the writes of this process in the order of the calls, on one connection. Writes that wait share a transaction
 * (group commit), and are acknowledged after its commit. If a write fails, the transaction is rolled back, the writes
 * before it are run again, and then the failed write on its own. This needs no savepoints.
 */
export class WriteQueue {
  readonly #pool: Pool;
  readonly #texts: StatementTexts;
  readonly #queue: Write[] = [];
  /** The number of writes at the front of the queue that are to be run in groups of at most `#groupLimit`. */
  #limited = 0;
  #groupLimit = MAX_GROUP_WRITES;
  #running: Promise<void> | null = null;

  constructor(pool: Pool, texts: StatementTexts) {
    this.#pool = pool;
    this.#texts = texts;
  }

  add<Result>(operation: (tx: Tx) => Operation<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({ operation, resolve: resolve as (value: unknown) => void, reject, failures: 0 });
      // Later in this turn, so that writes that are called together share a transaction.
      this.#running ??= Promise.resolve().then(() => this.#runAll());
    });
  }

  /** Waits until all writes have ended. */
  async end(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #runAll(): Promise<void> {
    try {
      while (this.#queue.length > 0) await this.#runGroup();
    } finally {
      this.#running = null;
    }
  }

  async #runGroup(): Promise<void> {
    const group: Write[] = [];
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      await this.#handle([this.#queue.shift()!], { index: 0, error: toStatementError(error) });
      return;
    }
    const results: unknown[] = [];
    const failure = await this.#tryGroup(client, group, results);
    if (failure) {
      client.release(!(await isRolledBack(client, failure)));
      // A process that was suspended at the start of the group has taken no write yet.
      const isEmpty = group.length === 0 && failure.index === 0;
      await this.#handle(isEmpty ? [this.#queue.shift()!] : group, failure);
      return;
    }
    client.release();
    for (const [index, write] of group.entries()) write.resolve(results[index]);
  }

  /** Moves writes from the queue to the group and runs them in one transaction. Returns the failure that ended it. */
  async #tryGroup(client: PoolClient, group: Write[], results: unknown[]): Promise<GroupFailure | null> {
    const tx = new PostgresTx(client, this.#texts);
    const startedAt = performance.now();
    const limit = this.#takeLimit();
    const begun = client.query(BEGIN).catch((error) => toStatementError(error));
    while (this.#queue.length > 0 && group.length < limit && performance.now() - startedAt < MAX_GROUP_MS) {
      const write = this.#queue.shift()!;
      group.push(write);
      try {
        results.push(await runOperation(write.operation(tx)));
      } catch (error) {
        return { index: group.length - 1, error: tx.failure ?? error };
      }
    }
    const beginning = await begun;
    if (beginning instanceof Error) return { index: 0, error: beginning };
    return this.#commit(client, tx, group.length);
  }

  async #commit(client: PoolClient, tx: PostgresTx, writes: number): Promise<GroupFailure | null> {
    try {
      const { command } = await client.query("COMMIT");
      // The answers to all statements have come by now. COMMIT after a failed one rolls back.
      if (tx.failure === null && command === "COMMIT") return null;
      return { index: writes === 1 ? 0 : writes, error: tx.failure ?? new Error("The transaction was rolled back.") };
    } catch (error) {
      if (tx.failure !== null) return { index: writes === 1 ? 0 : writes, error: tx.failure };
      const failed = toStatementError(error);
      if (failed instanceof ConnectionFailure) return { index: -1, error: failed };
      return { index: writes === 1 ? 0 : writes, error: failed };
    }
  }

  /** Runs the writes before the failed one again, then the failed one on its own, unless its failure is final. */
  async #handle(group: readonly Write[], { index, error }: GroupFailure): Promise<void> {
    if (index === -1) {
      for (const write of group) write.reject(unknownOutcome(error));
      return;
    }
    if (index > 0) {
      this.#queue.unshift(...group);
      // Without the failed write, or one by one if it is unknown which one failed.
      this.#limited = index;
      this.#groupLimit = index < group.length ? index : 1;
      return;
    }
    const [failed, ...others] = group as [Write, ...Write[]];
    this.#queue.unshift(...others);
    const remedy = remedyOf(error);
    failed.failures++;
    if (remedy === "report" || failed.failures >= MAX_ATTEMPTS) {
      failed.reject(toKnowledgeBaseError(error));
      return;
    }
    this.#queue.unshift(failed);
    const backoff = remedy === "repeat" ? REPEAT_BACKOFF : RECONNECT_BACKOFF;
    await new Promise((resolve) => setTimeout(resolve, backoffMs(failed.failures, backoff, Math.random())));
  }

  #takeLimit(): number {
    if (this.#limited <= 0) return MAX_GROUP_WRITES;
    const limit = Math.min(this.#limited, this.#groupLimit);
    this.#limited -= limit;
    return limit;
  }
}

/** Returns whether the connection can be used again. */
async function isRolledBack(client: PoolClient, { error }: GroupFailure): Promise<boolean> {
  if (remedyOf(error) === "reconnect") return false;
  try {
    await client.query("ROLLBACK");
    return true;
  } catch {
    // The group has a failure to report already.
    return false;
  }
}

/** The connection broke while the server committed. */
function unknownOutcome(error: unknown): KnowledgeBaseError {
  const message =
    `The connection to PostgreSQL failed during a commit: ${getErrorMessage(error)}. ` +
    "The write may have taken effect: read the record before you repeat it.";
  return new KnowledgeBaseError("store_failed", message, { retryable: true, cause: error });
}
