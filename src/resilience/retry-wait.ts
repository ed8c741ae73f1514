const LONGEST_BACKOFF_MS = 20_000;
/** A service that asks for a longer wait is not waited for: whoever called decides. */
export const LONGEST_WAIT_MS = 30_000;

/**
 * How long to wait before the attempt that follows `attempt` failed ones: chance between nothing and `backoffMs` doubled with each
 * (full jitter, as in "Exponential Backoff and Jitter" of the AWS Architecture Blog), on top of what the service asked for.
 *
 * @param random From 0 to below 1.
 */
export function retryWaitMs(
  attempt: number,
  { backoffMs, retryAfterMs, random }: { backoffMs: number; retryAfterMs: number | null; random: number },
): number {
  return Math.round((retryAfterMs ?? 0) + random * Math.min(LONGEST_BACKOFF_MS, backoffMs * 2 ** (attempt - 1)));
}
