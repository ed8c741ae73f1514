import { setImmediate } from "node:timers/promises";

/** The number of additions between two yields: a few milliseconds of work. */
const ADDITIONS_PER_SLICE = 2_000_000;

/** Keeps the event loop running during long sums on the caller's thread. */
export class EventLoopYielder {
  #additions = 0;

  /** Counts finished additions and yields to the event loop after each slice of them. */
  async yieldAfter(additions: number): Promise<void> {
    this.#additions += additions;
    if (this.#additions < ADDITIONS_PER_SLICE) return;
    this.#additions = 0;
    await setImmediate();
  }
}
