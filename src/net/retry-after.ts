import type { KnowledgeBaseErrorOptions } from "../errors.js";

/** RFC 9110, section 15; RFC 6585 for 429; RFC 8470 for 425. */
const RETRYABLE_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The options of the error for a web server's response. */
export function responseErrorOptions({ status, headers }: Response): KnowledgeBaseErrorOptions {
  const retryable = RETRYABLE_STATUSES.has(status);
  const waitMs = retryable ? retryAfterMs(Object.fromEntries(headers), Date.now()) : undefined;
  return { retryable, httpStatus: status, retryAfterMs: waitMs };
}

/**
 * The requested wait in milliseconds: `retry-after-ms` (some vendors), else `Retry-After` in seconds or as a date (RFC
 * 9110, section 10.2.3). `undefined` without a valid one.
 *
 * @param headers By lower-case names.
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
