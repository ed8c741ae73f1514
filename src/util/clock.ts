import { setTimeout as sleep } from "node:timers/promises";

/** Time and randomness, replaceable in tests. */
export interface Clock {
  /** Returns the milliseconds since 1970. */
  now(): number;
  /** Waits. Rejects if the signal is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Returns a number in [0, 1). */
  random(): number;
}

export const systemClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  random: Math.random,
};
