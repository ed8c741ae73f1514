export interface Backoff {
  /** The longest wait after the first failure. */
  readonly firstMs: number;
  /** Multiplies the longest wait after each further failure. @default 2 */
  readonly factor?: number;
  /** @default none */
  readonly maxMs?: number;
  /** The random share of a wait, so that calls that failed together retry at different times; 1 is "full jitter". */
  readonly jitter: number;
}

/**
 * Returns the wait before the next attempt, in milliseconds: exponential backoff with jitter ("Exponential Backoff and
 * Jitter", AWS Architecture Blog).
 *
 * @param failureCount Number of failed attempts so far, from 1.
 * @param random In [0, 1).
 */
export function backoffMs(
  failureCount: number,
  { firstMs, factor = 2, maxMs = Number.POSITIVE_INFINITY, jitter }: Backoff,
  random: number,
): number {
  const longestMs = Math.min(maxMs, firstMs * factor ** (failureCount - 1));
  return Math.round(longestMs * (1 - jitter + jitter * random));
}
