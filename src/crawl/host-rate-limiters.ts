import { type OpenSitePace, openMemorySitePace } from "../net/site-pace.js";
import { type Clock, systemClock } from "../util/clock.js";
import { HostRateLimiter } from "./host-rate-limiter.js";
import { siteOf } from "./page-key.js";

/** The rate limiters of all hosts. Crawls share them, so that several crawls of a site cause no more load than one. */
export class HostRateLimiters {
  readonly #clock: Clock;
  readonly #openPace: OpenSitePace;
  readonly #limiters = new Map<string, HostRateLimiter>();

  /** @param openPace Opens the pace of a site, which other processes may share */
  constructor(clock: Clock = systemClock, openPace: OpenSitePace = openMemorySitePace) {
    this.#clock = clock;
    this.#openPace = openPace;
  }

  get(url: string): HostRateLimiter {
    const host = siteOf(new URL(url));
    const known = this.#limiters.get(host);
    if (known !== undefined) return known;
    // Idle limiters are evicted only here, because the map grows only when a host is added.
    for (const [other, limiter] of this.#limiters) if (limiter.isIdle) this.#limiters.delete(other);
    const limiter = new HostRateLimiter(host, this.#clock, this.#openPace(host, this.#clock));
    this.#limiters.set(host, limiter);
    return limiter;
  }

  /** The number of hosts that have a limiter. */
  get size(): number {
    return this.#limiters.size;
  }
}
