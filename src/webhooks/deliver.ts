import type { EventBus } from "../events/event-bus.js";
import type { GuardedFetch } from "../net/guarded-fetch.js";
import type { Secrets } from "../secrets/secrets.js";
import type { Lease } from "../storage/records/lease.js";
import type { DueDeliveries } from "../storage/records/webhook-deliveries.js";
import type { Storage } from "../storage/storage.js";
import { webhookSecretContext } from "./secret.js";
import { type SendOutcome, sendDelivery } from "./send.js";

/** What sends deliveries. */
export interface DeliveryContext {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly events: EventBus;
  readonly fetch: GuardedFetch;
  /** Milliseconds since 1970. */
  now(): number;
}

/** The number of deliveries of one webhook that are sent at a time, each of another document or job. */
const BATCH_SIZE = 16;
const DAY_MS = 24 * 60 * 60_000;
/** A webhook is disabled when a delivery is given up and none has succeeded for this long. */
const MAX_FAILING_MS = 5 * DAY_MS;

/**
 * Sends the due deliveries of a webhook until none is due, then releases its task until the next one. Rejects with the
 * signal's reason if it is aborted: what was not recorded is sent again.
 */
export async function deliverWebhook(
  context: DeliveryContext,
  { lease, subject: webhookId }: { readonly lease: Lease; readonly subject: string },
  signal: AbortSignal,
): Promise<void> {
  const { storage, now } = context;
  for (;;) {
    signal.throwIfAborted();
    const due = await storage.webhooks.getDue({ webhookId, now: now(), limit: BATCH_SIZE });
    if (!due) break;
    const outcomes = await sendAll(context, webhookId, due, signal);
    const failingSince = await storage.webhooks.recordAttempts({ lease, webhookId, now: now(), outcomes });
    await disableIfHopeless(context, webhookId, outcomes, failingSince);
  }
  await storage.webhooks.rest({ lease, webhookId, now: now() });
}

async function sendAll(
  { secrets, fetch, now }: DeliveryContext,
  webhookId: string,
  due: DueDeliveries,
  signal: AbortSignal,
): Promise<readonly SendOutcome[]> {
  const { url, organizationId } = due;
  const receiver = {
    url,
    secrets: due.secrets.map(({ field, sealed }) =>
      secrets.unseal(sealed, webhookSecretContext({ organizationId, webhookId }, field)),
    ),
  };
  return Promise.all(due.deliveries.map((delivery) => sendDelivery(delivery, receiver, { fetch, now: now(), signal })));
}

async function disableIfHopeless(
  { storage, events, now }: DeliveryContext,
  webhookId: string,
  outcomes: readonly SendOutcome[],
  failingSince: number | null,
): Promise<void> {
  const isDead = outcomes.some(({ status }) => status === "DEAD");
  const hasFailedLong = isDead && failingSince !== null && now() - failingSince >= MAX_FAILING_MS;
  const isGone = outcomes.some((outcome) => outcome.isGone);
  if (!isGone && !hasFailedLong) return;
  const reason = isGone
    ? "The receiver answered with the status 410, which means that it wants no more requests."
    : "Every attempt has failed for five days.";
  if (await storage.webhooks.disable({ webhookId, now: now(), reason }))
    events.emit({ type: "warning", message: `The webhook ${webhookId} was disabled. ${reason}` });
}
