import { setTimeout as sleep } from "node:timers/promises";

/** The time and randomness that waits are made of, replaceable in tests. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects when the signal is aborted before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to below 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  random: Math.random,
};
