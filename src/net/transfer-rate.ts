/** Minimum transfer rate of a body. Times are in milliseconds and count only waiting for the sender. */
export interface MinimumRate {
  /** Initial time without a minimum. */
  readonly graceMs: number;
  /** After `graceMs`, each window of this length must average `bytesPerSecond`. */
  readonly windowMs: number;
  readonly bytesPerSecond: number;
  /** After this time, the body so far must average `averageBytesPerSecond`. */
  readonly averageAfterMs: number;
  readonly averageBytesPerSecond: number;
}

/**
 * The rate for pages and files of external servers: 1 KB/s over each 30 s, and 32 KB/s on average after two minutes. A
 * body that arrives at one byte per second fails after 40 s; a body of 200 MB may take the call's whole time limit.
 */
export const FILE_RATE: MinimumRate = {
  graceMs: 10_000,
  windowMs: 30_000,
  bytesPerSecond: 1024,
  averageAfterMs: 120_000,
  averageBytesPerSecond: 32 * 1024,
};

/** Measures the transfer rate of a body. */
export class TransferRateMonitor {
  readonly #rate: MinimumRate;
  #waitedMs = 0;
  #bytes = 0;
  #windowMs = 0;
  #windowBytes = 0;

  constructor(rate: MinimumRate) {
    this.#rate = rate;
  }

  /** Adds a chunk of the body and the wait for it. Returns the problem if the body is too slow, else `null`. */
  add(bytes: number, waitedMs: number): string | null {
    const { graceMs, windowMs, bytesPerSecond, averageAfterMs, averageBytesPerSecond } = this.#rate;
    const countedMs = Math.max(0, waitedMs - Math.max(0, graceMs - this.#waitedMs));
    this.#waitedMs += waitedMs;
    this.#bytes += bytes;
    if (this.#waitedMs >= averageAfterMs) {
      const problem = rateProblem(this.#bytes, this.#waitedMs, averageBytesPerSecond);
      if (problem !== null) return problem;
    }
    this.#windowMs += countedMs;
    this.#windowBytes += waitedMs === 0 ? bytes : (bytes * countedMs) / waitedMs;
    if (this.#windowMs < windowMs) return null;
    const problem = rateProblem(Math.round(this.#windowBytes), this.#windowMs, bytesPerSecond);
    this.#windowMs = 0;
    this.#windowBytes = 0;
    return problem;
  }
}

function rateProblem(bytes: number, waitedMs: number, bytesPerSecond: number): string | null {
  if (bytes * 1000 >= bytesPerSecond * waitedMs) return null;
  const seconds = Math.round(waitedMs / 1000);
  return `${bytes} bytes in ${seconds} s; the minimum is ${bytesPerSecond} bytes per second`;
}
