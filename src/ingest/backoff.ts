import { KnowledgeBaseError } from "../errors.js";
import { backoffMs } from "../util/backoff.js";

const BACKOFF = { firstMs: 2000, maxMs: 15 * 60_000, jitter: 0.5 };
/** Some vendors ask to wait for a new quota at midnight, although it may be raised sooner. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;
/** Crawled sites may ask for longer waits than hosted services. */
const MAX_DEFERRED_RETRY_AFTER_MS = 24 * 60 * 60_000;

/**
 * The delay after `failures` failed attempts: 2ⁿ seconds up to 15 minutes, half of it random. At
 * least the service's Retry-After, up to an hour, or up to a day for a deferred error.
 *
 * @param random From 0 to below 1.
 */
export function retryDelayMs(failures: number, random: number, error?: unknown): number {
  const requestedMs = KnowledgeBaseError.is(error) ? (error.retryAfterMs ?? 0) : 0;
  const maxRequestedMs =
    KnowledgeBaseError.is(error) && error.deferred ? MAX_DEFERRED_RETRY_AFTER_MS : MAX_RETRY_AFTER_MS;
  return Math.max(backoffMs(failures, BACKOFF, random), Math.round(Math.min(maxRequestedMs, requestedMs)));
}
