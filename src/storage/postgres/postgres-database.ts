import type { Pool, PoolClient } from "pg";
import { KnowledgeBaseError } from "../../errors.js";
import type { CallOptions } from "../../types.js";
import { abortable } from "../../util/abortable.js";
import { backoffMs } from "../../util/backoff.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { remedyOf, toKnowledgeBaseError, toStatementError } from "./failures.js";
import type { Pools } from "./open-pools.js";
import { PostgresTx } from "./postgres-tx.js";
import { runOperation } from "./run-operation.js";
import { StatementTexts } from "./statement-text.js";
import { type Write, WriteQueue } from "./write-queue.js";

const BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const MAX_ATTEMPTS = 5;
const BACKOFF = { firstMs: 50, maxMs: 2000, jitter: 0.5 };

/** Runs operations in transactions of a PostgreSQL database. */
export class PostgresDatabase {
  readonly #texts = new StatementTexts();
  readonly #pools: Pools;
  readonly #writes: WriteQueue;
  readonly #pending = new Set<Promise<unknown>>();
  /** The error of all further calls; `null` if they are accepted. */
  #refusal: KnowledgeBaseError | null = null;

  constructor(pools: Pools) {
    this.#pools = pools;
    this.#writes = new WriteQueue(pools.writes, this.#texts);
  }

  /** Whether writes are waiting or running. */
  get isWriting(): boolean {
    return this.#writes.isRunning;
  }

  /** Runs an operation in one snapshot. May run it more than once, if the connection breaks. */
  read<Result>(operation: (tx: Tx) => Operation<Result>, options: CallOptions = {}): Promise<Result> {
    return this.#call(options, () => this.#read(this.#pools.reads, operation));
  }

  /**
   * Runs an operation in one transaction, after all writes that were called before. May run it more than once, after a
   * deadlock or a broken connection.
   */
  write<Result>(operation: (tx: Tx) => Operation<Result>, options: CallOptions = {}): Promise<Result> {
    return this.writeOne({ operation }, options);
  }

  /** Runs a write like {@link write}, together with others of its set. */
  writeOne<Result>(write: Write<Result>, options: CallOptions = {}): Promise<Result> {
    return this.#call(options, () => this.#writes.add(write));
  }

  /**
   * Runs an operation at once, each of whose statements is a transaction of its own and is not repeated. For rows that
   * no other operation uses.
   * @throws KnowledgeBaseError `store_failed`, also if there is no answer within `timeoutMs`
   */
  runAlone<Result>(
    operation: (tx: Tx) => Operation<Result>,
    { timeoutMs }: { timeoutMs?: number } = {},
  ): Promise<Result> {
    const run = this.#call({}, () => this.#runAlone(operation));
    return timeoutMs === undefined ? run : withTimeout(run, timeoutMs);
  }

  /** Refuses all further calls with an error. */
  refuse(error: KnowledgeBaseError): void {
    this.#refusal = error;
  }

  /** Completes pending calls, and closes the connections. */
  async close(): Promise<void> {
    this.refuse(new KnowledgeBaseError("store_failed", "The database is closed."));
    await Promise.allSettled(this.#pending);
    await this.#writes.end();
    await Promise.all([this.#pools.writes.end(), this.#pools.reads.end()]);
  }

  #call<Result>({ signal }: CallOptions, run: () => Promise<Result>): Promise<Result> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#refusal) return Promise.reject(this.#refusal);
    const call = run();
    this.#pending.add(call);
    const settle = () => this.#pending.delete(call);
    call.then(settle, settle);
    return signal ? abortable(call, signal) : call;
  }

  async #runAlone<Result>(operation: (tx: Tx) => Operation<Result>): Promise<Result> {
    let client: PoolClient | null = null;
    let isBroken = false;
    try {
      client = await this.#pools.reads.connect();
      return await runOperation(operation(new PostgresTx(client, this.#texts)));
    } catch (error) {
      const failure = toStatementError(error);
      isBroken = remedyOf(failure) === "reconnect";
      throw toKnowledgeBaseError(failure);
    } finally {
      client?.release(isBroken);
    }
  }

  async #read<Result>(pool: Pool, operation: (tx: Tx) => Operation<Result>): Promise<Result> {
    for (let failures = 1; ; failures++) {
      try {
        return await this.#readOnce(pool, operation);
      } catch (error) {
        if (remedyOf(error) === "report" || failures >= MAX_ATTEMPTS) throw toKnowledgeBaseError(error);
        await new Promise((resolve) => setTimeout(resolve, backoffMs(failures, BACKOFF, Math.random())));
      }
    }
  }

  async #readOnce<Result>(pool: Pool, operation: (tx: Tx) => Operation<Result>): Promise<Result> {
    const client = await pool.connect().catch((error) => {
      throw toStatementError(error);
    });
    const tx = new PostgresTx(client, this.#texts);
    const begun = client.query(BEGIN);
    begun.catch(() => {});
    try {
      const result = await runOperation(operation(tx));
      await begun;
      if (tx.failure !== null) throw tx.failure;
      return result;
    } catch (error) {
      throw tx.failure ?? error;
    } finally {
      endSnapshot(client);
    }
  }
}

/** Stops waiting after a time. A statement that has been sent still takes effect. */
async function withTimeout<Result>(call: Promise<Result>, ms: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const message = `PostgreSQL has not answered within ${ms} ms.`;
    timer = setTimeout(() => reject(new KnowledgeBaseError("store_failed", message, { retryable: true })), ms);
  });
  try {
    return await Promise.race([call, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a transaction that has written nothing, without waiting for it, and returns the connection to its pool. */
function endSnapshot(client: PoolClient): void {
  client.query("COMMIT").then(
    () => client.release(),
    () => client.release(true),
  );
}
