import { setImmediate } from "node:timers/promises";

/** Additions between yields: a few milliseconds of work. */
const SLICE_ADDITIONS = 2_000_000;

/** Keeps the event loop running during long sums on the caller's thread. */
export class EventLoopYielder {
  #additions = 0;

  /** Counts additions that were done. Yields to the event loop each time they reach a slice. */
  async yieldAfter(additions: number): Promise<void> {
    this.#additions += additions;
    if (this.#additions < SLICE_ADDITIONS) return;
    this.#additions = 0;
    await setImmediate();
  }
}
