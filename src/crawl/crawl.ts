import { hash } from "node:crypto";
import type { CrawlCounts } from "../domain/crawl-counts.js";
import { KnowledgeBaseError } from "../errors.js";
import type { Parser } from "../interfaces/parser.js";
import type { GuardedFetch } from "../net/guarded-fetch.js";
import { takeCredentials } from "../net/take-credentials.js";
import { type Clock, systemClock } from "../util/clock.js";
import { Semaphore } from "../util/semaphore.js";
import { type CrawlLimits, DEFAULT_CRAWL_LIMITS } from "./crawl-limits.js";
import { type CrawlOptions, DEFAULT_LIMIT, MAX_CONCURRENT_REQUESTS } from "./crawl-options.js";
import { type FetchPageOptions, type FetchResult, fetchPage } from "./fetch-page.js";
import type { Frontier, FrontierPage, PageOutcome } from "./frontier.js";
import { HostRateLimiters } from "./host-rate-limiters.js";
import { PageClassifier } from "./page-classifier.js";
import { pageKey } from "./page-key.js";
import { PageReader } from "./page-reader.js";
import { ResponseBuffer } from "./response-buffer.js";
import { RobotsTxtCache } from "./robots-txt-cache.js";
import { type CrawlSignals, SiteClient } from "./site-client.js";
import { SitemapReader, type SiteSitemaps } from "./sitemap-reader.js";
import type { PageSample } from "./soft-404.js";
import { UrlRules } from "./url-rules.js";

/** The maximum number of pages fetched per requested document, so that crawls of sites full of duplicates end too. */
const MAX_PAGES_PER_DOCUMENT = 20;
const MIN_PAGE_BUDGET = 1000;

export interface CrawlConfig {
  /** Credentials in the URL are sent to its origin, as basic authentication. */
  readonly start: string | URL;
  readonly frontier: Frontier;
  readonly fetch: GuardedFetch;
  readonly options?: CrawlOptions | undefined;
  /** Custom parsers. Files that they accept become documents too. */
  readonly parsers?: readonly Parser[] | undefined;
  readonly limits?: Partial<CrawlLimits> | undefined;
  readonly clock?: Clock | undefined;
  /** Shared by all crawls that may reach the same hosts. @default limiters of this crawl alone */
  readonly rateLimiters?: HostRateLimiters | undefined;
  /** Shared by all crawls: a slot is taken before a file larger than `maxPageBytes` is buffered. @default one slot */
  readonly largeFileSlots?: Semaphore | undefined;
}

export interface CrawlRunOptions {
  /** Stops the crawl at once; `run` rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Stops the crawl soon: waits are cancelled, and fetched pages are recorded or kept for the next run. */
  readonly pause?: AbortSignal | undefined;
  /** Called after each recorded page. */
  onProgress?(progress: CrawlProgress): void;
}

export interface CrawlProgress {
  readonly counts: CrawlCounts;
  /** `null` if this run read no sitemaps: with `maxDepth` 1, or after an earlier run recorded the start page. */
  readonly sitemaps: SiteSitemaps | null;
}

export interface CrawlResult extends CrawlProgress {
  /**
   * `done`: no page is left. `limit`: the document limit is reached and pages are left. `pages`: the page budget is
   * spent (20 pages per requested document, at least 1,000). `paused`: the next run continues the crawl.
   */
  readonly ended: "done" | "limit" | "pages" | "paused";
}

interface PageInFlight {
  readonly page: FrontierPage;
  readonly result: Promise<FetchResult>;
  /** Allows a large file to be buffered, once the page is the next to be recorded. */
  readonly allowLargeFile: () => void;
  /** Rejects the wait for `allowLargeFile`. */
  readonly cancelWait: () => void;
  ignoreCanonical: boolean;
}

/**
 * A crawl of one site. Pages are fetched concurrently and recorded one by one in frontier order, so the result depends
 * on the site alone, not on timing or interruptions. One instance shares robots.txt rules and rate limits between its
 * runs.
 */
export class Crawl {
  readonly #start: URL;
  readonly #frontier: Frontier;
  readonly #client: SiteClient;
  readonly #robots: RobotsTxtCache;
  readonly #rules: UrlRules;
  readonly #limits: CrawlLimits;
  readonly #parsers: readonly Parser[];
  readonly #limit: number;
  readonly #fetchSlots = new Semaphore(MAX_CONCURRENT_REQUESTS);
  readonly #largeFileSlots: Semaphore;
  readonly #reader = new PageReader();
  readonly #buffer = new ResponseBuffer();
  /** The number of failed pages left for a later run, which may turn them into documents. */
  #retryCount = 0;
  /** `null` until the sample is fetched. */
  #notFoundSample: { readonly page: PageSample | null } | null = null;
  #sitemapReader: SitemapReader | null = null;
  #sitemaps: SiteSitemaps | null = null;

