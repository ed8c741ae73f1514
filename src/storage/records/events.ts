import type { Status } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import type { EventRow } from "./schema.js";

/** Events per page. */
const PAGE = 1000;

/** The events of all jobs after a sequence number. Events of one job are in order. */
export function* eventsAfter(tx: Tx, { after }: { readonly after: number }): Operation<readonly EventRow[]> {
  return yield* tx.all<EventRow>(
    "SELECT seq, ingest_job_id, data FROM events WHERE seq > ? ORDER BY seq LIMIT ?",
    after,
    PAGE,
  );
}

/** The sequence number of the last event; 0 if there is none. */
export function* lastEvent(tx: Tx): Operation<number> {
  return (yield* tx.get<{ seq: number }>("SELECT coalesce(max(seq), 0) AS seq FROM events"))!.seq;
}

export interface JobProgress {
  /** `null` if the job has been removed. */
  readonly status: Status | null;
  /** In order. */
  readonly events: readonly EventRow[];
}

/** A job's status and its later events, in one snapshot. */
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
