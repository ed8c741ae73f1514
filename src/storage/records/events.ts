import type { Status } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import type { EventRow } from "./schema.js";

/** Events read at a time. */
const PAGE = 1000;

/** The events of all jobs after one of them. Those of a job come in order. */
export function* eventsAfter(tx: Tx, { after }: { readonly after: number }): Operation<readonly EventRow[]> {
  return yield* tx.all<EventRow>(
    "SELECT seq, ingest_job_id, data FROM events WHERE seq > ? ORDER BY seq LIMIT ?",
    after,
    PAGE,
  );
}

/** The number of the last event so far; 0 if there is none. */
export function* lastEvent(tx: Tx): Operation<number> {
  return (yield* tx.get<{ seq: number }>("SELECT coalesce(max(seq), 0) AS seq FROM events"))!.seq;
}

export interface JobProgress {
  /** `null` if the job has been removed. */
  readonly status: Status | null;
  /** In order. */
  readonly events: readonly EventRow[];
}

/** A job's status and its events after one of them, all of one moment. */
export function* jobProgress(
  tx: Tx,
  { jobId, after }: { readonly jobId: string; readonly after: number },
): Operation<JobProgress> {
  const rows = yield* tx.all<{ status: Status } & (EventRow | { seq: null })>(
    `SELECT j.status, e.seq, e.ingest_job_id, e.data FROM ingest_jobs j
     LEFT JOIN events e ON e.ingest_job_id = j.id AND e.seq > ? WHERE j.id = ? ORDER BY e.seq`,
    after,
    jobId,
  );
  return {
    status: rows[0]?.status ?? null,
    events: rows.flatMap((row) => (row.seq === null ? [] : [row])),
  };
}
