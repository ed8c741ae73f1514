import { getErrorMessage } from "../errors.js";
import type { GuardedFetch } from "../net/guarded-fetch.js";
import { retryAfterMs } from "../net/retry-after.js";
import type { AttemptOutcome, DueDelivery } from "../storage/records/webhook-deliveries.js";
import { packageVersion } from "../util/package-version.js";
import { webhookRetryMs } from "./retry-schedule.js";
import { signWebhook } from "./sign.js";

/** The receiver must answer within this time. Its body isn't read. */
const TIMEOUT_MS = 15_000;
const LIMITS = { headersMs: TIMEOUT_MS, totalMs: TIMEOUT_MS };
/** With this status, a receiver says that it wants no more requests. */
const GONE = 410;

/** A webhook with its secrets, which all sign. */
export interface Receiver {
  readonly url: string;
  readonly secrets: readonly string[];
}

/** The outcome of an attempt, and whether the receiver wants no more requests. */
export interface SendOutcome extends AttemptOutcome {
  readonly isGone: boolean;
}

/** Sends a delivery once. Rejects only if the signal is aborted. */
export async function sendDelivery(
  delivery: DueDelivery,
  { url, secrets }: Receiver,
  { fetch, now, signal }: { readonly fetch: GuardedFetch; readonly now: number; readonly signal: AbortSignal },
): Promise<SendOutcome> {
  const { id, body, seq, subject } = delivery;
  const timestamp = String(Math.floor(now / 1000));
  const headers = {
    "content-type": "application/json",
    "user-agent": `Lorebase/${packageVersion()}`,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => signWebhook({ id, timestamp, body }, secret)).join(" "),
  };
  const answer = await post(fetch, url, { body, headers, signal }, now);
  const { httpStatus, error } = answer;
  const isGone = httpStatus === GONE;
  if (error === null) return { seq, subject, status: "DELIVERED", delayMs: 0, httpStatus, error, isGone };
  const delayMs = isGone ? null : webhookRetryMs(delivery.attempts + 1, Math.random(), answer.waitMs);
  const status = delayMs === null ? "DEAD" : "PENDING";
  return { seq, subject, status, delayMs: delayMs ?? 0, httpStatus, error, isGone };
}

interface Answer {
  readonly httpStatus: number | null;
  /** The wait that the receiver asks for, in milliseconds. */
  readonly waitMs?: number | undefined;
  /** `null` if the receiver has accepted the delivery. */
  readonly error: string | null;
}

async function post(
  fetch: GuardedFetch,
  url: string,
  init: Pick<RequestInit, "body" | "headers"> & { readonly signal: AbortSignal },
  now: number,
): Promise<Answer> {
  try {
    const response = await fetch(url, { method: "POST", redirect: "manual", limits: LIMITS, ...init });
    await response.body?.cancel();
    const { status: httpStatus, ok, headers } = response;
    if (ok) return { httpStatus, error: null };
    const error = `The receiver answered with the status ${httpStatus}.`;
    return { httpStatus, waitMs: retryAfterMs(Object.fromEntries(headers), now), error };
  } catch (error) {
    init.signal.throwIfAborted();
    return { httpStatus: null, error: getErrorMessage(error) };
  }
}
