import { newId } from "../../domain/ids.js";
import { KnowledgeBaseError } from "../../errors.js";
import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { Tx } from "../tx.js";
import { type CamelCase, camelCase } from "./camel-case.js";
import { type Lease, requireLease } from "./lease.js";
import { notFound } from "./not-found.js";
import { type Condition, inRange, type RowRange } from "./range.js";
import type { WebhookDeliveryRow } from "./row-types.js";
import { addDeliveries, webhookBody } from "./webhook-events.js";
import { wakeWebhooks } from "./webhook-tasks.js";
import { requireWebhook, type WebhookRef } from "./webhooks.js";

export type WebhookDeliveryRecord = CamelCase<WebhookDeliveryRow>;

/** The number of deliveries removed in one transaction. */
const MAX_REMOVED = 500;

/** A delivery to send now. */
export type DueDelivery = Pick<WebhookDeliveryRecord, "seq" | "id" | "eventType" | "subject" | "body" | "attempts">;

/** What is needed to send the due deliveries of a webhook. */
export interface DueDeliveries {
  readonly url: string;
  readonly organizationId: string;
  /** The encrypted secrets that sign, the current one first. */
  readonly secrets: readonly { readonly field: string; readonly sealed: string }[];
  /** New deliveries and retries, each of another subject. */
  readonly deliveries: readonly DueDelivery[];
}

const SELECT_DUE = `SELECT seq, id, event_type AS "eventType", subject, body, attempts FROM webhook_deliveries
  WHERE webhook_id = ? AND status = 'PENDING' AND due_at IS NOT NULL`;

/**
 * Returns up to `limit` deliveries to send now; `null` if there are none, or if the webhook is disabled or gone. Up to
 * half of them are retries, the longest due first, so that new deliveries don't hold them back; the others are new ones,
 * the oldest first. Where one kind has fewer, there are more of the other.
 */
export function* getDueDeliveries(
  tx: Tx,
  { webhookId, now, limit }: { readonly webhookId: string; readonly now: number; readonly limit: number },
): Operation<DueDeliveries | null> {
  const webhook = yield* tx.get<{ url: string; organizationId: string }>(
    'SELECT url, organization_id AS "organizationId" FROM webhooks WHERE id = ? AND disabled_at IS NULL',
    webhookId,
  );
  if (!webhook) return null;
  const fresh = yield* tx.all<DueDelivery>(`${SELECT_DUE} AND due_at = 0 ORDER BY seq LIMIT ?`, webhookId, limit);
  const retries = yield* tx.all<DueDelivery>(
    `${SELECT_DUE} AND due_at > 0 AND due_at <= ? ORDER BY due_at, seq LIMIT ?`,
    ...[webhookId, now, Math.max(Math.ceil(limit / 2), limit - fresh.length)],
  );
  const due = [...retries, ...fresh.slice(0, limit - retries.length)];
  if (due.length === 0) return null;
  const secrets = yield* tx.all<{ field: string; sealed: string }>(
    // Of the two fields, the current one is the last by name.
    `SELECT field, sealed FROM webhook_secrets
     WHERE webhook_id = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY field DESC`,
    ...[webhookId, now],
  );
  // A delivery that was sent again by hand may be due at the same time as another of its subject.
  const oldest = new Map<string, DueDelivery>();
  for (const delivery of due) {
    const other = oldest.get(delivery.subject);
    if (!other || delivery.seq < other.seq) oldest.set(delivery.subject, delivery);
  }
  return { ...webhook, secrets, deliveries: [...oldest.values()] };
}

/** How an attempt to send a delivery ended. */
export interface AttemptOutcome {
  readonly seq: number;
  readonly subject: string;
  /** `PENDING` if it is to be tried again after `delayMs`. */
  readonly status: WebhookDeliveryRow["status"];
  readonly delayMs: number;
  readonly httpStatus: number | null;
  readonly error: string | null;
}

