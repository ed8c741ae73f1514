import { setTimeout as sleep } from "node:timers/promises";

/** Where the guard of calls has its time and its chance from. */
export interface CallClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects when the signal is aborted before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to below 1. */
  random(): number;
}

export const systemClock: CallClock = {
  now: Date.now,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  random: Math.random,
};
