import type { WebhookDeliveryRecord } from "../storage/records/webhook-deliveries.js";
import type { WebhookRecord } from "../storage/records/webhooks.js";
import type { WebhookEventType } from "../types.js";
import type { WebhookEvent } from "../webhooks/event.js";
import { toNullableTimestamp, toTimestamp } from "./records.js";

/** A URL that is told of changes. Timestamps are ISO 8601. */
export interface Webhook {
  readonly id: string;
  readonly organizationId: string;
  readonly url: string;
  readonly description: string | null;
  /** Empty if all events are sent. */
  readonly eventTypes: readonly WebhookEventType[];
  readonly enabled: boolean;
  /** Why it was disabled; `null` if it is enabled, or was disabled by a caller. */
  readonly disabledReason: string | null;
  /** When the first attempt since the last success failed; `null` if the last attempt succeeded. */
  readonly failingSince: string | null;
  readonly createdAt: string;
}

/** An event that is or was sent to a webhook. Timestamps are ISO 8601. */
export interface WebhookDelivery {
  /** The header `webhook-id`, the same in every attempt. */
  readonly id: string;
  readonly webhookId: string;
  readonly event: WebhookEvent;
  /** `DEAD`: given up after ten attempts in three days, or because the receiver wants no more requests. */
  readonly status: "PENDING" | "DELIVERED" | "DEAD";
  readonly attempts: number;
  /**
   * When it is tried again; `null` if it is sent as soon as possible, waits for an earlier delivery of its document or
   * job, or has ended.
   */
  readonly nextAttemptAt: string | null;
  readonly lastAttemptAt: string | null;
  /** The status of the last response; `null` if there was none. */
  readonly httpStatus: number | null;
  /** Why the last attempt failed; `null` if it succeeded. */
  readonly error: string | null;
  readonly createdAt: string;
  /** When it was delivered or given up. */
  readonly endedAt: string | null;
}

export function toWebhook(row: WebhookRecord): Webhook {
  return {
    id: row.id,
    organizationId: row.organizationId,
    url: row.url,
    description: row.description,
    eventTypes: JSON.parse(row.eventTypes),
    enabled: row.disabledAt === null,
    disabledReason: row.disabledReason,
    failingSince: toNullableTimestamp(row.failingSince),
    createdAt: toTimestamp(row.createdAt),
  };
}

export function toWebhookDelivery(row: WebhookDeliveryRecord): WebhookDelivery {
  return {
    id: row.id,
    webhookId: row.webhookId,
    event: JSON.parse(row.body),
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.dueAt === 0 ? null : toNullableTimestamp(row.dueAt),
    lastAttemptAt: toNullableTimestamp(row.attemptedAt),
    httpStatus: row.httpStatus,
    error: row.error,
    createdAt: toTimestamp(row.createdAt),
    endedAt: toNullableTimestamp(row.endedAt),
  };
}
