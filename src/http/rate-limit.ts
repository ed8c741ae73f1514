import type { KnowledgeBase, Organization } from "../index.js";
import { HttpError } from "./errors.js";

const WINDOW_MS = 60_000;
/** The limits of the plans. An organization without a plan has no limit. */
const REQUESTS_PER_MINUTE = { free: 60, pro: 600 } as const;

/**
 * Counts a request of an organization against the limit of its plan. Returns headers for the response:
 * `X-RateLimit-Limit`, `-Remaining`, and `-Reset` in seconds since the epoch.
 * @throws HttpError 429 with `Retry-After` in seconds if the limit is reached
 */
export async function limitRequests(
  kb: Pick<KnowledgeBase, "countCall">,
  { id, plan }: Pick<Organization, "id" | "plan">,
): Promise<Readonly<Record<string, string>>> {
  if (plan === null) return {};
  const limit = REQUESTS_PER_MINUTE[plan];
  const { isAllowed, remaining, resetMs } = await kb.countCall({
    key: JSON.stringify(["request", id]),
    limit,
    windowMs: WINDOW_MS,
  });
  const headers = {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(Math.ceil((Date.now() + resetMs) / 1000)),
  };
  if (isAllowed) return headers;
  const seconds = Math.ceil(resetMs / 1000);
  throw new HttpError(429, `The plan ${plan} allows ${limit} requests a minute: try again in ${seconds} s.`, {
    headers: { ...headers, "retry-after": String(seconds) },
  });
}
