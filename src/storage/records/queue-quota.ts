import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { setStatus } from "./statuses.js";
import { enqueue } from "./tasks.js";

/** The limit on an organization's queued and running jobs. */
export interface QueueQuota {
  readonly organizationId: string;
  /** The maximum number of queued and running jobs. */
  readonly capacity: number;
  readonly now: number;
}

/** Counts an organization's queued and running jobs. */
export function* countActiveJobs(tx: Tx, organizationId: string): Operation<number> {
  return (yield* tx.get<{ count: number }>(
    "SELECT count(*) AS count FROM tasks WHERE organization_id = ? AND kind = 'ingest'",
    organizationId,
  ))!.count;
}

/**
 * Queues jobs from the backlog up to the limit. The caller holds the organization's lock, and calls this whenever an
 * ingest task ends or is removed.
 */
export function* promoteBacklog(tx: Tx, quota: QueueQuota): Operation<void> {
  for (let slots = quota.capacity - (yield* countActiveJobs(tx, quota.organizationId)); slots > 0; slots--) {
    const next = yield* tx.get<{ seq: number; id: string }>(
      `SELECT j.seq, j.id FROM ingest_jobs j JOIN namespaces n ON n.id = j.namespace_id
       WHERE j.status = 'BACKLOG' AND n.organization_id = ? AND n.deleted_at IS NULL ORDER BY j.seq LIMIT 1`,
      quota.organizationId,
    );
    if (!next) return;
    yield* setStatus(tx, "ingest_jobs", { seq: next.seq, status: "QUEUED", now: quota.now });
    yield* enqueue(tx, "ingest", next.id, quota);
  }
}
