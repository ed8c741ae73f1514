import type { CrawlClock } from "./crawl-clock.js";

/** Lets requests to one host start with a pause between them. */
export class Pace {
  readonly #clock: CrawlClock;
  #next = 0;

  constructor(clock: CrawlClock) {
    this.#clock = clock;
  }

  /** Waits until a request may start, `delayMs` after the one before. Rejects when the signal is aborted before. */
  async turn(delayMs: number, signal?: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const start = Math.max(now, this.#next);
    this.#next = start + delayMs;
    if (start > now) await this.#clock.sleep(start - now, signal);
  }
}
