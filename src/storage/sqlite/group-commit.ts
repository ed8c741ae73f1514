import type { Statements } from "./statements.js";
import { type ProcedureRequest, type ThreadReply, toFailure } from "./thread-protocol.js";

/** A group ends after this many writes or this time, whichever comes first, to let other processes write. */
const MAX_GROUP_WRITES = 256;
const MAX_GROUP_MS = 20;
/**
 * With several concurrent writes, another is likely to follow soon, and waiting for it saves a flush; a single writer
 * would only wait. The rule is that of PostgreSQL's commit_delay and commit_siblings.
 */
const LINGER_MS = 1;
const LINGER_MIN_WRITES = 4;

/**
 * Runs the writes of one connection, one transaction at a time.
 *
 * A flush to disk takes milliseconds, a write microseconds. So pending writes share one transaction, each in its own
 * savepoint, and are answered only after the commit, when they are durable.
 */
export class GroupCommit {
  readonly #statements: Statements;
  readonly #reply: (reply: ThreadReply) => void;
  readonly #run: (request: ProcedureRequest) => unknown;
  #group: ThreadReply[] = [];
  #groupStartedAt = 0;
  #commitScheduled = false;
  #lastGroupSize = 0;

  constructor(
    statements: Statements,
    run: (request: ProcedureRequest) => unknown,
    reply: (reply: ThreadReply) => void,
  ) {
    this.#statements = statements;
    this.#run = run;
    this.#reply = reply;
  }

  handle(request: ProcedureRequest): void {
    const { connection } = this.#statements;
    try {
      if (!connection.inTransaction) {
        this.#exec("BEGIN IMMEDIATE");
        this.#groupStartedAt = performance.now();
      }
      this.#exec("SAVEPOINT one");
    } catch (error) {
      this.#fail(request, error);
      return;
    }
    try {
      const value = this.#run(request);
      this.#exec("RELEASE one");
      this.#group.push({ id: request.id, value });
    } catch (error) {
      this.#rollBack(error);
      this.#fail(request, error);
    }
    if (this.#group.length >= MAX_GROUP_WRITES || performance.now() - this.#groupStartedAt > MAX_GROUP_MS)
      this.commit();
    else this.#scheduleCommit();
  }

  /**
   * Rolls one write back. Some errors, such as a full disk, make SQLite roll back the whole transaction: then every
   * write of the group has failed.
   */
  #rollBack(error: unknown): void {
    if (this.#statements.connection.inTransaction) {
      this.#exec("ROLLBACK TO one");
      this.#exec("RELEASE one");
    } else {
      this.#failGroup(error);
    }
  }

  /** Commits after the messages that are already queued, or a little later if more writes are likely. */
  #scheduleCommit(): void {
    if (this.#commitScheduled) return;
    this.#commitScheduled = true;
    const commit = () => {
      this.#commitScheduled = false;
      this.commit();
    };
    if (this.#lastGroupSize >= LINGER_MIN_WRITES) setTimeout(commit, LINGER_MS);
    else setImmediate(commit);
  }

  /** Commits all pending writes. */
  commit(): void {
    const { connection } = this.#statements;
    if (!connection.inTransaction) return;
    try {
      this.#exec("COMMIT");
    } catch (error) {
      if (connection.inTransaction) this.#exec("ROLLBACK");
      this.#failGroup(error);
      return;
    }
    const group = this.#group;
    this.#group = [];
    this.#lastGroupSize = group.length;
    for (const reply of group) this.#reply(reply);
  }

  #failGroup(error: unknown): void {
    const group = this.#group;
    this.#group = [];
    for (const { id } of group) this.#reply({ id, failure: toFailure(error) });
  }

  #fail(request: ProcedureRequest, error: unknown): void {
    this.#reply({ id: request.id, failure: toFailure(error) });
  }

  #exec(sql: string): void {
    this.#statements.run(sql);
  }
}
