import { randomBytes } from "node:crypto";
import { KnowledgeBaseError } from "../errors.js";
import type { SealContext } from "../secrets/secrets.js";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;
/** The sizes that the Standard Webhooks specification allows, in bytes. */
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/** Returns a new secret of 32 random bytes: `whsec_` and base64. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/**
 * Returns the key in a secret.
 * @throws KnowledgeBaseError `invalid_input` without the secret's text
 */
export function webhookKey(secret: string): Buffer {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : "";
  const key = Buffer.from(encoded, "base64");
  // Decoding ignores characters that are not base64.
  if (key.toString("base64") === encoded && key.length >= MIN_BYTES && key.length <= MAX_BYTES) return key;
  const message = `must be ${PREFIX} followed by ${MIN_BYTES} to ${MAX_BYTES} bytes in base64`;
  throw new KnowledgeBaseError("invalid_input", `secret ${message}`, { issues: [{ field: "secret", message }] });
}

/** Returns what a secret of a webhook is bound to when it is encrypted. */
export function webhookSecretContext(
  { organizationId, webhookId }: { readonly organizationId: string; readonly webhookId: string },
  field: string,
): SealContext {
  return { organizationId, namespaceId: "", ownerId: webhookId, field };
}