const RECORD_ATTEMPT: RowStatement = {
  columns: {
    ...{ seq: "bigint", status: "text", due_at: "bigint", delay_ms: "bigint", now: "bigint" },
    ...{ ended_at: "bigint", http_status: "bigint", error: "text" },
  },
  sql: `UPDATE webhook_deliveries SET status = $status, attempts = attempts + 1, due_at = $due_at, delay_ms = $delay_ms,
      attempted_at = $now, ended_at = $ended_at, http_status = $http_status, error = $error
    $from WHERE seq = $seq AND status = 'PENDING'`,
};
const RECORD_SEND_ERROR: RowStatement = {
  columns: { seq: "bigint", error: "text" },
  sql: `UPDATE webhook_deliveries SET error = $error, http_status = NULL $from WHERE seq = $seq AND status = 'PENDING'
    AND error IS DISTINCT FROM $error`,
};
const RELEASE_NEXT: RowStatement = {
  columns: { webhook: "text", subject: "text" },
  sql: `UPDATE webhook_deliveries SET due_at = 0 $from WHERE seq = (
      SELECT min(n.seq) FROM webhook_deliveries n
      WHERE n.webhook_id = $webhook AND n.subject = $subject AND n.status = 'PENDING') AND due_at IS NULL`,
};

/**
 * Records attempts. After the end of a delivery, the next one of its subject is due. Returns when the first attempt since
 * the webhook's last success failed; `null` if one of these succeeded.
 */
export function* recordAttempts(
  tx: Tx,
  {
    lease,
    webhookId,
    now,
    outcomes,
  }: {
    readonly lease: Lease;
    readonly webhookId: string;
    readonly now: number;
    readonly outcomes: readonly AttemptOutcome[];
  },
): Operation<number | null> {
  yield* requireLease(tx, lease);
  yield* tx.execRows(
    RECORD_ATTEMPT,
    outcomes.map(({ seq, status, delayMs, httpStatus, error }) => {
      const isPending = status === "PENDING";
      const dueAt = isPending ? now + delayMs : null;
      return [seq, status, dueAt, isPending ? delayMs : 0, now, isPending ? null : now, httpStatus, error];
    }),
  );
  const ended = outcomes.filter(({ status }) => status !== "PENDING");
  yield* tx.execRows(
    RELEASE_NEXT,
    ended.map(({ subject }) => [webhookId, subject]),
  );
  if (outcomes.some(({ status }) => status === "DELIVERED")) {
    yield* tx.exec("UPDATE webhooks SET failing_since = NULL WHERE id = ? AND failing_since IS NOT NULL", webhookId);
    return null;
  }
  const failing = yield* tx.get<{ since: number }>(
    "UPDATE webhooks SET failing_since = coalesce(failing_since, ?) WHERE id = ? RETURNING failing_since AS since",
    ...[now, webhookId],
  );
  return failing?.since ?? null;
}

/** Records why deliveries can't be sent. It counts as no attempt: another process may send them. */
export function* recordSendError(
  tx: Tx,
  { lease, seqs, error }: { readonly lease: Lease; readonly seqs: readonly number[]; readonly error: string },
): Operation<void> {
  yield* requireLease(tx, lease);
  yield* tx.execRows(
    RECORD_SEND_ERROR,
    seqs.map((seq) => [seq, error]),
  );
}

interface DeliveryRef extends WebhookRef {
  readonly deliveryId: string;
}

/** @throws KnowledgeBaseError `not_found` */
export function* getDelivery(
  tx: Tx,
  { organizationId, webhookId, deliveryId }: DeliveryRef,
): Operation<WebhookDeliveryRecord> {
  const row = yield* tx.get<WebhookDeliveryRow>(
    `SELECT d.* FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
     WHERE d.id = ? AND w.id = ? AND w.organization_id = ?`,
    ...[deliveryId, webhookId, organizationId],
  );
  if (!row) throw notFound("webhook delivery", deliveryId);
  return camelCase(row);
}

/** @throws KnowledgeBaseError `not_found` for the webhook */
export function* listDeliveries(
  tx: Tx,
  { status, range, ...webhook }: WebhookRef & { status?: WebhookDeliveryRow["status"] | undefined; range: RowRange },
): Operation<readonly WebhookDeliveryRecord[]> {
  yield* requireWebhook(tx, webhook);
  const ofStatus: Condition | null = status === undefined ? null : ["status = ?", status];
  const { sql, parameters } = inRange(range, [["webhook_id = ?", webhook.webhookId], ofStatus]);
  return (yield* tx.all<WebhookDeliveryRow>(`SELECT * FROM webhook_deliveries ${sql}`, ...parameters)).map(camelCase);
}

