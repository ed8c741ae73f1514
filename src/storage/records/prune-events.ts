import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";

/** The maximum number of jobs that one call looks at, and of events that it removes. */
const MAX_JOBS = 200;
const MAX_EVENTS = 1000;

/**
 * Removes changes of status from the events of jobs that ended before a time. Each job keeps its last event, by which
 * its followers know where they are, and those that say which items were skipped and what a crawl found. Looks at some
 * of the jobs after `after`, a job's `seq`. Returns where to go on; `null` after the last job.
 */
export function* pruneEvents(
  tx: Tx,
  { before, after }: { readonly before: number; readonly after: number },
): Operation<number | null> {
  const jobs = yield* tx.all<{ seq: number; id: string; hasEnded: number }>(
    `SELECT seq, id, CASE WHEN status IN ('COMPLETED', 'FAILED', 'CANCELLED')
       AND coalesce(completed_at, failed_at, queued_at, created_at) < ? THEN 1 ELSE 0 END AS "hasEnded"
     FROM ingest_jobs WHERE seq > ? ORDER BY seq LIMIT ?`,
    ...[before, after, MAX_JOBS],
  );
  let room = MAX_EVENTS;
  for (const { seq, id, hasEnded } of jobs) {
    if (hasEnded === 0) continue;
    room -= yield* tx.run(
      `DELETE FROM events WHERE seq IN (
         SELECT seq FROM events WHERE ingest_job_id = ?
         AND seq < (SELECT max(seq) FROM events WHERE ingest_job_id = ?)
         AND ${tx.dialect.jsonField("data", "type")} IN ('job.status', 'document.status') ORDER BY seq LIMIT ?)`,
      ...[id, id, room],
    );
    if (room === 0) return seq - 1;
  }
  return jobs.length < MAX_JOBS ? null : jobs.at(-1)!.seq;
}
