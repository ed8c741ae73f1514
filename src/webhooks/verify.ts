import { timingSafeEqual } from "node:crypto";
import { KnowledgeBaseError } from "../errors.js";
import type { WebhookEvent } from "./event.js";
import { signWebhook } from "./sign.js";

/** Headers of a request: those of `fetch`, or of `node:http` with names in lower case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** When a request is recent enough. */
export interface VerifyWebhookOptions {
  /** How far the request's time may be from now, in seconds, before or after. @default 300 */
  readonly toleranceSeconds?: number | undefined;
  /** The time now. @default the system clock's */
  readonly now?: Date | undefined;
}

const DEFAULT_TOLERANCE_SECONDS = 300;

/**
 * Returns the event in a webhook's request if it was signed with the secret, or with one of several, within the last five
 * minutes. A request that was already received verifies again: keep the header `webhook-id` to recognize it.
 *
 * @param body The body as it was received. A body that was parsed and serialized again has another signature.
 * @param secret `whsec_…`, as `webhooks.create` and `webhooks.rotateSecret` have returned it.
 * @throws KnowledgeBaseError `unauthorized` if a header is missing or malformed, the time is out of range, or no
 * signature is right; `invalid_input` for a malformed secret
 * @example
 * const event = verifyWebhook(request.headers, await request.text(), process.env.WEBHOOK_SECRET!);
 * if (event.type === "document.completed") console.log(event.data.id);
 */
export function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string | readonly string[],
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = new Date() }: VerifyWebhookOptions = {},
): WebhookEvent {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  checkTimestamp(timestamp, toleranceSeconds, now);
  const secrets = typeof secret === "string" ? [secret] : (secret ?? [""]);
  // A variable of the environment that isn't set is undefined, whatever its type says.
  const expected = secrets.map((one) => signWebhook({ id, timestamp, body }, one ?? ""));
  const given = signatures.split(" ");
  if (!expected.some((signature) => given.some((other) => isEqual(signature, other))))
    throw refusal("no signature in webhook-signature was made with the secret for this id, time and body");
  return JSON.parse(typeof body === "string" ? body : Buffer.from(body).toString("utf8")) as WebhookEvent;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === "function" ? headers.get(name) : (headers as Record<string, unknown>)[name];
  if (typeof value === "string" && value !== "") return value;
  throw refusal(`the header ${name} is missing, or given more than once`);
}

function checkTimestamp(timestamp: string, toleranceSeconds: number, now: Date): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw refusal("webhook-timestamp is not a number of seconds");
  const differenceSeconds = Math.abs(now.getTime() / 1000 - Number(timestamp));
  if (differenceSeconds <= toleranceSeconds) return;
  throw refusal(
    `webhook-timestamp is ${Math.round(differenceSeconds)} s from now, more than the tolerance of ${toleranceSeconds} s`,
  );
}

/** Compares in constant time. The text of a signature is compared, because several texts decode to the same bytes. */
function isEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function refusal(reason: string): KnowledgeBaseError {
  return new KnowledgeBaseError("unauthorized", `The webhook's request is refused: ${reason}.`);
}
