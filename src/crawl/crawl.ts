import { createHash } from "node:crypto";
import type { CrawlCounts } from "../domain/crawl-counts.js";
import { KnowledgeBaseError } from "../errors.js";
import type { Parser } from "../interfaces/parser.js";
import type { GuardedFetch } from "../net/guarded-fetch.js";
import { decodeEscapes } from "../sources/decode-escapes.js";
import { type Clock, systemClock } from "../util/clock.js";
import { Semaphore } from "../util/semaphore.js";
import { AddressRules } from "./address-rules.js";
import { type CrawlLimits, DEFAULT_CRAWL_LIMITS } from "./crawl-limits.js";
import { type CrawlOptions, DEFAULT_CONCURRENCY, DEFAULT_LIMIT } from "./crawl-options.js";
import { type FetchPageOptions, fetchPage, type PageAnswer } from "./fetch-page.js";
import type { Frontier, FrontierPage, PageOutcome } from "./frontier.js";
import { HostRateLimiters } from "./host-rate-limiters.js";
import { Judge } from "./page-classifier.js";
import { pageKey } from "./page-key.js";
import { PageReader } from "./page-reader.js";
import { Requests } from "./requests.js";
import { KeptAnswers } from "./response-buffer.js";
import { RobotsOfOrigins } from "./robots-of-origins.js";
import { SitemapReader, type SiteSitemaps } from "./sitemap-reader.js";
import type { ComparedPage } from "./soft-not-found.js";

/** Addresses that are asked for each document that is wanted: a site of duplicates and errors ends as well. */
const PAGES_PER_DOCUMENT = 20;
const PAGES_AT_LEAST = 1000;

export interface CrawlSite {
  /** Its name and password, if it has any, are sent to its origin. */
  readonly start: string | URL;
  readonly frontier: Frontier;
  readonly fetch: GuardedFetch;
  readonly options?: CrawlOptions | undefined;
  /** Of the caller: their formats are documents as well. */
  readonly parsers?: readonly Parser[] | undefined;
  readonly limits?: Partial<CrawlLimits> | undefined;
  readonly clock?: Clock | undefined;
  /** Of all crawls that may come to the same sites. @default its own */
  readonly paces?: HostRateLimiters | undefined;
  /** Of all crawls: taken before more of a file is held than a page may have. @default one at a time */
  readonly largeFiles?: Semaphore | undefined;
}

export interface CrawlRun {
  /** Ends it at once; `run` rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Ends it soon: pages under way are settled, waits are given up. */
  readonly pause?: AbortSignal | undefined;
  /** Called after each page that is settled. */
  onProgress?(progress: CrawlProgress): void;
}

export interface CrawlProgress {
  readonly counts: CrawlCounts;
  /** Null where none were read: with `maxDepth` 1, and in a crawl whose start page was settled before. */
  readonly sitemaps: SiteSitemaps | null;
}

export interface CrawlEnd extends CrawlProgress {
  /**
   * `done`: no page is left. `limit`: there are as many documents as are wanted, and pages left. `pages`: 20 times as many addresses (and
   * at least 1,000) were asked. `paused`: it goes on when it is run again.
   */
  readonly ended: "done" | "limit" | "pages" | "paused";
}

type Signals = Pick<FetchPageOptions, "signal" | "waits">;

interface UnderWay {
  readonly page: FrontierPage;
  readonly answer: Promise<PageAnswer>;
  /** Lets its answer be held whole. */
  readonly isNext: () => void;
  /** Ends its waiting for that, with an error. */
  readonly giveUp: () => void;
  standsAlone: boolean;
}

/**
 * A crawl of one site. Pages are asked for a few at a time and settled one by one in the order in which they were found, so what it brings
 * depends on the site alone, and on neither timing nor interruptions.
 *
 * It keeps what it has asked of the site as a whole (robots.txt, the pace of requests) as long as it lives.
 */
export class Crawl {
  readonly #start: URL;
  readonly #frontier: Frontier;
  readonly #requests: Requests;
  readonly #robots: RobotsOfOrigins;
  readonly #rules: AddressRules;
  readonly #limits: CrawlLimits;
  readonly #parsers: readonly Parser[];
  readonly #limit: number;
  readonly #concurrency: number;
  readonly #lanes: Semaphore;
  readonly #largeFiles: Semaphore;
  readonly #reader = new PageReader();
  readonly #answers = new KeptAnswers();
  /** Pages that a later run gets again: they may be documents yet. */
  #later = 0;
  #missing: { readonly page: ComparedPage | null } | null = null;
  #sitemapReader: SitemapReader | null = null;
  #sitemaps: SiteSitemaps | null = null;

