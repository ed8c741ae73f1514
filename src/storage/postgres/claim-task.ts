import type { Operation } from "../operation.js";
import { type ClaimedTask, IS_UNDELAYED, type TaskClaim } from "../records/tasks.js";
import type { Tx } from "../tx.js";

/**
 * Claims a task as the operation of all engines does, in one statement that waits for no other: tasks that another
 * transaction claims are skipped. So is the organization's turn while another transaction has locked the organization,
 * which keeps its place until its next claim.
 */
export function* claimTask(
  tx: Tx,
  { owner, now, leaseMs, fullOrganizations = [] }: TaskClaim,
): Operation<ClaimedTask | null> {
  const isFull = fullOrganizations.length > 0;
  const due = `organization_id = o.id AND state = 'ready' AND (run_at <= ? OR ${IS_UNDELAYED})
    ${isFull ? `AND (kind <> 'ingest' OR NOT ${tx.dialect.inJsonList("organization_id")})` : ""}`;
  const parameters = [now, ...(isFull ? [JSON.stringify(fullOrganizations)] : [])];
  const claimed = yield* tx.get<Omit<ClaimedTask, "lease"> & { readonly seq: number; readonly fence: number }>(
    `WITH next AS (
       SELECT t.seq, o.id FROM (
         SELECT id FROM organizations o WHERE EXISTS (SELECT 1 FROM tasks WHERE ${due}) ORDER BY served, seq) o
       CROSS JOIN LATERAL (
         SELECT seq FROM tasks WHERE ${due} ORDER BY run_at, seq LIMIT 1 FOR UPDATE SKIP LOCKED) t
       LIMIT 1),
     turn AS (
       SELECT id FROM organizations WHERE id = (SELECT id FROM next) FOR NO KEY UPDATE SKIP LOCKED),
     served AS (
       UPDATE organizations o SET served = nextval('organizations_served') FROM turn WHERE o.id = turn.id)
     UPDATE tasks SET state = 'running', owner = ?, lease_until = ?, fence = fence + 1, attempt = attempt + 1
     FROM next WHERE tasks.seq = next.seq
     RETURNING tasks.seq, kind, subject, organization_id AS "organizationId", attempt, fence`,
    ...[...parameters, ...parameters, owner, now + leaseMs],
  );
  if (!claimed) return null;
  const { seq, fence, ...task } = claimed;
  return { ...task, lease: { taskSeq: seq, owner, fence } };
}
