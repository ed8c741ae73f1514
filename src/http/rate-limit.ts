import type { Organization } from "../types.js";
import { HttpError } from "./errors.js";

const WINDOW_MS = 60_000;
/** The limits of the plans. An organization without a plan has no limit. */
const REQUESTS_PER_MINUTE = { free: 60, pro: 600 } as const;

interface Window {
  readonly endsAt: number;
  count: number;
}

/**
 * Limits each organization's requests per minute. A minute starts with a request, and every process counts its own
 * requests.
 * @param clock Returns the milliseconds of a monotonic clock.
 */
export class RateLimiter {
  readonly #clock: () => number;
  readonly #windows = new Map<string, Window>();

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /**
   * Counts one request and returns headers for its response: `X-RateLimit-Limit`, `-Remaining`, and `-Reset` in seconds
   * since the epoch.
   * @throws HttpError 429 with `Retry-After` in seconds if the limit is reached
   */
  take({ id, plan }: Pick<Organization, "id" | "plan">): Readonly<Record<string, string>> {
    if (plan === null) return {};
    const limit = REQUESTS_PER_MINUTE[plan];
    const now = this.#clock();
    const window = this.#currentWindow(id, now);
    const isAllowed = window.count < limit;
    if (isAllowed) window.count++;
    const remainingMs = window.endsAt - now;
    const headers = {
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(limit - window.count),
      "x-ratelimit-reset": String(Math.ceil((Date.now() + remainingMs) / 1000)),
    };
    if (isAllowed) return headers;
    const seconds = Math.ceil(remainingMs / 1000);
    throw new HttpError(429, `The plan ${plan} allows ${limit} requests a minute: try again in ${seconds} s.`, {
      headers: { ...headers, "retry-after": String(seconds) },
    });
  }

  #currentWindow(id: string, now: number): Window {
    const current = this.#windows.get(id);
    if (current && now < current.endsAt) return current;
    const window = { endsAt: now + WINDOW_MS, count: 0 };
    this.#windows.set(id, window);
    return window;
  }
}
