import { KnowledgeBaseError } from "../errors.js";
import type { GuardedFetch } from "../net/guarded-fetch.js";
import { retryAfterMs } from "../net/retry-after.js";
import { FILE_RATE } from "../net/transfer-rate.js";
import { backoffMs } from "../util/backoff.js";
import type { Clock } from "../util/clock.js";
import { packageVersion } from "../util/package-version.js";
import type { CrawlLimits } from "./crawl-limits.js";
import { MAX_WAIT_MS } from "./host-rate-limiter.js";
import type { HostRateLimiters } from "./host-rate-limiters.js";
import { siteOf } from "./page-key.js";

const MAX_ATTEMPTS = 3;
/** Waits about 1 s, then about 2 s. */
const BACKOFF = { firstMs: 1500, jitter: 2 / 3 };
/** Includes the wait for a large-file slot. The crawl's own limits for headers and body are much lower. */
const MAX_CALL_MS = 60 * 60_000;

/** Status codes after which the same request may soon succeed. */
const RETRYABLE_STATUSES = new Set([408, 429, 502, 503, 504]);

export interface SiteClientOptions {
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly limits: CrawlLimits;
  /** Shared by all crawls that may reach the same hosts. */
  readonly rateLimiters: HostRateLimiters;
  /** The only origin that receives `headers`. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface CrawlSignals {
  /** Stops a request at once. */
  readonly signal: AbortSignal;
  /** Stops waits between requests, but no request in flight. Must also be aborted if `signal` is. */
  readonly waitSignal: AbortSignal;
}

export interface CrawlRequest extends CrawlSignals {
  /** Minimum time between this request and the next one to the same host. @default 0 */
  readonly delayMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly followRedirects?: boolean;
  /**
   * Whether a response proves that the site serves pages. Sites that block the crawler often still serve robots.txt and
   * sitemaps.
   * @default false
   */
  readonly isPage?: boolean;
  readonly maxBytes: number;
}

/** Sends the requests of one crawl, with rate limits, retries and the crawler's user agent. */
export class SiteClient {
  readonly #options: SiteClientOptions;
  readonly #userAgent = `Lorebase/${packageVersion()}`;

  constructor(options: SiteClientOptions) {
    this.#options = options;
  }

  /**
   * Sends a request and reads the response. Tries up to three times if the status is 408, 429, 502, 503 or 504, or the
   * connection breaks. Waits between attempts as long as `Retry-After` says, or about 1 s and 2 s. `read` may call
   * `release` once it needs nothing more from the site, so that the next request may start.
   *
   * @throws KnowledgeBaseError the error of the last attempt; `retryable` if a later attempt may succeed, and
   * `deferred` if the site asked for a wait of more than 30 s: no crawl sends the site a request for `retryAfterMs`
   */
  async send<Result>(
    url: string,
    request: CrawlRequest,
    read: (response: Response, release: () => void) => Promise<Result>,
  ): Promise<Result> {
    const { clock, rateLimiters } = this.#options;
    const { signal, waitSignal } = request;
    const limiter = rateLimiters.get(url);
    using _ = limiter.retain();
    for (let attempt = 1; ; attempt++) {
      try {
        const { blockCount } = limiter.blockedUrls;
        return await limiter.run(request.delayMs ?? 0, waitSignal, (release) =>
          this.#attempt(url, request, async (response) => {
            if (request.isPage && response.status < 500) limiter.blockedUrls.recordServed(url, blockCount);
            return read(response, release);
          }),
        );
      } catch (error) {
        signal.throwIfAborted();
        if (!KnowledgeBaseError.is(error) || !error.retryable || error.deferred) throw error;
        const requestedMs = error.retryAfterMs;
        // A long wait blocks the whole host, unless the host serves its other pages.
        if (requestedMs !== null && requestedMs > MAX_WAIT_MS)
          throw limiter.blockedUrls.recordBlock(url) === "url" ? error : await limiter.block(requestedMs, error);
        if (attempt === MAX_ATTEMPTS) throw error;
        if (requestedMs !== null) await limiter.delayNext(requestedMs);
        else await clock.sleep(backoffMs(attempt, BACKOFF, clock.random()), waitSignal);
      }
    }
  }

  /** Whether the site answered this URL with a long `Retry-After` and has served no other page since. */
  isUnverifiedBlock(url: string): boolean {
    return this.#options.rateLimiters.get(url).blockedUrls.isUnverified(url);
  }

  async #attempt<Result>(
    url: string,
    { headers, followRedirects = false, maxBytes, signal }: CrawlRequest,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { fetch, limits, origin, headers: siteHeaders } = this.#options;
    const allHeaders = new Headers({
      "user-agent": this.#userAgent,
      accept: "text/html,application/xhtml+xml,*/*;q=0.8",
    });
    for (const [name, value] of Object.entries(headers ?? {})) allHeaders.set(name, value);
    if (new URL(url).origin === origin)
      for (const [name, value] of Object.entries(siteHeaders)) allHeaders.set(name, value);
    const response = await fetch(url, {
      headers: allHeaders,
      redirect: followRedirects ? "follow" : "manual",
      // A site's robots.txt and redirects must not lead to private hosts that are allowed for other purposes.
      mayReachPrivateHost: (target) => siteOf(target) === siteOf(new URL(origin)),
      limits: {
        headersMs: limits.headersMs,
        idleMs: limits.idleMs,
        totalMs: MAX_CALL_MS,
        minimumRate: FILE_RATE,
        maxBytes,
      },
      signal,
    });
    try {
      if (RETRYABLE_STATUSES.has(response.status)) throw this.#statusError(response);
      return await read(response);
    } finally {
      if (response.body?.locked === false) await response.body.cancel();
    }
  }

  #statusError({ status, headers }: Response): KnowledgeBaseError {
    return new KnowledgeBaseError("provider_failed", `HTTP status ${status}.`, {
      retryable: true,
      httpStatus: status,
      retryAfterMs: retryAfterMs(Object.fromEntries(headers), this.#options.clock.now()),
    });
  }
}
