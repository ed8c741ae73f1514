import { type Clock, systemClock } from "../util/clock.js";
import { DEFAULT_CONCURRENCY } from "./crawl-options.js";
import { HostRateLimiter } from "./host-rate-limiter.js";
import { siteOf } from "./page-key.js";

export interface PacesOptions {
  readonly clock?: Clock;
  /** Requests to one site at a time. @default 4 */
  readonly concurrency?: number;
}

/** The pace of each site, for all crawls together: a site that several of them read hears no more of us than of one. */
export class HostRateLimiters {
  readonly #clock: Clock;
  readonly #concurrency: number;
  readonly #paces = new Map<string, HostRateLimiter>();

  constructor({ clock = systemClock, concurrency = DEFAULT_CONCURRENCY }: PacesOptions = {}) {
    this.#clock = clock;
    this.#concurrency = concurrency;
  }

  of(url: string): HostRateLimiter {
    const site = siteOf(new URL(url));
    const known = this.#paces.get(site);
    if (known !== undefined) return known;
    // New sites are rare, and without them nothing is added.
    for (const [other, pace] of this.#paces) if (pace.isIdle) this.#paces.delete(other);
    const pace = new HostRateLimiter({ site, clock: this.#clock, concurrency: this.#concurrency });
    this.#paces.set(site, pace);
    return pace;
  }

  /** How many sites are remembered. */
  get size(): number {
    return this.#paces.size;
  }
}
