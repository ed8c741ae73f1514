import { KnowledgeBaseError } from "../errors.js";
import { backoffMs } from "../util/backoff.js";

const STORAGE_FULL_DELAY_MS = 5000;
const BACKOFF = { firstMs: 2000, maxMs: 15 * 60_000, jitter: 0.5 };
/** Some vendors ask clients to wait for a new quota at midnight, although the quota may be raised sooner. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;
/** Crawled sites may ask for longer waits than hosted services. */
const MAX_DEFERRED_RETRY_AFTER_MS = 24 * 60 * 60_000;

/**
 * Returns the delay after n failed attempts: up to 2ⁿ seconds and at most 15 minutes, half of it random, but at least
 * the service's Retry-After, which is obeyed up to an hour, or up to a day for a deferred error. A full disk is looked at
 * again after five seconds, however often it was full.
 *
 * @param random A number from 0 to below 1.
 */
export function retryDelayMs(failureCount: number, random: number, error?: unknown): number {
  if (KnowledgeBaseError.is(error, "storage_full")) return STORAGE_FULL_DELAY_MS;
  const requestedMs = KnowledgeBaseError.is(error) ? (error.retryAfterMs ?? 0) : 0;
  const maxRequestedMs =
    KnowledgeBaseError.is(error) && error.deferred ? MAX_DEFERRED_RETRY_AFTER_MS : MAX_RETRY_AFTER_MS;
  return Math.max(backoffMs(failureCount, BACKOFF, random), Math.round(Math.min(maxRequestedMs, requestedMs)));
}