/**
 * Queues a delivery again, with all its attempts; one that waits for a retry is tried at once.
 * @throws KnowledgeBaseError `not_found`, `conflict` for a disabled webhook
 */
export function* redeliver(tx: Tx, { now, ...ref }: DeliveryRef & { readonly now: number }): Operation<void> {
  const { seq, status } = yield* getDelivery(tx, ref);
  yield* requireEnabled(tx, ref);
  if (status === "PENDING") {
    yield* tx.exec("UPDATE webhook_deliveries SET due_at = 0 WHERE seq = ? AND due_at IS NOT NULL", seq);
  } else {
    // Due even if a later delivery of its subject is, whose next attempt may be hours away.
    yield* tx.exec(
      `UPDATE webhook_deliveries SET status = 'PENDING', attempts = 0, due_at = 0, delay_ms = 0, ended_at = NULL
       WHERE seq = ?`,
      seq,
    );
  }
  yield* wakeWebhooks(tx, [{ ...ref, now }]);
}

/**
 * Queues a test event. Returns the id of its delivery.
 * @throws KnowledgeBaseError `not_found`, `conflict` for a disabled webhook
 */
export function* pingWebhook(tx: Tx, { now, ...webhook }: WebhookRef & { readonly now: number }): Operation<string> {
  yield* requireEnabled(tx, webhook);
  const { webhookId, organizationId } = webhook;
  const type = "webhook.ping";
  const body = webhookBody(type, { id: webhookId, organizationId }, now);
  // Of its own subject, so that it doesn't wait for a ping that failed.
  const [id] = yield* addDeliveries(tx, [{ ...webhook, type, subject: newId("ping"), body, now }]);
  return id!;
}

function* requireEnabled(tx: Tx, ref: WebhookRef): Operation<void> {
  const { disabledAt } = yield* requireWebhook(tx, ref);
  if (disabledAt === null) return;
  throw new KnowledgeBaseError("conflict", `The webhook ${ref.webhookId} is disabled: enable it first.`);
}

/**
 * Removes some of the deliveries that ended before a time, and of those that are pending for a webhook disabled before
 * then. Returns whether there may be more. Pending ones are removed from the newest on, so that what is left of a
 * subject still begins with the delivery that is due.
 */
export function* pruneDeliveries(tx: Tx, { before }: { readonly before: number }): Operation<boolean> {
  const ended = yield* tx.run(
    `DELETE FROM webhook_deliveries WHERE seq IN (
       SELECT seq FROM webhook_deliveries WHERE ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at LIMIT ?)`,
    ...[before, MAX_REMOVED],
  );
  const disabled = yield* tx.get<{ id: string }>(
    // Locked, so that it isn't enabled meanwhile: an event recorded then might wait for a delivery removed here.
    `SELECT id FROM webhooks WHERE disabled_at < ? AND EXISTS (
       SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = webhooks.id AND d.status = 'PENDING')
     ORDER BY seq LIMIT 1 ${tx.dialect.lockingRows}`,
    before,
  );
  if (disabled) {
    yield* tx.exec(
      `DELETE FROM webhook_deliveries WHERE seq IN (
         SELECT seq FROM webhook_deliveries WHERE webhook_id = ? AND status = 'PENDING' ORDER BY seq DESC LIMIT ?)`,
      ...[disabled.id, MAX_REMOVED],
    );
  }
  return ended === MAX_REMOVED || disabled !== undefined;
}

/** Removes some of the deliveries of a disabled webhook, the newest first. Returns whether there may be more. */
export function* purgeDeliveries(tx: Tx, { webhookId }: { readonly webhookId: string }): Operation<boolean> {
  const removed = yield* tx.run(
    `DELETE FROM webhook_deliveries WHERE seq IN (
       SELECT seq FROM webhook_deliveries WHERE webhook_id = ? ORDER BY seq DESC LIMIT ?)`,
    ...[webhookId, MAX_REMOVED],
  );
  return removed === MAX_REMOVED;
}
