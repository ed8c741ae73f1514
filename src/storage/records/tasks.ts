import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { Tx } from "../tx.js";
import { type Lease, requireLease } from "./lease.js";
import type { TaskKind } from "./row-types.js";

export interface ClaimedTask {
  readonly lease: Lease;
  readonly kind: TaskKind;
  /** Identifies what the task is about, such as a job's id. */
  readonly subject: string;
  readonly organizationId: string;
  /** The number of claims since the task last made progress, including this claim. */
  readonly attempt: number;
}

export interface TaskClaim {
  /** The id of the claiming process. */
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  /** Organizations whose ingest tasks must not be claimed now. Their other tasks may be. @default none */
  readonly fullOrganizations?: readonly string[];
  /** Whether tasks that send to webhooks must not be claimed now. @default false */
  readonly withoutDeliveries?: boolean;
}

/**
 * Claims the oldest due task of the organization that has waited longest. Counts the attempt, so that a task that kills
 * its process also runs out of attempts.
 */
export function* claimTask(tx: Tx, claim: TaskClaim): Operation<ClaimedTask | null> {
  for (;;) {
    const next = yield* nextTask(tx, claim);
    if (!next) return null;
    // Another worker may have claimed the task in the meantime.
    const claimed = yield* tx.get<Omit<ClaimedTask, "lease"> & { readonly fence: number }>(
      `UPDATE tasks SET state = 'running', owner = ?, lease_until = ?, fence = fence + 1, attempt = attempt + 1
       WHERE seq = ? AND state = 'ready'
       RETURNING kind, subject, organization_id AS "organizationId", attempt, fence`,
      ...[claim.owner, claim.now + claim.leaseMs, next.seq],
    );
    if (!claimed) continue;
    const { fence, ...task } = claimed;
    yield* tx.exec(
      "UPDATE organizations SET served = (SELECT max(served) + 1 FROM organizations) WHERE id = ?",
      task.organizationId,
    );
    return { ...task, lease: { taskSeq: next.seq, owner: claim.owner, fence } };
  }
}

/** SQL for a task that need not wait. Its `run_at` may be ahead of the clock, if the clock was set back since. */
export const IS_UNDELAYED = "delay_ms = 0";

/** SQL that leaves out the tasks that send to webhooks. */
export const NO_DELIVERY = "AND kind <> 'deliver_webhooks'";

/** Finds the oldest due task of the organization that has waited longest. */
function* nextTask(
  tx: Tx,
  { now, fullOrganizations = [], withoutDeliveries = false }: TaskClaim,
): Operation<{ readonly seq: number } | undefined> {
  const isFull = fullOrganizations.length > 0;
  const first = (condition: string) => `(SELECT seq FROM tasks
    WHERE organization_id = o.id AND state = 'ready' AND ${condition}
      ${isFull ? `AND (kind <> 'ingest' OR NOT ${tx.dialect.inJsonList("o.id")})` : ""}
      ${withoutDeliveries ? NO_DELIVERY : ""}
    ORDER BY run_at, seq LIMIT 1)`;
  const full = isFull ? [JSON.stringify(fullOrganizations)] : [];
  return yield* tx.get<{ seq: number }>(
    `SELECT t.seq FROM organizations o
     JOIN tasks t ON t.seq = coalesce(${first("run_at <= ?")}, ${first(IS_UNDELAYED)})
     ORDER BY o.served LIMIT 1`,
    now,
    ...full,
    ...full,
  );
}

/** Releases a claimed task, which can be claimed again after a delay in milliseconds. */
export function* releaseTask(
  tx: Tx,
  release: { lease: Lease; now: number; delayMs: number; error: string | null; countsAsAttempt: boolean },
): Operation<void> {
  const { lease, now, delayMs, error, countsAsAttempt } = release;
  yield* requireLease(tx, lease);
  yield* tx.exec(
    `UPDATE tasks SET state = 'ready', owner = NULL, lease_until = NULL, run_at = ?, delay_ms = ?, last_error = ?,
       attempt = attempt - ? WHERE seq = ?`,
    ...[now + delayMs, delayMs, error, countsAsAttempt ? 0 : 1, lease.taskSeq],
  );
}

