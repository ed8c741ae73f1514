import type { Clock } from "../util/clock.js";

/** When the next request to one site may start, and how many may run, over all processes that share the database. */
export interface SitePace {
  /**
   * Waits until fewer than four requests of all processes run that came before, and returns what ends the request. The
   * caller bounds the requests of its own process.
   */
  takeSlot(signal: AbortSignal | undefined): Promise<() => void>;
  /**
   * Reserves the start of a request, if it may start now: the next one starts at least `delayMs` later. Otherwise
   * returns for when it must wait. After that wait, the caller passes the time as `waitedFor`.
   */
  reserveStart(delayMs: number, waitedFor: number | null): Promise<StartWait | null>;
  /** Delays the start of the next request. */
  postpone(ms: number): Promise<void>;
}

export interface StartWait {
  /** When the next request may start, in milliseconds since the epoch. */
  readonly startAt: number;
  /** The time until then. */
  readonly waitMs: number;
}

/** Opens the pace of a site. `clock` is the caller's, for waits. */
export type OpenSitePace = (site: string, clock: Clock) => SitePace;

/** The pace of a site whose requests all come from this process. */
export const openMemorySitePace: OpenSitePace = (_, clock) => {
  let nextStart = 0;
  return {
    takeSlot: async () => () => {},
    async reserveStart(delayMs, waitedFor) {
      const now = clock.now();
      // The wait has ended even if the clock stands still, unless the start was postponed in the meantime.
      if (nextStart > now && nextStart !== waitedFor) return { startAt: nextStart, waitMs: nextStart - now };
      nextStart = now + delayMs;
      return null;
    },
    async postpone(ms) {
      nextStart = Math.max(nextStart, clock.now() + ms);
    },
  };
};
