import type { Pool, PoolClient } from "pg";
import { getErrorMessage, KnowledgeBaseError } from "../../errors.js";
import { backoffMs } from "../../util/backoff.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { isConnectionLost, remedyOf, toKnowledgeBaseError, toStatementError } from "./failures.js";
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
/** A write fails that had waited so long, for a server which was out of reach all the time, when it was tried last. */
const MAX_UNREACHABLE_MS = 20_000;
/** A process that stops within a transaction, for example a suspended machine, loses its locks after this time. */
const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL idle_in_transaction_session_timeout = '20s'";

/** A write to run. */
export interface Write<Result> {
  /** What must be done before the transaction. The write keeps its place in the order. @default nothing */
  readonly preparation?: Promise<void>;
  readonly operation: (tx: PostgresTx) => Operation<Result>;
  /**
   * The same for one item of a set. Writes with the same `run` and different keys, which change nothing that the others
   * read, are run as one.
   */
  readonly set?: {
    readonly run: (tx: Tx, items: readonly unknown[]) => Operation<readonly Result[]>;
    readonly item: unknown;
    readonly key: number;
  };
}

interface QueuedWrite extends Write<unknown> {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  isPrepared: boolean;
  /** How often the write was at fault for the end of its transaction. */
  failures: number;
  /** On the monotonic clock. */
  readonly calledAt: number;
}

/** A write that ended its transaction, and its position in the group: the group's size if it is unknown which one. */
interface GroupFailure {
  readonly index: number;
  readonly error: unknown;
}

/**
 * Runs the writes of this process in the order of the calls, on one connection. Writes that wait share a transaction
 * (group commit), and are acknowledged after its commit. Those of the same operation on different documents are run as
 * one. If a write fails, the transaction is rolled back, the writes before it are run again, and then the failed write on
 * its own. This needs no savepoints.
 */
export class WriteQueue {
  readonly #pool: Pool;
  readonly #texts: StatementTexts;
  readonly #begin: string;
  readonly #queue: QueuedWrite[] = [];
  /** The number of writes at the front of the queue that are to be run in groups of at most `#groupLimit`. */
  #limited = 0;
  #groupLimit = MAX_GROUP_WRITES;
  #running: Promise<void> | null = null;
  /** When the first group began that failed because the server was out of reach; `null` if the last one did not. */
  #unreachableSince: number | null = null;
  /** When the last group began. */
  #groupStartedAt = 0;

