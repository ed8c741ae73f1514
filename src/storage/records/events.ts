import type { Status } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import type { StoredEvent } from "./statuses.js";

/**
 * An event of a job. Events are written under the job's lock, so one job's events are committed in the order of `seq`.
 * Across jobs, with several writers, an event may be committed after an event with a higher `seq`.
 */
export interface JobEvent {
  readonly seq: number;
  readonly event: StoredEvent;
}

/** A job that may have new events. */
export interface ChangedJob {
  readonly jobId: string;
  /** The `seq` of the job's last event. */
  readonly lastSeq: number;
}

export interface EventChanges {
  /** The `seq` of the last event of all jobs; 0 if there is none. Pass it as `after` in the next call. */
  readonly lastSeq: number;
  readonly jobs: readonly ChangedJob[];
  /** The ids of queued and running jobs. Pass them as `watched` in the next call. */
  readonly active: readonly string[];
}

/**
 * Finds jobs that may have new events: jobs with an event after `after`, watched jobs and active jobs. A transaction
 * that commits after `lastSeq` was read may have written an event with a lower `seq`. Its job is still found, because
 * either the job was active at that time, or its next event has a higher `seq`.
 */
export function* findChangedJobs(
  tx: Tx,
  { after, watched }: { readonly after: number; readonly watched: readonly string[] },
): Operation<EventChanges> {
  // Active jobs are read first: a job that ends between the two reads is still listed, and watched in the next call.
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
  /** In the order of `seq`. */
  readonly events: readonly JobEvent[];
}

/** Returns a job's status and its events after the event `after`, from one snapshot. */
export function* getJobProgress(
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