export function* completeTask(tx: Tx, { lease }: { lease: Lease }): Operation<void> {
  yield* requireLease(tx, lease);
  yield* tx.exec("DELETE FROM tasks WHERE seq = ?", lease.taskSeq);
}

/** Resets the attempts of a task that makes progress, since only attempts without progress count. */
export function* recordProgress(tx: Tx, lease: Lease): Operation<void> {
  yield* tx.exec("UPDATE tasks SET attempt = 1 WHERE seq = ? AND attempt > 1", lease.taskSeq);
}

const ENQUEUE: RowStatement = {
  columns: { organization: "text", kind: "text", subject: "text", now: "bigint" },
  sql: `INSERT INTO tasks (organization_id, kind, subject, run_at)
    SELECT $organization, $kind, $subject, $now $from WHERE true $order ON CONFLICT (kind, subject) DO NOTHING`,
};

/** Adds a task, unless the subject already has a task of this kind. */
export function* enqueue(
  tx: Tx,
  kind: TaskKind,
  subject: string,
  { organizationId, now }: { readonly organizationId: string; readonly now: number },
): Operation<void> {
  yield* enqueueAll(tx, kind, [{ subject, organizationId, now }]);
}

/** Adds tasks of one kind like {@link enqueue}. */
export function* enqueueAll(
  tx: Tx,
  kind: TaskKind,
  tasks: readonly { readonly subject: string; readonly organizationId: string; readonly now: number }[],
): Operation<void> {
  yield* tx.execRows(
    ENQUEUE,
    tasks.map(({ subject, organizationId, now }) => [organizationId, kind, subject, now]),
  );
}

/** When a task is due: `delayMs` after now. */
export interface TaskDelay {
  readonly now: number;
  readonly delayMs: number;
}

/** Adds a task that is due later, unless the subject already has a task of this kind. */
export function* enqueueLater(
  tx: Tx,
  kind: TaskKind,
  subject: string,
  { organizationId, now, delayMs }: TaskDelay & { readonly organizationId: string },
): Operation<void> {
  yield* tx.exec(
    `INSERT INTO tasks (organization_id, kind, subject, run_at, delay_ms) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (kind, subject) DO NOTHING`,
    ...[organizationId, kind, subject, now + delayMs, delayMs],
  );
}

/** Changes when a task is due. Returns false if it is gone or was claimed. */
export function* postponeTask(
  tx: Tx,
  kind: TaskKind,
  subject: string,
  { now, delayMs }: TaskDelay,
): Operation<boolean> {
  const postponed = yield* tx.run(
    "UPDATE tasks SET run_at = ?, delay_ms = ? WHERE kind = ? AND subject = ? AND state = 'ready'",
    ...[now + delayMs, delayMs, kind, subject],
  );
  return postponed === 1;
}

/**
 * Records that a process is alive, and extends the leases of the tasks that it runs. Others that it has claimed expire:
 * those whose claim it never learned of, or which it could not release, because the database could not be reached.
 */
export function* recordHeartbeat(
  tx: Tx,
  beat: {
    process: { id: string; host: string; pid: number };
    /** The tasks that the process has claimed and runs. */
    running: readonly Lease[];
    now: number;
    leaseMs: number;
  },
): Operation<void> {
  const { id, host, pid } = beat.process;
  yield* tx.exec(
    `INSERT INTO processes (id, host, pid, heartbeat_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at`,
    id,
    host,
    pid,
    beat.now,
  );
  // A removal of vectors that no worker has claimed yet waits for the ingest that writes them (pending-vectors.ts).
  yield* tx.exec(
    `UPDATE tasks SET lease_until = ? WHERE owner = ? AND state = 'running'
     AND ((kind = 'remove_vectors' AND fence = 0) OR ${tx.dialect.inJsonList("CAST(seq AS TEXT)")})`,
    ...[beat.now + beat.leaseMs, id, JSON.stringify(beat.running.map(({ taskSeq }) => String(taskSeq)))],
  );
}

/**
 * Releases tasks of dead processes and tasks with expired leases. Returns the number of released tasks. If the clock was
 * set back, tasks and leases that end later than they can are brought back: a task waits no longer than its delay.
 */
