import { KnowledgeBaseError } from "../errors.js";
import { backoffMs } from "../util/backoff.js";

/** Attempts for one file that fail for temporary reasons, unless its job has fewer. */
const MAX_ATTEMPTS = 4;
/** No third or later attempt starts after this time. */
const MAX_RETRY_MS = 5 * 60_000;
const BACKOFF = { firstMs: 5000, factor: 4, jitter: 0.5 };
/** A file whose origin is blocked fails this long after its first attempt. */
const MAX_DEFERRED_MS = 10 * 60_000;
/** A longer `Retry-After` is reduced to this. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;
/** Failures of further files count as attempts of their jobs. */
const MAX_FILES = 10_000;
/** A file that is not retried for this long after its wait is forgotten: its job has ended. */
const EXPIRY_MS = 60 * 60_000;

interface FailedAttempts {
  readonly count: number;
  /** Start of the first attempt. */
  readonly since: number;
}

interface PendingRetry extends FailedAttempts {
  readonly notBefore: number;
  readonly error: KnowledgeBaseError;
}

/**
 * The delay before a failed fetch is retried: 5, 20 and 80 s, half of it random. `null` if the file has failed: after
 * the last attempt, or after the second or third if five minutes have passed.
 *
 * @param failed The attempts so far, including the last one.
 * @param random From 0 to below 1.
 */
export function nextAttemptDelayMs(
  { count, since }: FailedAttempts,
  now: number,
  random: number,
  maxAttempts = MAX_ATTEMPTS,
): number | null {
  if (count >= maxAttempts || (count >= 2 && now - since >= MAX_RETRY_MS)) return null;
  return backoffMs(count, BACKOFF, random);
}

/**
 * Counts the failed fetches of this process per file, and delays the next attempt. Otherwise a file would get as many
 * attempts as its job, with growing delays: hours if each takes minutes. A restart resets the counts.
 */
export class FetchRetries {
  /** By document, or by job during discovery; the oldest failure first. */
  readonly #failed = new Map<string, PendingRetry>();
  readonly #maxAttempts: number;

  /** @param attempts The attempts of a job, which also bound those of a file */
  constructor(attempts = MAX_ATTEMPTS) {
    this.#maxAttempts = Math.min(attempts, MAX_ATTEMPTS);
  }

  recordSuccess(id: string): void {
    this.#failed.delete(id);
  }

  /** The error of a file that must not be retried yet, with the remaining wait; `null` if it may be. */
  retryLaterError(id: string, now: number): KnowledgeBaseError | null {
    const file = this.#failed.get(id);
    return file === undefined || now >= file.notBefore ? null : withWait(file.error, file.notBefore - now);
  }

  /**
   * Counts a failure, and returns the error with which the document or job ends or waits. A request blocked by an open
   * circuit doesn't count as an attempt.
   *
   * @param startedAt Start of the attempt.
   */
  recordFailure(id: string, error: unknown, { startedAt, now }: { startedAt: number; now: number }): unknown {
    const previous = this.#failed.get(id);
    // An abort or a full disk says nothing about the server.
    if (!KnowledgeBaseError.is(error) || (error.retryable && error.code !== "provider_failed")) return error;
    this.#failed.delete(id);
    if (!error.retryable) return error;
    const since = previous?.since ?? startedAt;
    const count = (previous?.count ?? 0) + (error.deferred ? 0 : 1);
    const requestedMs = Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
    if (error.deferred) {
      if (now - since >= MAX_DEFERRED_MS) return giveUpError(`${Math.round((now - since) / 60_000)} minutes`, error);
      return this.#delay(id, { count, since, notBefore: now + requestedMs, error }, now);
    }
    const delayMs = nextAttemptDelayMs({ count, since }, now, Math.random(), this.#maxAttempts);
    if (delayMs === null) return giveUpError(count === 1 ? "1 attempt" : `${count} attempts`, error);
    return this.#delay(id, { count, since, notBefore: now + Math.max(delayMs, requestedMs), error }, now);
  }

  #delay(id: string, file: PendingRetry, now: number): KnowledgeBaseError {
    const [oldest] = this.#failed;
    if (oldest && now - oldest[1].notBefore >= EXPIRY_MS) this.#failed.delete(oldest[0]);
    if (this.#failed.size < MAX_FILES) this.#failed.set(id, file);
    return withWait(file.error, file.notBefore - now);
  }
}

function withWait(error: KnowledgeBaseError, retryAfterMs: number): KnowledgeBaseError {
  const { code, message, deferred } = error;
  const options = { cause: error, retryable: true, retryAfterMs, deferred, ...statusOf(error) };
  return new KnowledgeBaseError(code, message, options);
}

function giveUpError(after: string, error: KnowledgeBaseError): KnowledgeBaseError {
  const message = `Gave up after ${after}: ${error.message}`;
  return new KnowledgeBaseError(error.code, message, { cause: error, ...statusOf(error) });
}

function statusOf({ httpStatus }: KnowledgeBaseError): { httpStatus?: number } {
  return httpStatus === null ? {} : { httpStatus };
}
