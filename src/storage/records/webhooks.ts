import { KnowledgeBaseError } from "../../errors.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type CamelCase, camelCase } from "./camel-case.js";
import { notFound } from "./not-found.js";
import { requireOrganization } from "./organizations.js";
import { inRange, type RowRange } from "./range.js";
import type { WebhookRow } from "./row-types.js";
import { DELIVERY_TASK, releaseFirstDeliveries, wakeWebhooks } from "./webhook-tasks.js";

export type WebhookRecord = CamelCase<WebhookRow>;

/** Identifies a webhook of an organization. */
export interface WebhookRef {
  readonly organizationId: string;
  readonly webhookId: string;
}

/** An encrypted secret of a webhook. */
export interface WebhookSecret {
  readonly keyId: string;
  readonly sealed: string;
}

/** The fields of a webhook's current and previous secret. Both sign until the previous one expires. */
export const SECRET_FIELDS = { current: "secret", previous: "previousSecret" } as const;

export type NewWebhook = Pick<
  WebhookRecord,
  "id" | "organizationId" | "url" | "description" | "eventTypes" | "createdAt"
>;

/** @throws KnowledgeBaseError `not_found` for the organization, `limit_exceeded` if it has `limit` webhooks */
export function* createWebhook(
  tx: Tx,
  { webhook, secret, limit }: { webhook: NewWebhook; secret: WebhookSecret; limit: number },
): Operation<void> {
  const { id, organizationId, url, description, eventTypes, createdAt } = webhook;
  yield* requireOrganization(tx, organizationId);
  const { count } = (yield* tx.get<{ count: number }>(
    "SELECT count(*) AS count FROM webhooks WHERE organization_id = ?",
    organizationId,
  ))!;
  if (count >= limit) {
    const message = `The organization ${organizationId} has ${count} webhooks, which is the limit: delete one first.`;
    throw new KnowledgeBaseError("limit_exceeded", message);
  }
  yield* tx.exec(
    `INSERT INTO webhooks (id, organization_id, url, description, event_types, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
    ...[id, organizationId, url, description, eventTypes, createdAt],
  );
  yield* insertSecret(tx, id, SECRET_FIELDS.current, secret, null);
}

function* insertSecret(
  tx: Tx,
  webhookId: string,
  field: string,
  { keyId, sealed }: WebhookSecret,
  expiresAt: number | null,
): Operation<void> {
  yield* tx.exec(
    `INSERT INTO webhook_secrets (webhook_id, field, key_id, sealed, expires_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (webhook_id, field) DO UPDATE SET key_id = excluded.key_id, sealed = excluded.sealed,
       expires_at = excluded.expires_at`,
    ...[webhookId, field, keyId, sealed, expiresAt],
  );
}

/** Returns a webhook. @throws KnowledgeBaseError `not_found` */
export function* requireWebhook(tx: Tx, { organizationId, webhookId }: WebhookRef): Operation<WebhookRecord> {
  const sql = "SELECT * FROM webhooks WHERE organization_id = ? AND id = ?";
  const row = yield* tx.get<WebhookRow>(sql, organizationId, webhookId);
  if (!row) throw notFound("webhook", webhookId);
  return camelCase(row);
}

export function* listWebhooks(
  tx: Tx,
  { organizationId, range }: { readonly organizationId: string; readonly range: RowRange },
): Operation<readonly WebhookRecord[]> {
  const { sql, parameters } = inRange(range, [["organization_id = ?", organizationId]]);
  return (yield* tx.all<WebhookRow>(`SELECT * FROM webhooks ${sql}`, ...parameters)).map(camelCase);
}

interface WebhookChanges {
  readonly url?: string | undefined;
  readonly description?: string | null | undefined;
  /** JSON. */
  readonly eventTypes?: string | undefined;
}

/** Changes only the given fields. @throws KnowledgeBaseError `not_found` */
export function* updateWebhook(tx: Tx, { patch, ...ref }: WebhookRef & { patch: WebhookChanges }): Operation<void> {
  yield* requireWebhook(tx, ref);
  const { url, description, eventTypes } = patch;
  const { webhookId } = ref;
  if (url !== undefined) yield* tx.exec("UPDATE webhooks SET url = ? WHERE id = ?", url, webhookId);
  if (description !== undefined)
    yield* tx.exec("UPDATE webhooks SET description = ? WHERE id = ?", description, webhookId);
  if (eventTypes !== undefined)
    yield* tx.exec("UPDATE webhooks SET event_types = ? WHERE id = ?", eventTypes, webhookId);
}

/** Continues with the pending deliveries of a disabled webhook. @throws KnowledgeBaseError `not_found` */
export function* enableWebhook(tx: Tx, { now, ...ref }: WebhookRef & { readonly now: number }): Operation<void> {
  if ((yield* requireWebhook(tx, ref)).disabledAt === null) return;
  yield* tx.exec(
    "UPDATE webhooks SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL WHERE id = ?",
    ref.webhookId,
  );
  yield* releaseFirstDeliveries(tx, ref);
  yield* wakeWebhooks(tx, [{ ...ref, now }]);
}

/**
 * Stops a webhook, which keeps its pending deliveries. `reason` is null if a caller has asked for it. Returns false if
 * it was disabled already.
 */
export function* disableWebhook(
  tx: Tx,
  { now, reason, webhookId }: { readonly webhookId: string; readonly now: number; readonly reason: string | null },
): Operation<boolean> {
  const disabled = yield* tx.run(
    "UPDATE webhooks SET disabled_at = ?, disabled_reason = ? WHERE id = ? AND disabled_at IS NULL",
    ...[now, reason, webhookId],
  );
  return disabled === 1;
}

export function* deleteWebhook(tx: Tx, { webhookId }: { readonly webhookId: string }): Operation<void> {
  yield* tx.exec("DELETE FROM tasks WHERE kind = ? AND subject = ?", DELIVERY_TASK, webhookId);
  yield* tx.exec("DELETE FROM webhooks WHERE id = ?", webhookId);
}

/** Returns the encrypted current secret. @throws KnowledgeBaseError `not_found` */
export function* getWebhookSecret(tx: Tx, ref: WebhookRef): Operation<string> {
  yield* requireWebhook(tx, ref);
  return (yield* tx.get<{ sealed: string }>(
    "SELECT sealed FROM webhook_secrets WHERE webhook_id = ? AND field = ?",
    ...[ref.webhookId, SECRET_FIELDS.current],
  ))!.sealed;
}

/**
 * Replaces the current secret, which signs as the previous one until it expires.
 * @throws KnowledgeBaseError `conflict` if the current secret is no longer `replaced`
 */
export function* replaceWebhookSecret(
  tx: Tx,
  change: {
    readonly webhookId: string;
    /** The current secret as it is stored. */
    readonly replaced: string;
    readonly secret: WebhookSecret;
    readonly previous: WebhookSecret & { readonly expiresAt: number };
  },
): Operation<void> {
  const { webhookId, replaced, secret, previous } = change;
  const changed = yield* tx.run(
    "UPDATE webhook_secrets SET key_id = ?, sealed = ? WHERE webhook_id = ? AND field = ? AND sealed = ?",
    ...[secret.keyId, secret.sealed, webhookId, SECRET_FIELDS.current, replaced],
  );
  if (changed === 0) {
    const message = `The secret of the webhook ${webhookId} was replaced meanwhile: read it again, or try again.`;
    throw new KnowledgeBaseError("conflict", message);
  }
  yield* insertSecret(tx, webhookId, SECRET_FIELDS.previous, previous, previous.expiresAt);
}
