import { createHmac } from "node:crypto";
import { webhookKey } from "./secret.js";

/** What the signature of a webhook's request covers. */
export interface SignedMessage {
  readonly id: string;
  /** In seconds since 1970, as in the header. */
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}

/** Returns the signature of a message by the Standard Webhooks specification: `v1,` and HMAC-SHA-256 as base64. */
export function signWebhook({ id, timestamp, body }: SignedMessage, secret: string): string {
  const hmac = createHmac("sha256", webhookKey(secret)).update(`${id}.${timestamp}.`).update(body);
  return `v1,${hmac.digest("base64")}`;
}
