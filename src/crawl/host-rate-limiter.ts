import { KnowledgeBaseError } from "../errors.js";
import type { SitePace } from "../net/site-pace.js";
import type { Clock } from "../util/clock.js";
import { Semaphore } from "../util/semaphore.js";
import { BlockedUrls } from "./blocked-urls.js";
import { MAX_CONCURRENT_REQUESTS } from "./crawl-options.js";

/** The longest wait before a request. A host that asks for a longer wait is blocked instead. */
export const MAX_WAIT_MS = 30_000;
const MAX_BLOCK_MS = 24 * 60 * 60_000;
/** How long blocked URLs are remembered after the host may be contacted again. */
const BLOCK_HISTORY_MS = MAX_BLOCK_MS;

/**
 * Spaces the requests to one host, and bounds how many run concurrently. The pace is that of all processes which share
 * it; what is remembered of blocked URLs is this process's.
 */
export class HostRateLimiter {
  readonly #host: string;
  readonly #clock: Clock;
  readonly #pace: SitePace;
  readonly #startMutex = new Semaphore(1);
  readonly #slots = new Semaphore(MAX_CONCURRENT_REQUESTS);
  readonly blockedUrls = new BlockedUrls();
  /** Until when, as far as this process knows, no request may start. */
  #heldUntil = 0;
  #userCount = 0;

  constructor(host: string, clock: Clock, pace: SitePace) {
    this.#host = host;
    this.#clock = clock;
    this.#pace = pace;
  }

  /**
   * Runs a request as soon as it may start. The next request starts at least `delayMs` (the site's crawl delay, see
   * `robots-txt.ts`) later. The request may call `release` to free its slot before it ends. Rejects if the signal is
   * aborted before the start; the next request then starts instead.
   *
   * @throws KnowledgeBaseError `provider_failed`, retryable and `deferred`, if the host must not be contacted for more
   * than 30 s
   */
  async run<Result>(
    delayMs: number,
    signal: AbortSignal | undefined,
    request: (release: () => void) => Promise<Result>,
  ): Promise<Result> {
    using _ = this.retain();
    const releaseOwn = await this.#slots.acquire({ signal });
    const releaseShared = await this.#pace.takeSlot(signal).catch((error) => {
      releaseOwn();
      throw error;
    });
    const release = () => {
      releaseShared();
      releaseOwn();
    };
    try {
      await this.#startMutex.run(() => this.#waitForStart(delayMs, signal), { signal });
      return await request(release);
    } finally {
      release();
    }
  }

  /** Keeps the limiter from being evicted until the returned value is disposed, so that all requests share it. */
  retain(): Disposable {
    this.#userCount++;
    return { [Symbol.dispose]: () => void this.#userCount-- };
  }

  async #waitForStart(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    for (let waitedFor: number | null = null; ; ) {
      signal?.throwIfAborted();
      const wait = await this.#pace.reserveStart(delayMs, waitedFor);
      if (!wait) break;
      if (wait.waitMs > MAX_WAIT_MS) throw this.#deferredError(wait.waitMs);
      await this.#clock.sleep(wait.waitMs, signal);
      waitedFor = wait.startAt;
    }
    this.#holdUntil(this.#clock.now() + delayMs);
  }

  /** Delays the start of the next request. */
  async delayNext(ms: number): Promise<void> {
    this.#holdUntil(this.#clock.now() + ms);
    await this.#pace.postpone(ms);
  }

  /** Blocks all requests for up to a day. Returns the error with which they fail during that time. */
  async block(ms: number, cause?: unknown): Promise<KnowledgeBaseError> {
    const boundedMs = Math.min(ms, MAX_BLOCK_MS);
    await this.delayNext(boundedMs);
    return this.#deferredError(boundedMs, cause);
  }

  #holdUntil(time: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, time);
  }

  /** Whether the limiter is unused and has nothing to remember, so that it can be evicted. */
  get isIdle(): boolean {
    const historyMs = this.blockedUrls.isEmpty ? 0 : BLOCK_HISTORY_MS;
    return this.#userCount === 0 && this.#clock.now() >= this.#heldUntil + historyMs;
  }

  #deferredError(retryAfterMs: number, cause?: unknown): KnowledgeBaseError {
    const message = `${this.#host} asks clients to wait ${Math.ceil(retryAfterMs / 1000)} s (Retry-After).`;
    return new KnowledgeBaseError("provider_failed", message, {
      retryable: true,
      deferred: true,
      retryAfterMs,
      httpStatus: KnowledgeBaseError.is(cause) ? (cause.httpStatus ?? undefined) : undefined,
      cause,
    });
  }
}
