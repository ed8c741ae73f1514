import type { Status } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import type { StoredEvent } from "./statuses.js";

/**
 * An event of a job. It is written under the job's lock, so a job's events are committed in the order of `seq`. Events
 * of different jobs aren't: with several writers, a lower number may be committed later.
 */
export interface JobEvent {
  readonly seq: number;
  readonly event: StoredEvent;
}

/** A job with events. */
export interface ChangedJob {
  readonly jobId: string;
  /** `seq` of its last event. */
  readonly lastSeq: number;
}

export interface EventChanges {
  /** `seq` of the last event of all jobs; 0 if there is none. Pass it as `after` the next time. */
  readonly lastSeq: number;
  readonly jobs: readonly ChangedJob[];
  /** Jobs that are queued or running. Pass them as `watched` the next time. */
  readonly active: readonly string[];
}

/**
 * Finds jobs that may have new events: those with an event after `after`, the `watched` ones and the active ones. A
 * transaction that was not committed when `lastSeq` was read may have written lower numbers. Its job is still
 * found: either it was active then, or the job's next event has a higher number.
 */
export function* eventChanges(
  tx: Tx,
  { after, watched }: { readonly after: number; readonly watched: readonly string[] },
): Operation<EventChanges> {
  // Active jobs are read first: a job that ends between these reads is still in the list and is watched.
  const tasks = yield* tx.all<{ subject: string }>("SELECT subject FROM tasks WHERE kind = 'ingest'");
  const { lastSeq } = (yield* tx.get<{ lastSeq: number }>('SELECT coalesce(max(seq), 0) AS "lastSeq" FROM events'))!;
  const recent = yield* tx.all<{ id: string }>("SELECT DISTINCT ingest_job_id AS id FROM events WHERE seq > ?", after);
  const active = tasks.map(({ subject }) => subject);
  const ids = new Set([...active, ...watched, ...recent.map(({ id }) => id)]);
  const jobs = yield* tx.all<ChangedJob>(
    `SELECT id AS "jobId", (SELECT max(seq) FROM events WHERE ingest_job_id = ingest_jobs.id) AS "lastSeq"
     FROM ingest_jobs WHERE ${tx.dialect.inJsonList("id")}`,
    JSON.stringify([...ids]),
  );
  return { lastSeq, jobs, active };
}

export interface JobProgress {
  /** `null` if the job has been removed. */
  readonly status: Status | null;
  /** In order. */
  readonly events: readonly JobEvent[];
}

/** A job's status and its events after one of them, from one snapshot. */
export function* jobProgress(
  tx: Tx,
  { jobId, after }: { readonly jobId: string; readonly after: number },
): Operation<JobProgress> {
  const rows = yield* tx.all<{ status: Status } & ({ seq: number; data: string } | { seq: null })>(
    `SELECT j.status, e.seq, e.data FROM ingest_jobs j
     LEFT JOIN events e ON e.ingest_job_id = j.id AND e.seq > ? WHERE j.id = ? ORDER BY e.seq`,
    after,
    jobId,
  );
  return {
    status: rows[0]?.status ?? null,
    events: rows.flatMap((row) => (row.seq === null ? [] : { seq: row.seq, event: JSON.parse(row.data) })),
  };
}
