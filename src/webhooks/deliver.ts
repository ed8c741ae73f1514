import { getErrorMessage } from "../errors.js";
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
    const secrets = await openSecrets(context, { lease, webhookId }, due);
    const outcomes = await sendAll(context, due, secrets, signal);
    const failingSince = await storage.webhooks.recordAttempts({ lease, webhookId, now: now(), outcomes });
    await disableIfHopeless(context, webhookId, outcomes, failingSince);
  }
  await storage.webhooks.rest({ lease, webhookId, now: now() });
}

/**
 * Decrypts the secrets of a webhook. A receiver may still verify with the previous one, so all are needed: if the master
 * key of one is missing, the deliveries keep the error, and the task is tried again, here or by a process with the key.
 */
async function openSecrets(
  { storage, secrets }: DeliveryContext,
  { lease, webhookId }: { readonly lease: Lease; readonly webhookId: string },
  due: DueDeliveries,
): Promise<readonly string[]> {
  const { organizationId } = due;
  try {
    return due.secrets.map(({ field, sealed }) =>
      secrets.unseal(sealed, webhookSecretContext({ organizationId, webhookId }, field)),
    );
  } catch (error) {
    const seqs = due.deliveries.map(({ seq }) => seq);
    await storage.webhooks.recordSendError({ lease, seqs, error: getErrorMessage(error) });
    throw error;
  }
}

async function sendAll(
  { fetch, now }: DeliveryContext,
  { url, deliveries }: DueDeliveries,
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<readonly SendOutcome[]> {
  return Promise.all(
    deliveries.map((delivery) => sendDelivery(delivery, { url, secrets }, { fetch, now: now(), signal })),
  );
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
