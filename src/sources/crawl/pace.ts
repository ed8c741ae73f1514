import type { CrawlClock } from "./crawl-clock.js";
import { Lanes } from "./lanes.js";

/** Lets requests to one host start one after the other, with pauses between them. */
export class Pace {
  readonly #clock: CrawlClock;
  readonly #lanes = new Lanes(1);
  #next = 0;

  constructor(clock: CrawlClock) {
    this.#clock = clock;
  }

  /**
   * Waits until a request may start; the one after it may `delayMs` later. Rejects when the signal is aborted before, and takes nobody's
   * turn then.
   */
  turn(delayMs: number, signal?: AbortSignal): Promise<void> {
    return this.#lanes.run(async () => {
      signal?.throwIfAborted();
      for (let left = this.#left(); left > 0; left = this.#left()) await this.#clock.sleep(left, signal);
      this.#next = this.#clock.now() + delayMs;
    });
  }

  /** Lets no request start before so long. */
  postpone(ms: number): void {
    this.#next = Math.max(this.#next, this.#clock.now() + ms);
  }

  #left(): number {
    return this.#next - this.#clock.now();
  }
}
