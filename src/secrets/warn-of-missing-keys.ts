import type { EventBus } from "../events/event-bus.js";
import type { Storage } from "../storage/storage.js";
import type { Secrets } from "./secrets.js";

export interface KeyCheckContext {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly events: EventBus;
}

/** Warns when the database opens, before a search needs a secret whose master key is missing. */
export async function warnOfMissingKeys({ storage, secrets, events }: KeyCheckContext): Promise<void> {
  const sealed = await storage.secrets.countByKey();
  const missing = sealed.filter(({ keyId }) => !secrets.has(keyId));
  if (missing.length === 0) return;
  const count = missing.reduce((total, { count }) => total + count, 0);
  const keys = missing.map(({ keyId }) => keyId).join(", ");
  const message =
    `${count} stored secrets cannot be decrypted: their master keys are not available (${keys}). ` +
    "Add the keys to the option masterKey, or restore the secret.key file that contained them.";
  events.emit({ type: "warning", message });
}
