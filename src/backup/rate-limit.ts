import { setTimeout } from "node:timers/promises";
import type { CallOptions } from "../types.js";

/** Passes bytes on at a limited rate, counted over everything that passes. */
export class RateLimit {
  readonly #bytesPerSecond: number;
  /** When the bytes so far may have passed, as `performance.now()` counts. */
  #dueAt = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  async *pass(body: AsyncIterable<Uint8Array>, { signal }: CallOptions): AsyncGenerator<Uint8Array> {
    for await (const bytes of body) {
      signal?.throwIfAborted();
      const now = performance.now();
      this.#dueAt = Math.max(this.#dueAt, now) + (bytes.length / this.#bytesPerSecond) * 1000;
      // Short waits add up instead, since timers are not that exact.
      if (this.#dueAt - now > 10) await setTimeout(this.#dueAt - now, undefined, { signal });
      yield bytes;
    }
  }
}