export function* reclaimTasks(
  tx: Tx,
  reclaim: { deadProcesses: readonly string[]; now: number; leaseMs: number },
): Operation<number> {
  const { now, leaseMs } = reclaim;
  yield* tx.exec(
    "UPDATE tasks SET run_at = ? + delay_ms WHERE state = 'ready' AND delay_ms > 0 AND run_at > ? + delay_ms",
    now,
    now,
  );
  yield* tx.exec(
    "UPDATE tasks SET lease_until = ? WHERE state = 'running' AND lease_until > ?",
    now + leaseMs,
    now + leaseMs,
  );
  let reclaimedCount = yield* tx.run(
    "UPDATE tasks SET state = 'ready', owner = NULL, lease_until = NULL WHERE state = 'running' AND lease_until < ?",
    reclaim.now,
  );
  for (const id of reclaim.deadProcesses) {
    reclaimedCount += yield* tx.run(
      "UPDATE tasks SET state = 'ready', owner = NULL, lease_until = NULL WHERE state = 'running' AND owner = ?",
      id,
    );
    yield* tx.exec("DELETE FROM processes WHERE id = ?", id);
  }
  return reclaimedCount;
}

/** Unregisters a process that ends normally, so that it isn't later considered dead. */
export function* forgetProcess(tx: Tx, { id }: { id: string }): Operation<void> {
  yield* tx.exec("DELETE FROM processes WHERE id = ?", id);
}

/** Counts the tasks in the queue, except for deliveries to webhooks that wait for a retry, for up to a day. */
export function* countTasks(tx: Tx): Operation<number> {
  return (yield* tx.get<{ tasks: number }>(
    "SELECT count(*) AS tasks FROM tasks WHERE kind <> 'deliver_webhooks' OR delay_ms = 0",
  ))!.tasks;
}

export interface QueueSummary {
  /** Tasks by kind and state, without those of which there is none. */
  readonly counts: readonly { readonly kind: TaskKind; readonly state: "ready" | "running"; readonly tasks: number }[];
  /** Since when the oldest task has been due that no worker has claimed; `null` if none is due. */
  readonly dueSince: number | null;
}

export function* summarizeTasks(tx: Tx, { now }: { readonly now: number }): Operation<QueueSummary> {
  const counts = yield* tx.all<QueueSummary["counts"][number]>(
    "SELECT kind, state, count(*) AS tasks FROM tasks GROUP BY kind, state",
  );
  const oldest = yield* tx.get<{ due: number | null }>(
    `SELECT min(run_at) AS due FROM tasks WHERE state = 'ready' AND (run_at <= ? OR ${IS_UNDELAYED})`,
    now,
  );
  return { counts, dueSince: oldest?.due ?? null };
}

/** Returns whether there is a due task to claim. */
export function* hasDueTask(
  tx: Tx,
  { now, fullOrganizations = [], withoutDeliveries = false }: Omit<TaskClaim, "owner" | "leaseMs">,
): Operation<boolean> {
  const due = yield* tx.get(
    `SELECT 1 FROM tasks WHERE state = 'ready' AND (run_at <= ? OR ${IS_UNDELAYED})
     AND (kind <> 'ingest' OR NOT ${tx.dialect.inJsonList("organization_id")})
     ${withoutDeliveries ? NO_DELIVERY : ""} LIMIT 1`,
    now,
    JSON.stringify(fullOrganizations),
  );
  return due !== undefined;
}

/** Returns the error with which a task was last released; `null` if there was none or the task is gone. */
export function* getLastTaskError(tx: Tx, { taskSeq }: Pick<Lease, "taskSeq">): Operation<string | null> {
  const task = yield* tx.get<{ last_error: string | null }>("SELECT last_error FROM tasks WHERE seq = ?", taskSeq);
  return task?.last_error ?? null;
}

/** A process that uses the database. */
export interface RegisteredProcess {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
}

/** Lists the processes with a heartbeat at or after `since`, in milliseconds since the epoch. */
export function* listLiveProcesses(
  tx: Tx,
  { since }: { readonly since: number },
): Operation<readonly RegisteredProcess[]> {
  return yield* tx.all<RegisteredProcess>("SELECT id, host, pid FROM processes WHERE heartbeat_at >= ?", since);
}
