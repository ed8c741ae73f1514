import type { EventBus } from "../events/event-bus.js";
import type { Storage } from "../storage/storage.js";
import type { Secrets } from "./secrets.js";

export interface KeyCheckContext {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly events: EventBus;
}

/** The number of secrets that a warning names. */
const MAX_NAMED = 10;

/** Emits a warning if master keys of stored secrets are missing. Runs at startup, before a search needs the secrets. */
export async function warnOfMissingKeys({ storage, secrets, events }: KeyCheckContext): Promise<void> {
  const secretCounts = await storage.secrets.countByKey();
  const unavailable = secretCounts.filter(({ keyId }) => !secrets.has(keyId));
  if (unavailable.length === 0) return;
  const secretCount = unavailable.reduce((total, { count }) => total + count, 0);
  const keyIds = unavailable.map(({ keyId }) => keyId).join(", ");
  const named = await storage.secrets.listByKeys({ keyIds: unavailable.map(({ keyId }) => keyId), limit: MAX_NAMED });
  const names = named.map(({ field, slug, ownerId, namespaceId }) =>
    ownerId === namespaceId ? `${field} of ${slug}` : `${field} of ${ownerId} in ${slug}`,
  );
  const message =
    `${secretCount} stored secrets cannot be decrypted: their master keys are not available (${keyIds}). ` +
    "Add the keys to the masterKey option, or restore the secret.key file that contained them. Otherwise, create the " +
    "webhooks that have such secrets again, and give those of namespaces again with namespaces.setSecrets: " +
    `${names.join(", ") || "none"}${names.length === MAX_NAMED ? ", …" : ""}.`;
  events.emit({ type: "warning", message });
}
