/** How slowly a body may come. Times are in milliseconds, and only those spent waiting for the sender count. */
export interface MinimumRate {
  /** Nothing is asked of the body before. */
  readonly graceMs: number;
  /** After that, each window of this length has to bring `bytesPerSecond` on average. */
  readonly windowMs: number;
  readonly bytesPerSecond: number;
  /** From here on, all of the body so far has to come at `lastingBytesPerSecond` on average. */
  readonly patienceMs: number;
  readonly lastingBytesPerSecond: number;
}

/**
 * For pages and files of somebody else's server: 1 KB/s over each 30 s, and 32 KB/s on average once two minutes have been waited. A sender
 * of a byte a second is given up after 40 s, and 200 MB may take up to whatever total time the call has.
 */
export const FILE_RATE: MinimumRate = {
  graceMs: 10_000,
  windowMs: 30_000,
  bytesPerSecond: 1024,
  patienceMs: 120_000,
  lastingBytesPerSecond: 32 * 1024,
};

/** Measures at what rate a body comes. */
export class BodyPace {
  readonly #rate: MinimumRate;
  #waitedMs = 0;
  #bytes = 0;
  #windowMs = 0;
  #windowBytes = 0;

  constructor(rate: MinimumRate) {
    this.#rate = rate;
  }

  /** Counts a piece of the body and the wait for it. Returns what is too slow about the body; null where nothing is. */
  add(bytes: number, waitedMs: number): string | null {
    const { graceMs, windowMs, bytesPerSecond, patienceMs, lastingBytesPerSecond } = this.#rate;
    const countedMs = Math.max(0, waitedMs - Math.max(0, graceMs - this.#waitedMs));
    this.#waitedMs += waitedMs;
    this.#bytes += bytes;
    if (this.#waitedMs >= patienceMs) {
      const problem = tooSlow(this.#bytes, this.#waitedMs, lastingBytesPerSecond);
      if (problem !== null) return problem;
    }
    this.#windowMs += countedMs;
    this.#windowBytes += waitedMs === 0 ? bytes : (bytes * countedMs) / waitedMs;
    if (this.#windowMs < windowMs) return null;
    const problem = tooSlow(Math.round(this.#windowBytes), this.#windowMs, bytesPerSecond);
    this.#windowMs = 0;
    this.#windowBytes = 0;
    return problem;
  }
}

function tooSlow(bytes: number, waitedMs: number, bytesPerSecond: number): string | null {
  if (bytes * 1000 >= bytesPerSecond * waitedMs) return null;
  const seconds = Math.round(waitedMs / 1000);
  return `${bytes} bytes came within ${seconds} s, and at least ${bytesPerSecond} bytes per second are required`;
}
