import { type Clock, systemClock } from "../util/clock.js";
import { HostRateLimiter } from "./host-rate-limiter.js";
import { siteOf } from "./page-key.js";

/**
 * One rate limiter per host for all crawls together, so that several crawls of a site put no more load on it than one.
 */
export class HostRateLimiters {
  readonly #clock: Clock;
  readonly #limiters = new Map<string, HostRateLimiter>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  get(url: string): HostRateLimiter {
    const host = siteOf(new URL(url));
    const known = this.#limiters.get(host);
    if (known !== undefined) return known;
    // Evicting here suffices: the map only grows when a new host is added.
    for (const [other, limiter] of this.#limiters) if (limiter.isIdle) this.#limiters.delete(other);
    const limiter = new HostRateLimiter(host, this.#clock);
    this.#limiters.set(host, limiter);
    return limiter;
  }

  /** How many hosts are remembered. */
  get size(): number {
    return this.#limiters.size;
  }
}
