import type { Pool, PoolClient } from "pg";
import { KnowledgeBaseError } from "../../errors.js";
import type { CallOptions } from "../../types.js";
import { abortable } from "../../util/abortable.js";
import { backoffMs } from "../../util/backoff.js";
import type { Operation } from "../operation.js";
import { ConnectionFailure, remedyOf, toKnowledgeBaseError, toStatementError } from "./failures.js";
import { openPools, type Pools } from "./open-pools.js";
import { PostgresTx } from "./postgres-tx.js";
import { runOperation } from "./run-operation.js";
import { closeSilent, SilentConnections } from "./silent-connections.js";
import { StatementTexts } from "./statement-text.js";
import { type Write, WriteQueue } from "./write-queue.js";

const BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const ANSWER_TIMEOUT_MS = 30_000;
/** The answer of a poll takes milliseconds. After this time its connection is taken for lost. */
const POLL_TIMEOUT_MS = 1000;
const MAX_ATTEMPTS = 5;
/** A read that began later than this is not repeated. */
const MAX_REPEATING_MS = 20_000;
const BACKOFF = { firstMs: 50, maxMs: 2000, jitter: 0.5 };

interface DatabaseLimits {
  /**
   * How long a statement may take, and the server be silent, before its call fails; `null` for statements that take as
   * long as they need, such as those of a migration. Then a server that is suspended is waited for, too.
   * @default 30000
   */
  readonly answerMs?: number | null;
}

/** Runs operations in transactions of a PostgreSQL database. */
export class PostgresDatabase {
  /** @throws KnowledgeBaseError `not_ready`, with the install command, if the package pg is not installed */
  static async open(url: string, { answerMs = ANSWER_TIMEOUT_MS }: DatabaseLimits = {}): Promise<PostgresDatabase> {
    const silent = new SilentConnections(answerMs);
    return new PostgresDatabase(await openPools(url, silent), silent, answerMs);
  }

  readonly #texts = new StatementTexts();
  readonly #pools: Pools;
  readonly #silent: SilentConnections;
  readonly #writes: WriteQueue;
  /** Begins a snapshot. */
  readonly #begin: string;
  readonly #pending = new Set<Promise<unknown>>();
  /** The error of all further calls; `null` if they are accepted. */
  #refusal: KnowledgeBaseError | null = null;

  private constructor(pools: Pools, silent: SilentConnections, answerMs: number | null) {
    // For the transaction alone, so that it is not left to whom a pooler assigns the connection next.
    const limit = `; SET LOCAL statement_timeout = ${answerMs ?? 0}`;
    // The snapshot of a process that is suspended would keep the server from removing dead rows.
    this.#begin = `${BEGIN}; SET LOCAL idle_in_transaction_session_timeout = '60s'${limit}`;
    this.#pools = pools;
    this.#silent = silent;
    this.#writes = new WriteQueue(pools.writes, this.#texts, limit);
  }

  /** Whether writes are waiting or running. */
  get isWriting(): boolean {
    return this.#writes.isRunning;
  }

  /** Runs an operation in one snapshot. May run it more than once, if the connection breaks. */
  read<Result>(operation: (tx: PostgresTx) => Operation<Result>, options: CallOptions = {}): Promise<Result> {
    return this.#call(options, () => this.#read(this.#pools.reads, operation));
  }

  /**
   * Runs an operation in one transaction, after all writes that were called before. May run it more than once, after a
   * deadlock or a broken connection.
   */
  write<Result>(operation: (tx: PostgresTx) => Operation<Result>, options: CallOptions = {}): Promise<Result> {
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
    operation: (tx: PostgresTx) => Operation<Result>,
    { timeoutMs }: { timeoutMs?: number } = {},
  ): Promise<Result> {
    const run = this.#call({}, () => this.#runAlone(this.#pools.reads, operation));
    return timeoutMs === undefined ? run : withTimeout(run, timeoutMs);
  }

  /**
   * Runs a short read once, on a connection that nothing else uses. For what the caller asks again and again: if the
   * network was cut meanwhile, the answer comes within seconds after it is back. Then connections that are still silent
   * are replaced.
   * @throws KnowledgeBaseError `store_failed`, also if there is no answer within a second
   */
  poll<Result>(operation: (tx: PostgresTx) => Operation<Result>): Promise<Result> {
    return this.#call({}, async () => {
      try {
        const answer = await this.#runAlone(this.#pools.polls, operation, POLL_TIMEOUT_MS);
        this.#silent.closeSuspected();
        return answer;
      } catch (error) {
        // An error of the server shows that it answers.
        if (KnowledgeBaseError.is(error) && error.cause instanceof ConnectionFailure) this.#silent.suspect();
        throw error;
      }
    });
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
    await Promise.all(Object.values(this.#pools).map((pool: Pool) => pool.end()));
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

  async #runAlone<Result>(
    pool: Pool,
    operation: (tx: PostgresTx) => Operation<Result>,
    answerMs: number | null = null,
  ): Promise<Result> {
    const client = await connect(pool).catch((error) => {
      throw toKnowledgeBaseError(error);
    });
    const timer = answerMs === null ? undefined : setTimeout(() => closeSilent(client, answerMs), answerMs);
    const tx = new PostgresTx(client, this.#texts);
    try {
      return await runOperation(operation(tx));
    } catch (error) {
      throw toKnowledgeBaseError(tx.failure ?? error);
    } finally {
      clearTimeout(timer);
      client.release(remedyOf(tx.failure) === "reconnect");
    }
  }

  async #read<Result>(pool: Pool, operation: (tx: PostgresTx) => Operation<Result>): Promise<Result> {
    const calledAt = performance.now();
    for (let failures = 1; ; failures++) {
      const isLast = failures >= MAX_ATTEMPTS || performance.now() - calledAt > MAX_REPEATING_MS;
      try {
        return await this.#readOnce(pool, operation);
      } catch (error) {
        if (remedyOf(error) === "report" || isLast) throw toKnowledgeBaseError(error);
        await new Promise((resolve) => setTimeout(resolve, backoffMs(failures, BACKOFF, Math.random())));
      }
    }
  }

  async #readOnce<Result>(pool: Pool, operation: (tx: PostgresTx) => Operation<Result>): Promise<Result> {
    const client = await connect(pool);
    const tx = new PostgresTx(client, this.#texts);
    const begun = tx.begin(this.#begin);
    try {
      const result = await runOperation(operation(tx));
      await begun;
      if (tx.failure !== null) throw tx.failure;
      return result;
    } catch (error) {
      // Before the snapshot is ended, the statements that wait for it are sent.
      await begun;
      throw tx.failure ?? error;
    } finally {
      endSnapshot(client);
    }
  }
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw toStatementError(error);
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
