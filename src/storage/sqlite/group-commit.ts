import { type FreeSpace, isSqliteFull } from "./free-space.js";
import { isFreeing } from "./freeing-procedures.js";
import { isCorrupt } from "./sqlite-code.js";
import type { Statements } from "./statements.js";
import { type ProcedureRequest, STORAGE_FULL, type ThreadReply, toFailure } from "./thread-protocol.js";

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
 *
 * If the disk is full, only writes that free space are run, once more with the space of the reserve.
 */
export class GroupCommit {
  readonly #statements: Statements;
  readonly #reply: (reply: ThreadReply) => void;
  readonly #run: (request: ProcedureRequest) => unknown;
  readonly #space: FreeSpace;
  #group: { readonly request: ProcedureRequest; readonly value: unknown }[] = [];
  /** The writes that were run again after a full disk. */
  readonly #retried = new WeakSet<ProcedureRequest>();
  #groupStartedAt = 0;
  #commitScheduled = false;
  #lastGroupSize = 0;

  constructor(
    statements: Statements,
    run: (request: ProcedureRequest) => unknown,
    reply: (reply: ThreadReply) => void,
    space: FreeSpace,
  ) {
    this.#space = space;
    this.#statements = statements;
    this.#run = run;
    this.#reply = reply;
  }

  /** Whether there is no space for new content. */
  get isFull(): boolean {
    return this.#space.isFull;
  }

  /** Runs a write. Replies at once if the write fails, otherwise after the commit. */
  handle(request: ProcedureRequest): void {
    const { connection } = this.#statements;
    if (this.#space.isFull && !isFreeing(request.name)) {
      this.#reply({ id: request.id, failure: STORAGE_FULL });
      return;
    }
    try {
      if (!connection.inTransaction) {
        this.#exec("BEGIN IMMEDIATE");
        this.#space.begin();
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
      this.#group.push({ request, value });
    } catch (error) {
      const failed = this.#rollBack(error);
      if (isSqliteFull(error)) {
        this.#retryFreeing([...failed, request], error);
        return;
      }
      for (const each of [...failed, request]) this.#fail(each, error);
    }
    if (this.#group.length >= MAX_GROUP_WRITES || performance.now() - this.#groupStartedAt > MAX_GROUP_MS)
      this.commit();
    else this.#scheduleCommit();
  }

  /**
   * Rolls back one write. After some errors, such as a full disk or a damaged page, SQLite has rolled back the whole
   * transaction, or can't roll back a part of it; then all writes of the group have failed and are returned.
   */
  #rollBack(error: unknown): readonly ProcedureRequest[] {
    const { connection } = this.#statements;
    if (isSqliteFull(error) && connection.inTransaction) this.#exec("ROLLBACK");
    if (!connection.inTransaction) return this.#takeGroup();
    try {
      this.#exec("ROLLBACK TO one");
      this.#exec("RELEASE one");
      return [];
    } catch (failure) {
      if (!isCorrupt(failure)) throw failure;
      if (connection.inTransaction) this.#exec("ROLLBACK");
      return this.#takeGroup();
    }
  }

  /**
   * After a full disk, runs the writes that free space again, once each, in the space of the reserve and of the log. The
   * others fail.
   */
  #retryFreeing(requests: readonly ProcedureRequest[], error: unknown): void {
    const retried = requests.filter((request) => isFreeing(request.name) && !this.#retried.has(request));
    if (retried.length > 0) this.#space.release();
    else this.#space.markFull();
    for (const request of requests) {
      if (retried.includes(request)) {
        this.#retried.add(request);
        this.handle(request);
      } else this.#fail(request, error);
    }
  }

  /** Without space for a transaction, runs the writes that free space without the others, which fail. */
  #refuseAdding(requests: readonly ProcedureRequest[]): void {
    this.#space.refuse();
    for (const request of requests) {
      if (isFreeing(request.name)) this.handle(request);
      else this.#reply({ id: request.id, failure: STORAGE_FULL });
    }
  }

  #takeGroup(): readonly ProcedureRequest[] {
    const group = this.#group;
    this.#group = [];
    return group.map(({ request }) => request);
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

  /** Commits all writes that were handled, those too that run again after a full disk. */
  end(): void {
    while (this.#statements.connection.inTransaction) this.commit();
  }

  /** Commits the open transaction. If the disk is full, some of its writes may run again, in another one. */
  commit(): void {
    const { connection } = this.#statements;
    if (!connection.inTransaction) return;
    const adds = this.#group.some(({ request }) => !isFreeing(request.name));
    if (adds && !this.#space.hasSpaceForTransaction) {
      this.#exec("ROLLBACK");
      this.#refuseAdding(this.#takeGroup());
      return;
    }
    try {
      this.#exec("COMMIT");
    } catch (error) {
      if (connection.inTransaction) this.#exec("ROLLBACK");
      const failed = this.#takeGroup();
      if (isSqliteFull(error)) this.#retryFreeing(failed, error);
      else for (const request of failed) this.#fail(request, error);
      return;
    }
    const group = this.#group;
    this.#group = [];
    this.#lastGroupSize = group.length;
    for (const { request, value } of group) this.#reply({ id: request.id, value });
  }

  #fail(request: ProcedureRequest, error: unknown): void {
    this.#reply({ id: request.id, failure: toFailure(error) });
  }

  #exec(sql: string): void {
    this.#statements.run(sql);
  }
}
