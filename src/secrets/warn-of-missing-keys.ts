import type { Engine } from "../engine/engine.js";

/** Tells, once a database has been opened, of secrets that cannot be: rather than the first search that needs one of them. */
export async function warnOfMissingKeys({ database, secrets, events }: Engine): Promise<void> {
  const sealed = await database.read<{ keyId: string; count: number }>({
    sql: "SELECT key_id AS keyId, count(*) AS count FROM sealed_values GROUP BY key_id",
  });
  const missing = sealed.filter(({ keyId }) => !secrets.has(keyId));
  if (missing.length === 0) return;
  const count = missing.reduce((total, { count }) => total + count, 0);
  const keys = missing.map(({ keyId }) => keyId).join(", ");
  const message =
    `Stored secrets cannot be opened, since their master keys were not given (${count} under ${keys}): what needs none still works. ` +
    "Add the keys to the option masterKey, or put the secret.key that they were in back into the directory.";
  events.emit({ type: "warning", message });
}
