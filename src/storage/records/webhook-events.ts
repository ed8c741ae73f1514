import { newId } from "../../domain/ids.js";
import { type Status, WEBHOOK_EVENT_TYPES, type WebhookEventType } from "../../types.js";
import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { Tx } from "../tx.js";
import { wakeWebhooks } from "./webhook-tasks.js";

/**
 * SQL that tells whether any webhook exists. It is read together with the state before a change, so that without
 * webhooks no change costs a further statement.
 */
export const HAS_WEBHOOKS_SQL = "CASE WHEN EXISTS (SELECT 1 FROM webhooks) THEN 1 ELSE 0 END AS has_webhooks";

/** A document or job that has entered a status, or was removed. */
export interface WebhookChange {
  readonly jobId: string;
  /** `null` if the job itself has changed. */
  readonly document: { readonly id: string; readonly name: string | null } | null;
  readonly status: Status;
  readonly error: string | null;
  readonly now: number;
  /** @default false */
  readonly isRemoved?: boolean;
}

interface JobOfEvents {
  readonly id: string;
  readonly name: string | null;
  readonly external_id: string | null;
  readonly namespace_id: string;
  readonly tenant_id: string | null;
  readonly organization_id: string;
}

interface Subscriber {
  readonly id: string;
  readonly organization_id: string;
  /** JSON. */
  readonly event_types: string;
}

/** Records a delivery of each change for each webhook that wants it, and wakes those webhooks' tasks. */
export function* recordWebhookEvents(tx: Tx, changes: readonly WebhookChange[]): Operation<void> {
  const told = changes.flatMap((change) => {
    const type = eventType(change);
    return type === null ? [] : [{ ...change, type }];
  });
  if (told.length === 0) return;
  const jobs = yield* jobsOf(tx, told);
  const subscribers = yield* subscribersOf(tx, [...jobs.values()]);
  const deliveries = told.flatMap(({ type, ...change }) => {
    const job = jobs.get(change.jobId);
    if (!job) return [];
    return subscribers
      .filter((subscriber) => subscriber.organization_id === job.organization_id && wants(subscriber, type))
      .map(({ id: webhookId, organization_id: organizationId }) => ({
        ...{ webhookId, organizationId, type, subject: change.document?.id ?? change.jobId, now: change.now },
        body: bodyOf(type, change, job),
      }));
  });
  yield* addDeliveries(tx, deliveries);
}

/** A delivery to record. */
export interface NewDelivery {
  readonly webhookId: string;
  readonly organizationId: string;
  readonly type: string;
  readonly subject: string;
  /** JSON. */
  readonly body: string;
  readonly now: number;
}

const LOCK_PENDING: RowStatement = {
  columns: { webhook: "text", subject: "text" },
  sql: `SELECT d.webhook_id, d.subject FROM webhook_deliveries d $join
    WHERE d.webhook_id = $webhook AND d.subject = $subject AND d.status = 'PENDING'`,
};
const INSERT_DELIVERY: RowStatement = {
  columns: {
    ...{ id: "text", webhook: "text", type: "text", subject: "text", body: "text", due_at: "bigint", now: "bigint" },
  },
  sql: `INSERT INTO webhook_deliveries (id, webhook_id, event_type, subject, body, due_at, created_at)
    SELECT $id, $webhook, $type, $subject, $body, $due_at, $now $from $order`,
};

/** Records deliveries and wakes the tasks that send them. Returns their ids, in order. */
export function* addDeliveries(tx: Tx, deliveries: readonly NewDelivery[]): Operation<readonly string[]> {
  if (deliveries.length === 0) return [];
  const pending = new Set(
    (yield* tx.allRows<{ webhook_id: string; subject: string }>(
      // Locked, so that the end of a pending delivery sees the new ones, or is seen here. Those that aren't due are
      // locked too: PostgreSQL leaves out a locked row that ended while this waited for it, and then the next one is due.
      { ...LOCK_PENDING, sql: `${LOCK_PENDING.sql} ${tx.dialect.lockingRows}` },
      [...new Map(deliveries.map((delivery) => [keyOf(delivery), delivery])).values()].map((delivery) => [
        delivery.webhookId,
        delivery.subject,
      ]),
    )).map((row) => keyOf({ webhookId: row.webhook_id, subject: row.subject })),
  );
  const rows = deliveries.map((delivery) => {
    const key = keyOf(delivery);
    const dueAt = pending.has(key) ? null : 0;
    pending.add(key);
    return { ...delivery, id: newId("msg"), dueAt };
  });
  yield* tx.execRows(
    INSERT_DELIVERY,
    rows.map(({ id, webhookId, type, subject, body, dueAt, now }) => [id, webhookId, type, subject, body, dueAt, now]),
  );
  yield* wakeWebhooks(
    tx,
    rows.filter(({ dueAt }) => dueAt !== null),
  );
  return rows.map(({ id }) => id);
}

function keyOf({ webhookId, subject }: Pick<NewDelivery, "webhookId" | "subject">): string {
  return `${webhookId} ${subject}`;
}

/** Returns `null` for a change that webhooks are not told of. */
function eventType({ document, status, isRemoved = false }: WebhookChange): WebhookEventType | null {
  const name = `${document ? "document" : "ingest_job"}.${isRemoved ? "deleted" : status.toLowerCase()}`;
  return WEBHOOK_EVENT_TYPES.find((type) => type === name) ?? null;
}

function* jobsOf(tx: Tx, changes: readonly WebhookChange[]): Operation<ReadonlyMap<string, JobOfEvents>> {
  const jobs = yield* tx.all<JobOfEvents>(
    `SELECT j.id, j.name, j.external_id, j.namespace_id, j.tenant_id, n.organization_id
     FROM ingest_jobs j JOIN namespaces n ON n.id = j.namespace_id WHERE ${tx.dialect.inJsonList("j.id")}`,
    JSON.stringify([...new Set(changes.map(({ jobId }) => jobId))]),
  );
  return new Map(jobs.map((job) => [job.id, job]));
}

function* subscribersOf(tx: Tx, jobs: readonly JobOfEvents[]): Operation<readonly Subscriber[]> {
  return yield* tx.all<Subscriber>(
    `SELECT id, organization_id, event_types FROM webhooks
     WHERE disabled_at IS NULL AND ${tx.dialect.inJsonList("organization_id")} ORDER BY seq`,
    JSON.stringify([...new Set(jobs.map((job) => job.organization_id))]),
  );
}

function wants({ event_types }: Subscriber, type: WebhookEventType): boolean {
  const types: readonly string[] = JSON.parse(event_types);
  return types.length === 0 || types.includes(type);
}

function bodyOf(type: WebhookEventType, { document, status, error, now }: WebhookChange, job: JobOfEvents): string {
  const owner = {
    status,
    error,
    organizationId: job.organization_id,
    namespaceId: job.namespace_id,
    tenantId: job.tenant_id,
  };
  const data = document
    ? { ...document, ingestJobId: job.id, ...owner }
    : { id: job.id, name: job.name, externalId: job.external_id, ...owner };
  return webhookBody(type, data, now);
}

/** Returns the body of a webhook's request. */
export function webhookBody(type: string, data: Readonly<Record<string, unknown>>, now: number): string {
  return JSON.stringify({ type, timestamp: new Date(now).toISOString(), data });
}