  /** @param settings Statements that begin each transaction, after a semicolon */
  constructor(pool: Pool, texts: StatementTexts, settings = "") {
    this.#pool = pool;
    this.#texts = texts;
    this.#begin = BEGIN + settings;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  add<Result>(write: Write<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const queued = {
        ...write,
        resolve: resolve as (value: unknown) => void,
        reject,
        failures: 0,
        calledAt: performance.now(),
      };
      this.#queue.push(track(queued));
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
      while (this.#queue.length > 0) {
        if (await this.#prepareNext()) await this.#runGroup();
      }
    } finally {
      this.#running = null;
    }
  }

  /** Waits until the next write is prepared. Returns false, and removes the write, if that failed. */
  async #prepareNext(): Promise<boolean> {
    try {
      await this.#queue[0]!.preparation;
      return true;
    } catch (error) {
      this.#queue.shift()!.reject(toKnowledgeBaseError(error));
      return false;
    }
  }

  async #runGroup(): Promise<void> {
    const group: QueuedWrite[] = [];
    this.#groupStartedAt = performance.now();
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      this.#unreachableSince ??= this.#groupStartedAt;
      await this.#handle([this.#queue.shift()!], { index: 0, error: toStatementError(error) });
      return;
    }
    const results: unknown[] = [];
    const failure = await this.#tryGroup(client, group, results);
    if (!failure || remedyOf(failure.error) !== "reconnect") this.#unreachableSince = null;
    else this.#unreachableSince ??= this.#groupStartedAt;
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
  async #tryGroup(client: PoolClient, group: QueuedWrite[], results: unknown[]): Promise<GroupFailure | null> {
    const tx = new PostgresTx(client, this.#texts);
    const startedAt = performance.now();
    const limit = this.#takeLimit();
    const begun = tx.begin(this.#begin);
    const hasNext = () => this.#queue[0]?.isPrepared && group.length < limit;
    while (hasNext() && performance.now() - startedAt < MAX_GROUP_MS) {
      const writes = this.#takeSet(limit - group.length);
      group.push(...writes);
      try {
        results.push(...(await runOperation(runSet(tx, writes))));
      } catch (error) {
        // Before the rollback, the statements that wait for it are sent.
        await begun;
        return { index: writes.length === 1 ? group.length - 1 : group.length, error: tx.failure ?? error };
      }
    }
    await begun;
    return this.#commit(client, tx, group.length);
  }

  /**
   * Takes the next write, and those of the next `limit` writes that can be run as one with it. They pass only writes of
   * other items, which they don't affect.
   */
  #takeSet(limit: number): readonly QueuedWrite[] {
    const first = this.#queue.shift()!;
    const taken = [first];
    if (!first.set) return taken;
    const passed = new Set([first.set.key]);
    for (let seen = 1, at = 0; seen < limit && at < this.#queue.length; seen++) {
      const { set, isPrepared } = this.#queue[at]!;
      if (!set || !isPrepared) break;
      if (set.run === first.set.run && !passed.has(set.key)) taken.push(...this.#queue.splice(at, 1));
      else at++;
      passed.add(set.key);
    }
    return taken;
  }

  async #commit(client: PoolClient, tx: PostgresTx, writes: number): Promise<GroupFailure | null> {
    const rolledBack = (error: unknown) => ({ index: writes === 1 ? 0 : writes, error });
    if (tx.failure !== null) return rolledBack(tx.failure);
    try {
      const { command } = await client.query("COMMIT");
      // The answers to all statements have come by now. COMMIT after a failed one rolls back.
      if (tx.failure === null && command === "COMMIT") return null;
      return rolledBack(tx.failure ?? new Error("The transaction was rolled back."));
    } catch (error) {
      // Of a broken connection, the first failure is that of a statement whose answer had not come when COMMIT was sent.
      const failed = tx.failure ?? toStatementError(error);
      return isConnectionLost(failed) ? { index: -1, error: failed } : rolledBack(failed);
    }
  }

  /** Runs the writes before the failed one again, then the failed one on its own, unless its failure is final. */
  async #handle(group: readonly QueuedWrite[], { index, error }: GroupFailure): Promise<void> {
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
    const [failed, ...others] = group as [QueuedWrite, ...QueuedWrite[]];
    this.#queue.unshift(...others);
    const remedy = remedyOf(error);
    failed.failures++;
    if (remedy === "reconnect" && this.#rejectUnreachable(failed, error)) return;
    if (remedy === "report" || failed.failures >= MAX_ATTEMPTS) {
      failed.reject(toKnowledgeBaseError(error));
      return;
    }
    this.#queue.unshift(failed);
    const backoff = remedy === "repeat" ? REPEAT_BACKOFF : RECONNECT_BACKOFF;
    await new Promise((resolve) => setTimeout(resolve, backoffMs(failed.failures, backoff, Math.random())));
  }

  /** Rejects the writes that have waited too long for the server. Returns whether the failed one was among them. */
  #rejectUnreachable(failed: QueuedWrite, error: unknown): boolean {
    const triedAt = this.#groupStartedAt;
    const isLate = ({ calledAt }: QueuedWrite) =>
      triedAt - Math.max(calledAt, this.#unreachableSince ?? triedAt) > MAX_UNREACHABLE_MS;
    const late = [failed, ...this.#queue].filter(isLate);
    for (const write of late) write.reject(toKnowledgeBaseError(error));
    const rest = this.#queue.filter((write) => !isLate(write));
    this.#queue.splice(0, this.#queue.length, ...rest);
    return late.includes(failed);
  }

  #takeLimit(): number {
    if (this.#limited <= 0) return MAX_GROUP_WRITES;
    const limit = Math.min(this.#limited, this.#groupLimit);
    this.#limited -= limit;
    return limit;
  }
}

/** Adds whether a write is prepared. */
function track(write: Omit<QueuedWrite, "isPrepared">): QueuedWrite {
  const queued = { ...write, isPrepared: write.preparation === undefined };
  const prepared = () => {
    queued.isPrepared = true;
  };
  // A failure is reported when it is the write's turn.
  write.preparation?.then(prepared, prepared);
  return queued;
}

/** Runs writes as one, and returns their results. */
function* runSet(tx: PostgresTx, writes: readonly QueuedWrite[]): Operation<readonly unknown[]> {
  const [{ operation, set }] = writes as [QueuedWrite];
  if (!set || writes.length === 1) return [yield* operation(tx)];
  return yield* set.run(
    tx,
    writes.map((write) => write.set!.item),
  );
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
