import { KnowledgeBaseError } from "../errors.js";
import type { Clock } from "../util/clock.js";
import { Semaphore } from "../util/semaphore.js";
import { Refusals } from "./blocked-hosts.js";

/** No pause between two requests is longer than this: a site that asks for more is left alone, and nobody waits here. */
export const LONGEST_WAIT_MS = 30_000;
/** Who asks for more than a day is asked again after a day. */
const LONGEST_REST_MS = 24 * 60 * 60_000;
/** Refused addresses are remembered for as long after their site may be asked again. */
const MEMORY_MS = LONGEST_REST_MS;

export interface PaceOptions {
  readonly site: string;
  readonly clock: Clock;
  /** Requests at a time. */
  readonly concurrency: number;
}

/** Lets requests to one site start one after the other, with pauses between them, and a few be under way at a time. */
export class HostRateLimiter {
  readonly #options: PaceOptions;
  readonly #order = new Semaphore(1);
  readonly #places: Semaphore;
  readonly refusals = new Refusals();
  #next = 0;
  #users = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#places = new Semaphore(options.concurrency);
  }

  /**
   * Sends a request when it may start; the one after it may `delayMs` later. Its place is free as soon as it has ended, or calls `leave`.
   * Rejects when the signal is aborted before, and takes nobody's turn then.
   *
   * @throws KnowledgeBaseError `provider_failed`, retryable and `deferred`, where the site is to be left alone for more than 30 s
   */
  async run<Result>(
    delayMs: number,
    signal: AbortSignal | undefined,
    request: (leave: () => void) => Promise<Result>,
  ): Promise<Result> {
    using _ = this.use();
    const leave = await this.#places.acquire({ signal });
    try {
      await this.#order.run(() => this.#turn(delayMs, signal), { signal });
      return await request(leave);
    } finally {
      leave();
    }
  }

  /** Until it is disposed of, the pace is not forgotten: whoever means to send another request keeps to this one. */
  use(): Disposable {
    this.#users++;
    return { [Symbol.dispose]: () => void this.#users-- };
  }

  async #turn(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { clock } = this.#options;
    for (;;) {
      signal?.throwIfAborted();
      const next = this.#next;
      const left = next - clock.now();
      if (left > LONGEST_WAIT_MS) throw this.#deferred(left);
      if (left <= 0) break;
      await clock.sleep(left, signal);
      // Whoever has slept has waited, whatever a clock that stands still says; unless the site was postponed meanwhile.
      if (this.#next === next) break;
    }
    this.#next = clock.now() + delayMs;
  }

  /** Lets no request start before so long. */
  postpone(ms: number): void {
    this.#next = Math.max(this.#next, this.#options.clock.now() + ms);
  }

  /** Lets nobody ask before so long, and before a day at most. Returns what those who would are told. */
  leaveAlone(ms: number, cause?: unknown): KnowledgeBaseError {
    const bounded = Math.min(ms, LONGEST_REST_MS);
    this.postpone(bounded);
    return this.#deferred(bounded, cause);
  }

  /** Whether nothing is lost when it is forgotten. */
  get isIdle(): boolean {
    const memoryMs = this.refusals.isEmpty ? 0 : MEMORY_MS;
    return this.#users === 0 && this.#options.clock.now() >= this.#next + memoryMs;
  }

  #deferred(retryAfterMs: number, cause?: unknown): KnowledgeBaseError {
    const message = `${this.#options.site} asks to be left alone for ${Math.ceil(retryAfterMs / 1000)} s.`;
    return new KnowledgeBaseError("provider_failed", message, {
      retryable: true,
      deferred: true,
      retryAfterMs,
      vendorStatus: KnowledgeBaseError.is(cause) ? (cause.vendorStatus ?? undefined) : undefined,
      cause,
    });
  }
}
