const MAX_BACKOFF_MS = 20_000;
/** If a service asks for a longer wait, the call fails and its caller decides. */
export const MAX_RETRY_AFTER_MS = 30_000;

/**
 * Wait before the next attempt, after `attempt` failed ones: the service's Retry-After plus exponential backoff with
 * full jitter ("Exponential Backoff and Jitter", AWS Architecture Blog).
 *
 * @param random In [0, 1).
 */
export function retryWaitMs(
  attempt: number,
  { backoffMs, retryAfterMs, random }: { backoffMs: number; retryAfterMs: number | null; random: number },
): number {
  return Math.round((retryAfterMs ?? 0) + random * Math.min(MAX_BACKOFF_MS, backoffMs * 2 ** (attempt - 1)));
}
