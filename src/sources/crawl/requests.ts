import { KnowledgeBaseError } from "../../errors.js";
import type { GuardedFetch } from "../../net/guarded-fetch.js";
import type { CrawlClock } from "./crawl-clock.js";
import type { CrawlLimits } from "./crawl-limits.js";
import { Pace } from "./pace.js";
import { userAgent } from "./user-agent.js";

const ATTEMPTS = 3;
const BACKOFF_MS = 1000;
/** A site that asks for a longer wait is not waited for: the page has failed for now. */
const LONGEST_WAIT_MS = 30_000;

/** Answers after which the same request soon may succeed. */
const PASSING = new Set([408, 429, 502, 503, 504]);

export interface RequestsOptions {
  readonly fetch: GuardedFetch;
  readonly clock: CrawlClock;
  readonly limits: CrawlLimits;
  /** The only one to hear `headers`. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface CrawlRequest {
  /** Since the request before, of the same host. @default 0 */
  readonly delayMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly followRedirects?: boolean;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Ends waits between requests, and no request: the call rejects with its reason. @default `signal` */
  readonly waits?: AbortSignal | undefined;
}

/** Sends the requests of one crawl: paced, introduced by name, and again where the failure may pass. */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #paces = new Map<string, Pace>();
  readonly #agent = userAgent();

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /**
   * Asks, and reads the answer; both again, up to three times in all, where the answer is one of 408, 429, 502, 503 and 504 or either
   * breaks off. Waits in between as the answer's `Retry-After` says, else about 1 s and 2 s.
   *
   * @throws KnowledgeBaseError what the last attempt failed with; `retryable` where a later one may succeed
   */
  async send<Result>(
    url: string,
    request: CrawlRequest,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { clock } = this.#options;
    const waits = request.waits ?? request.signal;
    const pace = this.#paceOf(url);
    for (let attempt = 1; ; attempt++) {
      await pace.turn(request.delayMs ?? 0, waits);
      try {
        return await this.#attempt(url, request, read);
      } catch (error) {
        request.signal?.throwIfAborted();
        if (!KnowledgeBaseError.is(error) || !error.retryable || attempt === ATTEMPTS) throw error;
        if ((error.retryAfterMs ?? 0) > LONGEST_WAIT_MS) throw error;
        // It is the host that wants to be left alone, whatever the page.
        if (error.retryAfterMs !== null) pace.postpone(error.retryAfterMs);
        else await clock.sleep(BACKOFF_MS * 2 ** (attempt - 1) * (0.5 + clock.random()), waits);
      }
    }
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
      limits: { headersMs: limits.headersMs, idleMs: limits.idleMs, totalMs: limits.fileMs, maxBytes },
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

  #paceOf(url: string): Pace {
    const { host } = new URL(url);
    const pace = this.#paces.get(host) ?? new Pace(this.#options.clock);
    this.#paces.set(host, pace);
    return pace;
  }
}
