import { KnowledgeBaseError } from "../errors.js";
import { FILE_RATE } from "../net/body-pace.js";
import type { GuardedFetch } from "../net/guarded-fetch.js";
import type { Clock } from "../util/clock.js";
import type { CrawlLimits } from "./crawl-limits.js";
import { LONGEST_WAIT_MS } from "./host-rate-limiter.js";
import type { HostRateLimiters } from "./host-rate-limiters.js";
import { siteOf } from "./page-key.js";
import { userAgent } from "./user-agent.js";

const ATTEMPTS = 3;
const BACKOFF_MS = 1000;
/**
 * Bounds a request together with its waits for a permit to hold a large file. How long the headers and the transfer of the body may take is
 * bounded more tightly by the limits of the crawl.
 */
const LONGEST_CALL_MS = 60 * 60_000;

/** Answers after which the same request soon may succeed. */
const PASSING = new Set([408, 429, 502, 503, 504]);

export interface RequestsOptions {
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly limits: CrawlLimits;
  /** Of all crawls that may come to the same sites. */
  readonly paces: HostRateLimiters;
  /** The only one to hear `headers`. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface CrawlRequest {
  /** Since the request before, of the same host. @default 0 */
  readonly delayMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly followRedirects?: boolean;
  /** Whether an answer says that the site is there for its visitors; files for robots may be given when nothing else is. @default false */
  readonly isPage?: boolean;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Ends waits between requests, and no request: the call rejects with its reason. @default `signal` */
  readonly waits?: AbortSignal | undefined;
}

/** Sends the requests of one crawl: paced, introduced by name, and again where the failure may pass. */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #agent = userAgent();

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /**
   * Asks, and reads the answer; both again, up to three times in all, where the answer is one of 408, 429, 502, 503 and 504 or either
   * breaks off. Waits in between as the answer's `Retry-After` says, else about 1 s and 2 s. `read` may call `leave` once it takes no more
   * from the site for now, so that the next request may begin.
   *
   * @throws KnowledgeBaseError what the last attempt failed with; `retryable` where a later one may succeed, and `deferred` where the site
   * has asked for a wait of more than 30 s: it is asked for nothing then, by no crawl, for `retryAfterMs`
   */
  async send<Result>(
    url: string,
    request: CrawlRequest,
    read: (response: Response, leave: () => void) => Promise<Result>,
  ): Promise<Result> {
    const { clock, paces } = this.#options;
    const waits = request.waits ?? request.signal;
    const pace = paces.of(url);
    using _ = pace.use();
    for (let attempt = 1; ; attempt++) {
      try {
        const { count } = pace.refusals;
        return await pace.run(request.delayMs ?? 0, waits, (leave) =>
          this.#attempt(url, request, async (response) => {
            if (request.isPage && response.status < 500) pace.refusals.answered(url, count);
            return read(response, leave);
          }),
        );
      } catch (error) {
        request.signal?.throwIfAborted();
        if (!KnowledgeBaseError.is(error) || !error.retryable || error.deferred) throw error;
        const asked = error.retryAfterMs;
        // It is the site that wants to be left alone, whatever the page; unless it gives its others.
        if (asked !== null && asked > LONGEST_WAIT_MS)
          throw pace.refusals.refused(url) ? error : pace.leaveAlone(asked, error);
        if (attempt === ATTEMPTS) throw error;
        if (asked !== null) pace.postpone(asked);
        else await clock.sleep(BACKOFF_MS * 2 ** (attempt - 1) * (0.5 + clock.random()), waits);
      }
    }
  }

  /** Whether the site has asked to be left alone when it was asked for this address, and has given no other page since. */
  isInDoubt(url: string): boolean {
    return this.#options.paces.of(url).refusals.isInDoubt(url);
  }

  async #attempt<Result>(
    url: string,
    { headers, followRedirects = false, maxBytes, signal }: CrawlRequest,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { fetch, limits, origin, headers: own } = this.#options;
    const all = new Headers({ "user-agent": this.#agent, accept: "text/html,application/xhtml+xml,*/*;q=0.8" });
    for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value);
    if (new URL(url).origin === origin) for (const [name, value] of Object.entries(own)) all.set(name, value);
    const response = await fetch(url, {
      headers: all,
      redirect: followRedirects ? "follow" : "manual",
      // A site's robots.txt and redirects can't send us to hosts that are allowed for other uses.
      privateHosts: (target) => siteOf(target) === siteOf(new URL(origin)),
      limits: {
        headersMs: limits.headersMs,
        idleMs: limits.idleMs,
        totalMs: LONGEST_CALL_MS,
        minimumRate: FILE_RATE,
        maxBytes,
      },
      ...(signal && { signal }),
    });
    try {
      if (PASSING.has(response.status)) throw this.#refusal(response);
      return await read(response);
    } finally {
      if (response.body?.locked === false) await response.body.cancel();
    }
  }

  #refusal({ status, headers }: Response): KnowledgeBaseError {
    return new KnowledgeBaseError("provider_failed", `The site answers ${status}.`, {
      retryable: true,
      vendorStatus: status,
      retryAfterMs: this.#retryAfterMs(headers.get("retry-after")),
    });
  }

  /** RFC 9110, section 10.2.3: seconds, or a date. */
  #retryAfterMs(header: string | null): number | undefined {
    if (header === null) return undefined;
    if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
    const date = Date.parse(header);
    return Number.isNaN(date) ? undefined : Math.max(0, date - this.#options.clock.now());
  }
}
