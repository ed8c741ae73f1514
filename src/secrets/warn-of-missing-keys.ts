import type { EventBus } from "../events/event-bus.js";
import type { Storage } from "../storage/storage.js";
import type { Secrets } from "./secrets.js";

/** What is looked through, and told. */
export interface KeyCheck {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly events: EventBus;
}

/** Tells, once a database has been opened, of secrets that cannot be: rather than the first search that needs one of them. */
export async function warnOfMissingKeys({ storage, secrets, events }: KeyCheck): Promise<void> {
  const sealed = await storage.secrets.keys();
  const missing = sealed.filter(({ keyId }) => !secrets.has(keyId));
  if (missing.length === 0) return;
  const count = missing.reduce((total, { count }) => total + count, 0);
  const keys = missing.map(({ keyId }) => keyId).join(", ");
  const message =
    `Stored secrets cannot be opened, since their master keys were not given (${count} under ${keys}): what needs none still works. ` +
    "Add the keys to the option masterKey, or put the secret.key that they were in back into the directory.";
  events.emit({ type: "warning", message });
}
