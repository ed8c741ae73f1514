import { KnowledgeBaseError } from "../errors.js";

const LONGEST_MS = 15 * 60_000;
/** Some vendors ask for a day where a new quota is given at midnight; it may be raised sooner. */
const LONGEST_ASKED_MS = 60 * 60_000;
/** Sites that are crawled may ask for more, and are asked again after a day. */
const LONGEST_LEFT_ALONE_MS = 24 * 60 * 60_000;

/**
 * How long to wait before an attempt that follows `attempt` failed ones: 2ⁿ seconds up to 15 minutes, of which half is chance, so
 * that what failed together doesn't come back together.
 * What a hosted service asked to wait is waited for, too, up to an hour; what is left alone is so up to a day.
 *
 * @param random From 0 to below 1.
 */
export function retryDelayMs(attempt: number, random: number, error?: unknown): number {
  const longest = Math.min(LONGEST_MS, 1000 * 2 ** Math.min(attempt, 30));
  const asked = KnowledgeBaseError.is(error) ? (error.retryAfterMs ?? 0) : 0;
  const longestAsked = KnowledgeBaseError.is(error) && error.deferred ? LONGEST_LEFT_ALONE_MS : LONGEST_ASKED_MS;
  return Math.round(Math.max(longest / 2 + (longest / 2) * random, Math.min(longestAsked, asked)));
}
