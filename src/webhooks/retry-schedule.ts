const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The waits after each failed attempt, as the Standard Webhooks specification suggests: three days and four hours. */
const WAITS_MS = [
  ...[5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS],
  ...[10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, 24 * HOUR_MS],
];
/** The share by which a wait may be shorter or longer, so that deliveries that failed together are spread. */
const JITTER = 0.2;
const MAX_ASKED_MS = 24 * HOUR_MS;

/**
 * Returns the wait before the next attempt, at least that which the receiver asks for, up to a day; `null` after the
 * tenth attempt, which is the last.
 *
 * @param failureCount Number of failed attempts so far, from 1.
 * @param random In [0, 1).
 * @param askedMs The wait that the receiver asks for.
 */
export function webhookRetryMs(failureCount: number, random: number, askedMs = 0): number | null {
  const waitMs = WAITS_MS[failureCount - 1];
  if (waitMs === undefined) return null;
  const spreadMs = Math.round(waitMs * (1 - JITTER + 2 * JITTER * random));
  return Math.max(spreadMs, Math.min(MAX_ASKED_MS, askedMs));
}
