import type { Statements } from "./statements.js";
import { type ProcedureRequest, type ThreadReply, toFailure } from "./thread-protocol.js";

/** A group is committed after this many writes or this time, whichever comes first, to let other processes write. */
const MAX_GROUP_WRITES = 256;
const MAX_GROUP_MS = 20;
/**
 * After a group of this size, further writes are likely to follow soon, and waiting for them saves a flush. A single
 * caller would wait in vain. PostgreSQL's commit_delay and commit_siblings work the same way.
 */
const COMMIT_DELAY_MIN_WRITES = 4;
const COMMIT_DELAY_MS = 1;

/**
 * Runs the writes of one connection.
 *
 * A flush to disk takes milliseconds, a write microseconds. So pending writes share one transaction, each in its own
 * savepoint, and are acknowledged only after the commit, when they are durable.
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

  /** Runs a write. Replies at once if the write fails, otherwise after the commit. */
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
   * Rolls back one write. After some errors, such as a full disk, SQLite has rolled back the whole transaction; then
   * all writes of the group fail.
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
    if (this.#lastGroupSize >= COMMIT_DELAY_MIN_WRITES) setTimeout(commit, COMMIT_DELAY_MS);
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