  /** @throws KnowledgeBaseError `invalid_input` for an entry of `includePaths` or `excludePaths` that is not a path */
  constructor(config: CrawlConfig) {
    const { start, frontier, fetch, options = {}, parsers = [], limits, clock = systemClock, rateLimiters } = config;
    this.#start = new URL(start);
    const authorization = takeCredentials(this.#start);
    this.#start.hash = "";
    this.#frontier = frontier;
    this.#limits = { ...DEFAULT_CRAWL_LIMITS, ...limits };
    this.#limit = options.limit ?? DEFAULT_LIMIT;
    this.#client = new SiteClient({
      fetch,
      clock,
      limits: this.#limits,
      rateLimiters: rateLimiters ?? new HostRateLimiters(clock),
      origin: this.#start.origin,
      headers: { ...(authorization && { authorization }), ...options.headers },
    });
    this.#robots = new RobotsTxtCache(this.#client, this.#limits);
    this.#rules = new UrlRules({
      ...options,
      start: this.#start,
      countQueryVariants: (paths) => frontier.countQueryVariants(paths),
    });
    this.#parsers = parsers;
    this.#largeFileSlots = config.largeFileSlots ?? new Semaphore(1);
  }

  /**
   * Continues from the frontier's state until the crawl ends or is paused.
   *
   * @throws KnowledgeBaseError if the crawl as a whole can't continue: `provider_failed` if the start page or
   * robots.txt can't be fetched (with `deferred` if the site asked for a wait of more than 30 s); `not_found`,
   * `forbidden`, `unsupported`, `limit_exceeded` or `invalid_input` for a start page that can't be crawled
   */
  async run({ signal, pause, onProgress }: CrawlRunOptions = {}): Promise<CrawlResult> {
    const controller = new AbortController();
    const stop = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
    const signals: CrawlSignals = { signal: stop, waitSignal: pause ? AbortSignal.any([stop, pause]) : stop };
    const inFlight: PageInFlight[] = [];
    try {
      const start = { key: pageKey(this.#start), url: this.#start.href, depth: 1, redirects: 0, skip: null };
      await this.#frontier.add([start]);
      await this.#robots.get(this.#start.origin, signals);
      const classifier = this.#createClassifier(start.key, signals);
      let counts = await this.#frontier.counts();
      let deferredError: KnowledgeBaseError | null = null;
      for (;;) {
        const freeCount = pause?.aborted || deferredError ? 0 : this.#maxInFlight(counts) - inFlight.length;
        if (freeCount > 0) inFlight.push(...(await this.#startFetches(freeCount, inFlight, signals)));
        const [head] = inFlight;
        if (head === undefined && deferredError) throw deferredError;
        if (head === undefined) return { ended: this.#endReason(counts, pause), counts, sitemaps: this.#sitemaps };
        const outcome = await this.#classify(head, classifier).catch((error) => {
          if (stop.aborted || !KnowledgeBaseError.is(error) || !error.deferred) throw error;
          return error;
        });
        stop.throwIfAborted();
        if (outcome instanceof KnowledgeBaseError) {
          deferredError ??= outcome;
          // The host refused this page. If it stayed at the head of the queue, every run would end before other pages.
          if (outcome.cause !== undefined) await this.#frontier.requeue(head.page);
          inFlight.shift();
          continue;
        }
        if ((await this.#frontier.record(head.page, outcome)) === "retry") this.#retryCount++;
        inFlight.shift();
        if (outcome.kind === "canonical") {
          for (const other of inFlight) if (other.page.key === outcome.to) other.ignoreCanonical = true;
        }
        counts = await this.#frontier.counts();
        onProgress?.({ counts, sitemaps: this.#sitemaps });
      }
    } catch (error) {
      if (stop.aborted || !pause?.aborted || error !== pause.reason) throw error;
      await this.#bufferResults(inFlight);
      return { ended: "paused", counts: await this.#frontier.counts(), sitemaps: this.#sitemaps };
    } finally {
      controller.abort(new DOMException("The crawl has ended.", "AbortError"));
      for (const { cancelWait } of inFlight) cancelWait();
      await Promise.allSettled(inFlight.map(({ result }) => result));
    }
  }

  /** The size of the fetched pages that are kept for the next run. */
  get bufferedBytes(): number {
    return this.#buffer.bytes;
  }

  async #classify(inFlight: PageInFlight, classifier: PageClassifier): Promise<PageOutcome> {
    const { page, result, ignoreCanonical, allowLargeFile } = inFlight;
    allowLargeFile();
    return classifier.classify({ ...page, ignoreCanonical }, await result);
  }

  /** Keeps the results of fetches for the next run. Files that wait for a large-file slot are dropped. */
  async #bufferResults(inFlight: readonly PageInFlight[]): Promise<void> {
    for (const { cancelWait } of inFlight) cancelWait();
    for (const [index, { page, result }] of inFlight.entries()) {
      const [settled] = await Promise.allSettled([result]);
      if (settled.status === "fulfilled") this.#buffer.put(page, settled.value, { isNext: index === 0 });
    }
  }

  /** Returns the maximum number of pages in flight, given that each of them may become a document. */
  #maxInFlight(counts: CrawlCounts): number {
    if (recordedCount(counts) >= this.#pageBudget) return 0;
    return Math.min(2 * MAX_CONCURRENT_REQUESTS, this.#limit - documentCount(counts) - this.#retryCount);
  }

  get #pageBudget(): number {
    return Math.max(MIN_PAGE_BUDGET, MAX_PAGES_PER_DOCUMENT * this.#limit);
  }

  #endReason(counts: CrawlCounts, pause: AbortSignal | undefined): CrawlResult["ended"] {
    if (counts.pending > this.#retryCount && documentCount(counts) + this.#retryCount >= this.#limit) return "limit";
    if (recordedCount(counts) >= this.#pageBudget) return "pages";
    return pause?.aborted ? "paused" : "done";
  }

  async #startFetches(
    count: number,
    inFlight: readonly PageInFlight[],
    signals: CrawlSignals,
  ): Promise<PageInFlight[]> {
    const pages = await this.#frontier.next(count, new Set(inFlight.map(({ page }) => page.key)));
    if (inFlight.length === 0) await this.#probeBlockedHost(pages, signals);
    return pages.map((page) => this.#startFetch(page, signals));
  }

  #startFetch(page: FrontierPage, signals: CrawlSignals): PageInFlight {
    let allowLargeFile = () => {};
    let cancelWait = () => {};
    const largeFileAllowed = new Promise<void>((resolve, reject) => {
      allowLargeFile = resolve;
      cancelWait = () => reject(new DOMException("The crawl stopped before it buffered this file.", "AbortError"));
    });
    // Most pages never wait for this promise, so its rejection must not count as unhandled.
    largeFileAllowed.catch(() => {});
    const takeLargeFileSlot = async () => {
      await largeFileAllowed;
      return this.#largeFileSlots.acquire({ signal: signals.waitSignal });
    };
    const buffered = this.#buffer.take(page);
    const result = buffered
      ? Promise.resolve(buffered)
      : this.#fetchSlots.run(async () => {
          signals.waitSignal.throwIfAborted();
          return this.#fetch(page.url, { previous: page.previous, takeLargeFileSlot, ...signals });
        });
    // Awaited only when the page reaches the head of the queue, so an earlier rejection must not count as unhandled.
    result.catch(() => {});
    return { page, result, allowLargeFile, cancelWait, ignoreCanonical: page.ignoreCanonical };
  }

  /**
   * If the site sent a long `Retry-After` for all of the given pages, it may block these URLs or the crawler. A request
   * for the start page shows which.
   */
  async #probeBlockedHost(pages: readonly FrontierPage[], signals: CrawlSignals): Promise<void> {
    const isUnverified = ({ url, depth }: FrontierPage) => depth > 1 && this.#client.isUnverifiedBlock(url);
    if (pages.length > 0 && pages.every(isUnverified)) await this.#probe(this.#start.href, signals);
  }

  #fetch(
    url: string,
    options: CrawlSignals & Pick<FetchPageOptions, "previous" | "takeLargeFileSlot">,
  ): Promise<FetchResult> {
    return fetchPage(url, {
      client: this.#client,
      robots: this.#robots,
      reader: this.#reader,
      limits: this.#limits,
      parsers: this.#parsers,
      ...options,
    });
  }

  #probe(url: string, signals: CrawlSignals): Promise<FetchResult> {
    return this.#fetch(url, { previous: null, takeLargeFileSlot: async () => () => {}, ...signals });
  }

  #createClassifier(startKey: string, signals: CrawlSignals): PageClassifier {
    return new PageClassifier({
      startKey,
      rules: this.#rules,
      findByContentHash: (contentHash) => this.#frontier.findByContentHash(contentHash),
      getNotFoundSample: async () => {
        this.#notFoundSample ??= { page: await this.#fetchNotFoundSample(signals) };
        return this.#notFoundSample.page;
      },
      readSitemaps: async () => {
        this.#sitemapReader ??= new SitemapReader({
          start: this.#start,
          robots: await this.#robots.get(this.#start.origin, signals),
          client: this.#client,
          reader: this.#reader,
          limits: this.#limits,
          known: await this.#frontier.knownSitemaps(),
        });
        this.#sitemaps = await this.#sitemapReader.read(signals);
        return this.#sitemaps;
      },
    });
  }

  /** Fetches the page that the site returns for a URL that doesn't exist; `null` if it returns none, as it should. */
  async #fetchNotFoundSample(signals: CrawlSignals): Promise<PageSample | null> {
    // The same URL each time, so that a site that always blocks it is recognised.
    const name = hash("sha256", this.#start.origin);
    const { href } = new URL(`/${name}`, this.#start);
    const result = await this.#probe(href, signals);
    return result.kind === "page" ? { url: href, title: result.metadata.title, text: result.metadata.text } : null;
  }
}

function documentCount({ documents, unchanged, failed }: CrawlCounts): number {
  return documents + unchanged + failed;
}

/** Counts the pages that were fetched and recorded. Skipped URLs were not fetched. */
function recordedCount(counts: CrawlCounts): number {
  const leftOut = Object.values(counts.leftOut).reduce((sum, count) => sum + count, 0);
  return documentCount(counts) + counts.duplicates + counts.canonical + counts.moved + leftOut;
}
