import { KnowledgeBaseError } from "../errors.js";

const MAX_BACKOFF_MS = 15 * 60_000;
/** Some vendors ask to wait for a new quota at midnight, although it may be raised sooner. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;
/** Crawled sites may ask for longer waits than hosted services. */
const MAX_DEFERRED_RETRY_AFTER_MS = 24 * 60 * 60_000;

/**
 * The delay before the attempt that follows `attempt` failed ones: 2ⁿ seconds up to 15 minutes, half of it random, so
 * that jobs that failed together don't retry together. At least the service's Retry-After, up to an hour, or up to a day
 * for a deferred error.
 *
 * @param random From 0 to below 1.
 */
export function retryDelayMs(attempt: number, random: number, error?: unknown): number {
  const backoff = Math.min(MAX_BACKOFF_MS, 1000 * 2 ** Math.min(attempt, 30));
  const retryAfter = KnowledgeBaseError.is(error) ? (error.retryAfterMs ?? 0) : 0;
  const maxRetryAfter =
    KnowledgeBaseError.is(error) && error.deferred ? MAX_DEFERRED_RETRY_AFTER_MS : MAX_RETRY_AFTER_MS;
  return Math.round(Math.max(backoff / 2 + (backoff / 2) * random, Math.min(maxRetryAfter, retryAfter)));
}