  /** @throws KnowledgeBaseError `invalid_input` for a path of `includePaths` or `excludePaths` that is none */
  constructor(site: CrawlSite) {
    const { start, frontier, fetch, options = {}, parsers = [], limits, clock = systemClock, paces } = site;
    const { username, password } = new URL(start);
    this.#start = new URL(start);
    this.#start.username = "";
    this.#start.password = "";
    this.#start.hash = "";
    this.#frontier = frontier;
    this.#limits = { ...DEFAULT_CRAWL_LIMITS, ...limits };
    this.#requests = new Requests({
      fetch,
      clock,
      limits: this.#limits,
      paces: paces ?? new HostRateLimiters({ clock, concurrency: options.concurrency ?? DEFAULT_CONCURRENCY }),
      origin: this.#start.origin,
      headers: { ...basicAuthorization(username, password), ...options.headers },
    });
    this.#robots = new RobotsOfOrigins(this.#requests, this.#limits);
    this.#rules = new AddressRules({
      ...options,
      start: this.#start,
      variantsOf: (paths) => frontier.variantsOf(paths),
    });
    this.#parsers = parsers;
    this.#limit = options.limit ?? DEFAULT_LIMIT;
    this.#concurrency = options.concurrency ?? DEFAULT_CONCURRENCY;
    this.#lanes = new Semaphore(this.#concurrency);
    this.#largeFiles = site.largeFiles ?? new Semaphore(1);
  }

  /**
   * Goes on from what the frontier holds, until there is nothing left to do.
   *
   * @throws KnowledgeBaseError where the crawl as a whole can't go on: `provider_failed` for a start page or a robots.txt that can't be
   * had, the same with `deferred` where the site has asked for a wait of more than 30 s, `not_found`, `forbidden`, `unsupported`, `limit_exceeded` and `invalid_input` for a start page that is no page for us
   */
  async run({ signal, pause, onProgress }: CrawlRun = {}): Promise<CrawlEnd> {
    const ending = new AbortController();
    const all = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal;
    const waits = pause ? AbortSignal.any([all, pause]) : all;
    const underWay: UnderWay[] = [];
    try {
      const start = { key: pageKey(this.#start), url: this.#start.href, depth: 1, redirects: 0, skip: null };
      await this.#frontier.add([start]);
      await this.#robots.of(this.#start.origin, { signal: all, waits });
      const judge = this.#judge(start.key, { signal: all, waits });
      let counts = await this.#frontier.counts();
      let deferred: KnowledgeBaseError | null = null;
      for (;;) {
        const room = pause?.aborted || deferred ? 0 : this.#room(counts) - underWay.length;
        if (room > 0) underWay.push(...(await this.#begin(room, underWay, { signal: all, waits })));
        const [head] = underWay;
        if (head === undefined && deferred) throw deferred;
        if (head === undefined) return { ended: this.#ended(counts, pause), counts, sitemaps: this.#sitemaps };
        const outcome = await this.#outcome(head, judge).catch((error) => {
          if (all.aborted || !KnowledgeBaseError.is(error) || !error.deferred) throw error;
          return error;
        });
        all.throwIfAborted();
        if (outcome instanceof KnowledgeBaseError) {
          deferred ??= outcome;
          // It is the one that was refused: kept before the others, it would end every run before they are asked for.
          if (outcome.cause !== undefined) await this.#frontier.postpone(head.page);
          underWay.shift();
          continue;
        }
        if ((await this.#frontier.settle(head.page, outcome)) === "later") this.#later++;
        underWay.shift();
        if (outcome.kind === "canonical") {
          for (const other of underWay) if (other.page.key === outcome.to) other.standsAlone = true;
        }
        counts = await this.#frontier.counts();
        onProgress?.({ counts, sitemaps: this.#sitemaps });
      }
    } catch (error) {
      if (all.aborted || !pause?.aborted || error !== pause.reason) throw error;
      await this.#keepAnswers(underWay);
      return { ended: "paused", counts: await this.#frontier.counts(), sitemaps: this.#sitemaps };
    } finally {
      ending.abort(new DOMException("The crawl has ended.", "AbortError"));
      for (const { giveUp } of underWay) giveUp();
      await Promise.allSettled(underWay.map(({ answer }) => answer));
    }
  }

  async #outcome({ page, answer, standsAlone, isNext }: UnderWay, judge: Judge): Promise<PageOutcome> {
    isNext();
    return judge.outcome({ ...page, standsAlone }, await answer);
  }

  /** What it holds of pages between two runs. */
  get keptBytes(): number {
    return this.#answers.bytes;
  }

  /** Those that wait for their turn to be read are given up. */
  async #keepAnswers(underWay: readonly UnderWay[]): Promise<void> {
    for (const { giveUp } of underWay) giveUp();
    for (const { page, answer } of underWay) {
      const [settled] = await Promise.allSettled([answer]);
      if (settled.status === "fulfilled") this.#answers.put(page, settled.value, page === underWay[0]!.page);
    }
  }

  /** How many pages may be under way: any of them may become a document. */
  #room(counts: CrawlCounts): number {
    if (settledIn(counts) >= this.#maxPages) return 0;
    return Math.min(2 * this.#concurrency, this.#limit - documentsIn(counts) - this.#later);
  }

  get #maxPages(): number {
    return Math.max(PAGES_AT_LEAST, PAGES_PER_DOCUMENT * this.#limit);
  }

  #ended(counts: CrawlCounts, pause: AbortSignal | undefined): CrawlEnd["ended"] {
    if (counts.pending > this.#later && documentsIn(counts) + this.#later >= this.#limit) return "limit";
    if (settledIn(counts) >= this.#maxPages) return "pages";
    return pause?.aborted ? "paused" : "done";
  }

  async #begin(count: number, underWay: readonly UnderWay[], signals: Signals): Promise<UnderWay[]> {
    const pages = await this.#frontier.next(count, new Set(underWay.map(({ page }) => page.key)));
    if (underWay.length === 0) await this.#tellRefusals(pages, signals);
    return pages.map((page) => {
      let isNext = () => {};
      let giveUp = () => {};
      const turn = new Promise<void>((resolve, reject) => {
        isNext = resolve;
        giveUp = () => reject(new DOMException("The page's turn has not come.", "AbortError"));
      });
      // Most pages don't wait for it.
      turn.catch(() => {});
      const kept = this.#answers.take(page);
      const answer = kept
        ? Promise.resolve(kept)
        : this.#lanes.run(async () => {
            signals.waits.throwIfAborted();
            const takeLargeFile = async () => {
              await turn;
              return this.#largeFiles.acquire({ signal: signals.waits });
            };
            return this.#fetch(page.url, { known: page.known, takeLargeFile, ...signals });
          });
      // It is looked at when the page's turn comes.
      answer.catch(() => {});
      return { page, answer, isNext, giveUp, standsAlone: page.standsAlone };
    });
  }

  /**
   * Where all that is left are addresses for which the site has asked to be left alone, nothing else would tell whether it is they or the
   * site: the start page does.
   */
  async #tellRefusals(pages: readonly FrontierPage[], signals: Signals): Promise<void> {
    const isInDoubt = ({ url, depth }: FrontierPage) => depth > 1 && this.#requests.isInDoubt(url);
    if (pages.length > 0 && pages.every(isInDoubt)) await this.#ask(this.#start.href, signals);
  }

  #fetch(url: string, options: Signals & Pick<FetchPageOptions, "known" | "takeLargeFile">): Promise<PageAnswer> {
    return fetchPage(url, {
      requests: this.#requests,
      robots: this.#robots,
      reader: this.#reader,
      limits: this.#limits,
      parsers: this.#parsers,
      ...options,
    });
  }

  #judge(startKey: string, signals: Signals): Judge {
    return new Judge({
      startKey,
      rules: this.#rules,
      holderOf: (contentHash) => this.#frontier.holderOf(contentHash),
      missing: async () => {
        this.#missing ??= { page: await this.#askForMissing(signals) };
        return this.#missing.page;
      },
      sitemaps: async () => {
        this.#sitemapReader ??= new SitemapReader({
          start: this.#start,
          robots: await this.#robots.of(this.#start.origin, signals),
          requests: this.#requests,
          reader: this.#reader,
          limits: this.#limits,
          known: await this.#frontier.sitemaps(),
        });
        this.#sitemaps = await this.#sitemapReader.read(signals);
        return this.#sitemaps;
      },
    });
  }

  #ask(url: string, signals: Signals): Promise<PageAnswer> {
    return this.#fetch(url, { known: null, takeLargeFile: async () => () => {}, ...signals });
  }

  /** What the site shows at an address that can't exist; null where it says that there is no such page. */
  async #askForMissing(signals: Signals): Promise<ComparedPage | null> {
    // The same each time: a site that always asks for a wait there is known by it.
    const name = createHash("sha256").update(this.#start.origin).digest("hex");
    const { href } = new URL(`/${name}`, this.#start);
    const answer = await this.#ask(href, signals);
    return answer.kind === "page" ? { url: href, title: answer.facts.title, text: answer.facts.text } : null;
  }
}

function documentsIn({ documents, unchanged, failed }: CrawlCounts): number {
  return documents + unchanged + failed;
}

/** Those that were asked for: addresses that were skipped were not. */
function settledIn(counts: CrawlCounts): number {
  const leftOut = Object.values(counts.leftOut).reduce((sum, count) => sum + count, 0);
  return documentsIn(counts) + counts.duplicates + counts.canonical + counts.moved + leftOut;
}

function basicAuthorization(username: string, password: string): Record<string, string> {
  if (username === "" && password === "") return {};
  const credentials = `${decodeEscapes(username)}:${decodeEscapes(password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
}
