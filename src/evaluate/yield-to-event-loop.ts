import { setImmediate } from "node:timers/promises";

/** Additions between two pauses: some milliseconds of work. */
const SLICE = 2_000_000;

/** For long sums on the caller's thread: lets its event loop go on every few milliseconds. */
export class Breather {
  #done = 0;

  /** To be awaited after so many additions. */
  async after(additions: number): Promise<void> {
    this.#done += additions;
    if (this.#done < SLICE) return;
    this.#done = 0;
    await setImmediate();
  }
}
