import { setImmediate } from "node:timers/promises";

/** The number of summed numbers between two yields: a few milliseconds of work. */
const ADDITIONS_PER_SLICE = 2_000_000;

/** Keeps the event loop running during long sums on the caller's thread. */
export class EventLoopYielder {
  #additionCount = 0;

  /** Counts `additionCount` finished additions, and yields to the event loop after each slice of them. */
  async yieldAfter(additionCount: number): Promise<void> {
    this.#additionCount += additionCount;
    if (this.#additionCount < ADDITIONS_PER_SLICE) return;
    this.#additionCount = 0;
    await setImmediate();
  }
}
