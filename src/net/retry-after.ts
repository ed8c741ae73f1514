import type { KnowledgeBaseErrorOptions } from "../errors.js";

/**
 * Statuses of web servers after which a retry may succeed (RFC 9110, section 15; RFC 6585 for 429; RFC 8470 for 425).
 */
const RETRYABLE_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Returns the options of the error for a web server's response: its status, and whether and when to retry. */
export function responseErrorOptions({ status, headers }: Response): KnowledgeBaseErrorOptions {
  const retryable = RETRYABLE_STATUSES.has(status);
  const waitMs = retryable ? retryAfterMs(Object.fromEntries(headers), Date.now()) : undefined;
  return { retryable, httpStatus: status, retryAfterMs: waitMs };
}

/**
 * Returns the wait that a response asks for, in milliseconds: `retry-after-ms` (some vendors), else `Retry-After` in
 * seconds or as a date (RFC 9110, section 10.2.3); `undefined` if neither is valid.
 *
 * @param headers Headers by lower-case name.
 */
export function retryAfterMs(headers: Readonly<Record<string, string | undefined>>, now: number): number | undefined {
  const ms = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const retryAfter = headers["retry-after"];
  if (retryAfter === undefined) return undefined;
  const seconds = Number(retryAfter);
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter) - now;
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}
