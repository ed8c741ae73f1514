const LONGEST_MS = 15 * 60_000;

/**
 * How long to wait before an attempt that follows `attempt` failed ones: 2ⁿ seconds up to 15 minutes, of which half is chance, so
 * that what failed together doesn't come back together.
 *
 * @param random From 0 to below 1.
 */
export function retryDelayMs(attempt: number, random: number): number {
  const longest = Math.min(LONGEST_MS, 1000 * 2 ** Math.min(attempt, 30));
  return Math.round(longest / 2 + (longest / 2) * random);
}
