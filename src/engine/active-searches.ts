import { setTimeout as sleep } from "node:timers/promises";
import type { CallOptions } from "../types.js";

/** Counts the searches that this process runs, so that background work lets them have the CPU first. */
export class ActiveSearches {
  #count = 0;
  readonly #waiting = new Set<() => void>();

  /** Runs a search, and counts it until it ends. */
  async run<Result>(search: () => Promise<Result>): Promise<Result> {
    this.#count++;
    try {
      return await search();
    } finally {
      this.#count--;
      if (this.#count === 0) for (const resume of this.#waiting) resume();
    }
  }

  /** Waits until no search runs, but no longer than `maxMs`. */
  async waitForNone(maxMs: number, { signal }: CallOptions): Promise<void> {
    if (this.#count === 0) return;
    let resume = () => {};
    const none = new Promise<void>((resolve) => {
      resume = resolve;
    });
    this.#waiting.add(resume);
    const ended = new AbortController();
    const stop = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
    try {
      await Promise.race([none, sleep(maxMs, undefined, { signal: stop, ref: false })]);
    } finally {
      ended.abort();
      this.#waiting.delete(resume);
    }
  }
}
