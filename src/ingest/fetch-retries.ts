import { KnowledgeBaseError } from "../errors.js";
import { backoffMs } from "../util/backoff.js";

/** The number of attempts for a file that fails for temporary reasons, unless its job has fewer. */
const MAX_ATTEMPTS = 4;
/** No third or later attempt starts if the first attempt was this long ago. */
const MAX_RETRY_MS = 5 * 60_000;
const BACKOFF = { firstMs: 5000, factor: 4, jitter: 0.5 };
/** A file whose origin is blocked fails if its first attempt was this long ago. */
const MAX_DEFERRED_MS = 10 * 60_000;
/** A longer `Retry-After` is reduced to this value. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;
/** The number of files whose failures are counted. Failures of any further files count as attempts of their jobs. */
const MAX_FILES = 10_000;
/** A file that was not retried within this time after its wait is forgotten, because its job has ended. */
const EXPIRY_MS = 60 * 60_000;

interface FailedAttempts {
  readonly count: number;
  /** When the first attempt started. */
  readonly since: number;
}

interface PendingRetry extends FailedAttempts {
  readonly notBefore: number;
  /** How long the file was to wait. */
  readonly delayMs: number;
  readonly error: KnowledgeBaseError;
}

/**
 * Returns the delay before a failed fetch is retried: up to 5, 20 and 80 s, half of it random. Returns `null` if the
 * file has failed: after the last attempt, or after the second or third if five minutes have passed since the first
 * started.
 *
 * @param failed The attempts so far, including the last one.
 * @param random A number from 0 to below 1.
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
 * Counts this process's failed fetches per file, and delays the next attempt. Otherwise a file would get as many
 * attempts as its job, with growing delays, which can take hours if each attempt takes minutes. A restart resets the
 * counts.
 */
export class FetchRetries {
  /** By document id, or by job id during discovery; the oldest failure first. */
  readonly #failed = new Map<string, PendingRetry>();
  readonly #maxAttempts: number;

  /** @param jobAttempts The maximum number of attempts of a job, which also limits those of a file */
  constructor(jobAttempts = MAX_ATTEMPTS) {
    this.#maxAttempts = Math.min(jobAttempts, MAX_ATTEMPTS);
  }

  recordSuccess(id: string): void {
    this.#failed.delete(id);
  }

  /** Returns the error of a file that must not be retried yet, with the remaining wait; `null` if it may be retried. */
  retryLaterError(id: string, now: number): KnowledgeBaseError | null {
    const file = this.#failed.get(id);
    if (file === undefined || now >= file.notBefore) return null;
    // Longer than the wait itself: the clock was set back.
    if (file.notBefore - now > file.delayMs) this.#failed.set(id, { ...file, notBefore: now + file.delayMs });
    return withWait(file.error, Math.min(file.notBefore - now, file.delayMs));
  }

  /**
   * Counts a failure, and returns the error with which the document or job ends or waits. A request blocked by an open
   * circuit doesn't count as an attempt.
   *
   * @param startedAt When the attempt started.
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
      return this.#delay(id, { count, since, delayMs: requestedMs, error }, now);
    }
    const delayMs = nextAttemptDelayMs({ count, since }, now, Math.random(), this.#maxAttempts);
    if (delayMs === null) return giveUpError(count === 1 ? "1 attempt" : `${count} attempts`, error);
    return this.#delay(id, { count, since, delayMs: Math.max(delayMs, requestedMs), error }, now);
  }

  #delay(id: string, file: Omit<PendingRetry, "notBefore">, now: number): KnowledgeBaseError {
    const [oldest] = this.#failed;
    if (oldest && now - oldest[1].notBefore >= EXPIRY_MS) this.#failed.delete(oldest[0]);
    if (this.#failed.size < MAX_FILES) this.#failed.set(id, { ...file, notBefore: now + file.delayMs });
    return withWait(file.error, file.delayMs);
  }
}

function withWait(error: KnowledgeBaseError, retryAfterMs: number): KnowledgeBaseError {
  const { code, message, deferred } = error;
  const options = { cause: error, retryable: true, retryAfterMs, deferred, ...statusOf(error) };
  return new KnowledgeBaseError(code, message, options);
}

function giveUpError(effort: string, error: KnowledgeBaseError): KnowledgeBaseError {
  const message = `Gave up after ${effort}: ${error.message}`;
  return new KnowledgeBaseError(error.code, message, { cause: error, ...statusOf(error) });
}

function statusOf({ httpStatus }: KnowledgeBaseError): { httpStatus?: number } {
  return httpStatus === null ? {} : { httpStatus };
}
