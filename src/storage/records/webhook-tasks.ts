import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type Lease, requireLease } from "./lease.js";
import { enqueueAll, releaseTask } from "./tasks.js";

/** The kind of the task that sends the deliveries of one webhook, whose id is the subject. */
export const DELIVERY_TASK = "deliver_webhooks";

interface WokenWebhook {
  readonly webhookId: string;
  readonly organizationId: string;
  readonly now: number;
}

/**
 * Makes the tasks of webhooks due, because they have deliveries to send at once. A running task isn't waited for: it
 * looks for deliveries until there are none. What it misses is found by {@link wakeStalledWebhooks}.
 */
export function* wakeWebhooks(tx: Tx, webhooks: readonly WokenWebhook[]): Operation<void> {
  const different = [...new Map(webhooks.map((webhook) => [webhook.webhookId, webhook])).values()];
  for (const { webhookId, now } of different) {
    yield* tx.exec(
      `UPDATE tasks SET run_at = ?, delay_ms = 0
       WHERE kind = '${DELIVERY_TASK}' AND subject = ? AND state = 'ready' AND delay_ms > 0`,
      ...[now, webhookId],
    );
  }
  yield* enqueueAll(
    tx,
    DELIVERY_TASK,
    different.map(({ webhookId, organizationId, now }) => ({ subject: webhookId, organizationId, now })),
  );
}

/**
 * Wakes webhooks with due deliveries and no due task. With several writers, a task may be released while another
 * transaction records a delivery.
 */
export function* wakeStalledWebhooks(tx: Tx, { now }: { readonly now: number }): Operation<void> {
  const stalled = yield* tx.all<Omit<WokenWebhook, "now">>(
    `SELECT w.id AS "webhookId", w.organization_id AS "organizationId" FROM webhooks w
     WHERE w.disabled_at IS NULL
     AND EXISTS (SELECT 1 FROM webhook_deliveries d
       WHERE d.webhook_id = w.id AND d.status = 'PENDING' AND d.due_at IS NOT NULL AND d.due_at <= ?)
     AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.kind = '${DELIVERY_TASK}' AND t.subject = w.id
       AND (t.state = 'running' OR t.delay_ms = 0 OR t.run_at <= ?))`,
    ...[now, now],
  );
  yield* wakeWebhooks(
    tx,
    stalled.map((webhook) => ({ ...webhook, now })),
  );
}

/**
 * Makes the oldest pending delivery of each subject due that has none, because the due one was removed. Returns the
 * number of these deliveries; 0 for a disabled webhook.
 */
export function* releaseFirstDeliveries(tx: Tx, { webhookId }: { readonly webhookId: string }): Operation<number> {
  return yield* tx.run(
    `UPDATE webhook_deliveries SET due_at = 0 WHERE seq IN (
       SELECT min(seq) FROM webhook_deliveries
       WHERE webhook_id = (SELECT id FROM webhooks WHERE id = ? AND disabled_at IS NULL) AND status = 'PENDING'
       GROUP BY subject HAVING max(due_at) IS NULL)`,
    webhookId,
  );
}

/** Releases the task of a webhook until its next delivery is due, or completes the task if nothing is left to send. */
export function* restWebhook(
  tx: Tx,
  { lease, webhookId, now }: { readonly lease: Lease; readonly webhookId: string; readonly now: number },
): Operation<void> {
  yield* requireLease(tx, lease);
  // After the clock was set back: no delivery waits longer than its delay.
  yield* tx.exec(
    `UPDATE webhook_deliveries SET due_at = ? + delay_ms
     WHERE webhook_id = ? AND status = 'PENDING' AND due_at IS NOT NULL AND due_at > ? + delay_ms`,
    ...[now, webhookId, now],
  );
  const { dueAt } = (yield* tx.get<{ dueAt: number | null }>(
    `SELECT min(due_at) AS "dueAt" FROM webhook_deliveries
     WHERE webhook_id = (SELECT id FROM webhooks WHERE id = ? AND disabled_at IS NULL)
     AND status = 'PENDING' AND due_at IS NOT NULL`,
    webhookId,
  ))!;
  if (dueAt === null && (yield* releaseFirstDeliveries(tx, { webhookId })) === 0) {
    yield* tx.exec("DELETE FROM tasks WHERE seq = ?", lease.taskSeq);
    return;
  }
  const delayMs = Math.max(0, (dueAt ?? now) - now);
  yield* releaseTask(tx, { lease, now, delayMs, error: null, countsAsAttempt: false });
}
