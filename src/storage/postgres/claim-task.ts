import type { Operation } from "../operation.js";
import { type ClaimedTask, IS_UNDELAYED, NO_DELIVERY, type TaskClaim } from "../records/tasks.js";
import type { Tx } from "../tx.js";
import { SERVER_TIME } from "./server-clock.js";

/**
 * Claims a task as the operation of all engines does, in one statement that waits for no other: tasks that another
 * transaction claims are skipped. The organization's turn is not recorded if the organization is the last one already,
 * or while another transaction has locked it: then it keeps its place until its next claim.
 *
 * Organizations with tasks are listed by one index lookup each, since there may be many without any. A condition on each
 * organization could be planned as a join that reads all tasks.
 *
 * The fence is the server's time, if that is greater than the next number: after a standby without the last claims has
 * taken over, no claim has the fence of a lost one.
 */
export function* claimTask(
  tx: Tx,
  { owner, now, leaseMs, fullOrganizations = [], withoutDeliveries = false }: TaskClaim,
): Operation<ClaimedTask | null> {
  const isFull = fullOrganizations.length > 0;
  const due = `organization_id = o.id AND state = 'ready' AND (run_at <= ? OR ${IS_UNDELAYED})
    ${isFull ? `AND (kind <> 'ingest' OR NOT ${tx.dialect.inJsonList("organization_id")})` : ""}
    ${withoutDeliveries ? NO_DELIVERY : ""}`;
  const parameters = [now, ...(isFull ? [JSON.stringify(fullOrganizations)] : [])];
  const claimed = yield* tx.get<Omit<ClaimedTask, "lease"> & { readonly seq: number; readonly fence: number }>(
    `WITH RECURSIVE waiting AS (
       (SELECT organization_id AS id FROM tasks WHERE state = 'ready' ORDER BY organization_id LIMIT 1)
       UNION ALL
       SELECT (SELECT organization_id FROM tasks WHERE state = 'ready' AND organization_id > w.id
         ORDER BY organization_id LIMIT 1) FROM waiting w WHERE w.id IS NOT NULL),
     next AS (
       SELECT t.seq, o.id FROM (
         SELECT o.id FROM waiting w JOIN organizations o ON o.id = w.id ORDER BY o.served, o.seq) o
       CROSS JOIN LATERAL (
         SELECT seq FROM tasks WHERE ${due} ORDER BY run_at, seq LIMIT 1 FOR UPDATE SKIP LOCKED) t
       LIMIT 1),
     turn AS (
       SELECT id FROM organizations o WHERE id = (SELECT id FROM next)
         AND EXISTS (SELECT 1 FROM organizations l WHERE (l.served, l.seq) > (o.served, o.seq))
       FOR NO KEY UPDATE SKIP LOCKED),
     served AS (
       UPDATE organizations o SET served = nextval('organizations_served') FROM turn WHERE o.id = turn.id)
     UPDATE tasks SET state = 'running', owner = ?, lease_until = ?, fence = greatest(fence + 1, ${SERVER_TIME}), attempt = attempt + 1
     FROM next WHERE tasks.seq = next.seq
     RETURNING tasks.seq, kind, subject, organization_id AS "organizationId", attempt, fence`,
    ...[...parameters, owner, now + leaseMs],
  );
  if (!claimed) return null;
  const { seq, fence, ...task } = claimed;
  return { ...task, lease: { taskSeq: seq, owner, fence } };
}
