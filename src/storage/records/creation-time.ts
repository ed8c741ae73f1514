/** How far a clock may have been ahead for later rows to get the time of the last one. */
const MAX_CORRECTION_MS = 7 * 24 * 60 * 60_000;

/**
 * Returns SQL for the `created_at` of a new row, of the time and the namespace, two parameters unless given. It is the time, but not
 * before that of the namespace's last row, so that lists, which are in the order of insertion, are in the order of
 * creation even if the clock was set back. A clock that was more than a week ahead is not followed.
 */
export function creationTime(
  table: "ingest_jobs" | "documents",
  { now, namespace } = { now: "?", namespace: "?" },
): string {
  return `(SELECT CASE WHEN c.last > c.now AND c.last - c.now <= ${MAX_CORRECTION_MS} THEN c.last ELSE c.now END
    FROM (SELECT CAST(${now} AS BIGINT) AS now, coalesce((SELECT created_at FROM ${table}
      WHERE namespace_id = ${namespace} ORDER BY seq DESC LIMIT 1), 0) AS last) c)`;
}
