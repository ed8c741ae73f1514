import { type Clock, systemClock } from "../util/clock.js";
import { DEFAULT_CONCURRENCY } from "./crawl-options.js";
import { HostRateLimiter } from "./host-rate-limiter.js";
import { siteOf } from "./page-key.js";

export interface HostRateLimitersOptions {
  readonly clock?: Clock;
  /** Concurrent requests to one host. @default 4 */
  readonly concurrency?: number;
}

/**
 * One rate limiter per host for all crawls together, so that several crawls of a site put no more load on it than one.
 */
export class HostRateLimiters {
  readonly #clock: Clock;
  readonly #concurrency: number;
  readonly #limiters = new Map<string, HostRateLimiter>();

  constructor({ clock = systemClock, concurrency = DEFAULT_CONCURRENCY }: HostRateLimitersOptions = {}) {
    this.#clock = clock;
    this.#concurrency = concurrency;
  }

  get(url: string): HostRateLimiter {
    const host = siteOf(new URL(url));
    const known = this.#limiters.get(host);
    if (known !== undefined) return known;
    // Evicting here suffices: the map only grows when a new host is added.
    for (const [other, limiter] of this.#limiters) if (limiter.isIdle) this.#limiters.delete(other);
    const limiter = new HostRateLimiter({ host, clock: this.#clock, concurrency: this.#concurrency });
    this.#limiters.set(host, limiter);
    return limiter;
  }

  /** How many hosts are remembered. */
  get size(): number {
    return this.#limiters.size;
  }
}
