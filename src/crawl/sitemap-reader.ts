import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { KnowledgeBaseError } from "../errors.js";
import type { CrawlLimits } from "./crawl-limits.js";
import { forEachYielding } from "./for-each-yielding.js";
import type { KnownSitemap } from "./frontier.js";
import { cleanUrl, pageKey, siteOf } from "./page-key.js";
import type { PageReader } from "./page-reader.js";
import type { Sitemap } from "./parse-sitemap.js";
import { readBody } from "./read-body.js";
import type { RobotsTxt } from "./robots-txt.js";
import type { CrawlSignals, SiteClient } from "./site-client.js";

/** The limits of the sitemap protocol for one file. */
const MAX_BYTES = 50 * 1024 * 1024;
const MAX_URLS = 50_000;
/** The maximum number of files requested per site. */
const MAX_FILES = 50;
/** An index, the indexes that it lists, and their sitemaps. The protocol allows only one level of indexes. */
const MAX_LEVELS = 3;

/** The pages that the sitemaps of a site list, and the state of the sitemaps. */
export interface SiteSitemaps {
  /** At most 50,000 page URLs as written in the files, on this site or another. */
  readonly urls: readonly string[];
  /** The number of files read. */
  readonly files: number;
  /**
   * The number of files not read: missing, refused, too large, damaged, on another site, nested too deep, or beyond the
   * limit of 50.
   */
  readonly failed: number;
  /**
   * URLs of sitemaps that may be available later and list pages that nothing else links to: they fail for now, are
   * truncated, or were read by an earlier crawl and are now neither gone nor sitemaps.
   */
  readonly unread: readonly string[];
  /** Sitemaps for the next crawl to request: read by this crawl, or read by an earlier crawl and now unread. */
  readonly known: readonly KnownSitemap[];
}

export interface SitemapReaderOptions {
  /** Any URL of the site. */
  readonly start: URL;
  readonly robots: RobotsTxt;
  readonly client: SiteClient;
  readonly reader: PageReader;
  readonly limits: CrawlLimits;
  /** Sitemaps of an earlier crawl, which are requested again wherever they were listed. */
  readonly known: readonly KnownSitemap[];
}

interface QueuedSitemap extends KnownSitemap {
  /** Whether nothing lists the sitemap, so that it is no failure if it is missing. */
  readonly isGuess: boolean;
}

/** `retry_later`: the sitemap may be available later, even if it has never been read. */
type FetchedSitemap = Sitemap | "gone" | "refused" | "retry_later";

/** Reads the sitemaps that robots.txt lists, and `/sitemap.xml`. Continues after a sitemap that fails. */
export class SitemapReader {
  readonly #options: SitemapReaderOptions;
  readonly #previous: ReadonlyMap<string, KnownSitemap>;
  readonly #queue: QueuedSitemap[] = [];
  readonly #queuedKeys = new Set<string>();
  readonly #urls: string[] = [];
  readonly #unread: string[] = [];
  readonly #known: KnownSitemap[] = [];
  #fileCount = 0;
  #failedCount = 0;
  /** The number of requests that count towards {@link MAX_FILES}. A guess that finds no sitemap doesn't count. */
  #requestCount = 0;

  constructor(options: SitemapReaderOptions) {
    const { start, robots, known } = options;
    this.#options = options;
    this.#previous = new Map(known.map((sitemap) => [pageKey(sitemap.url), sitemap]));
    for (const text of robots.sitemaps) {
      if (!this.#canEnqueue) this.#failedCount++;
      else if (URL.canParse(text, start.href)) {
        this.#enqueue({ url: new URL(text, start).href, level: 1, isGuess: false });
      }
    }
    const roots = known.filter(({ level }) => level === 1).map(({ url }) => url);
    // The default path may have no sitemap, and a robots.txt that can't be fetched lists none.
    for (const url of [new URL("/sitemap.xml", start).href, ...roots]) {
      if (robots.allows(url)) this.#enqueue({ url, level: 1, isGuess: true });
    }
  }

  /**
   * Reads the sitemaps that are not read yet. If this rejects, the next call continues with the same file.
   *
   * @throws KnowledgeBaseError `deferred` if the site must not be contacted for now
   */
  async read(signals: CrawlSignals): Promise<SiteSitemaps> {
    for (let [next] = this.#queue; next !== undefined; [next] = this.#queue) {
      if (this.#urls.length < MAX_URLS) {
        if (this.#requestCount < MAX_FILES) await this.#process(next, await this.#fetch(next.url, signals));
        else if (!next.isGuess) this.#failedCount++;
      }
      this.#queue.shift();
      if (this.#queue.length === 0 && this.#unread.length > 0) this.#enqueueOrphans();
    }
    return {
      urls: this.#urls,
      files: this.#fileCount,
      failed: this.#failedCount,
      unread: this.#unread,
      known: this.#known,
    };
  }

  /**
   * Whether the queue has room. An index of 50,000 sitemaps costs no more than one of 50. One queued URL may be a
   * guess.
   */
  get #canEnqueue(): boolean {
    return this.#queue.length <= MAX_FILES;
  }

  #enqueue(sitemap: QueuedSitemap): void {
    const key = pageKey(sitemap.url);
    if (this.#queuedKeys.has(key)) return;
    this.#queuedKeys.add(key);
    this.#queue.push(sitemap);
  }

  /** Queues the sitemaps of an earlier crawl that may be listed in the index that can't be read now. */
  #enqueueOrphans(): void {
    for (const sitemap of this.#previous.values()) if (sitemap.level > 1) this.#enqueue({ ...sitemap, isGuess: true });
  }

  async #process({ url, level, isGuess }: QueuedSitemap, fetched: FetchedSitemap): Promise<void> {
    const sitemap = typeof fetched === "object" ? fetched : null;
    const state = sitemap?.state ?? "none";
    const wasRead = this.#previous.has(pageKey(url));
    const isUnread =
      fetched === "retry_later" || state === "truncated" || (wasRead && fetched !== "gone" && state === "none");
    if (isUnread) this.#unread.push(url);
    if (state !== "none" || (wasRead && isUnread)) this.#known.push({ url: cleanUrl(url).href, level });
    if (sitemap !== null || !isGuess) this.#requestCount++;
    if (sitemap === null) {
      if (!isGuess) this.#failedCount++;
      return;
    }
    this.#fileCount++;
    if (sitemap.isIndex) await this.#enqueueListed(sitemap.urls, level + 1);
    else for (const pageUrl of sitemap.urls) this.#urls.push(pageUrl);
  }

  async #enqueueListed(urls: readonly string[], level: number): Promise<void> {
    const site = siteOf(this.#options.start);
    await forEachYielding([...new Set(urls)], (url) => {
      const isAllowed = level <= MAX_LEVELS && this.#canEnqueue;
      // An index must not lead to other sites.
      if (isAllowed && URL.canParse(url) && siteOf(new URL(url)) === site)
        this.#enqueue({ url, level, isGuess: false });
      else this.#failedCount++;
    });
  }

  async #fetch(url: string, signals: CrawlSignals): Promise<FetchedSitemap> {
    const { client, reader, limits, robots } = this.#options;
    const isOnSite = siteOf(new URL(url)) === siteOf(this.#options.start);
    // This site's crawl delay doesn't apply to other sites.
    const delayMs = isOnSite ? robots.delayMs : 0;
    const request = { followRedirects: true, delayMs, maxBytes: MAX_BYTES, ...signals };
    try {
      const body = await client.send(url, request, async (response) => {
        if (response.ok) return readBody(response, { maxBytes: MAX_BYTES, maxMs: limits.fileMs });
        if (response.status === 404 || response.status === 410) return "gone";
        return response.status >= 500 ? "retry_later" : "refused";
      });
      if (typeof body === "string") return body;
      const maxUrls = MAX_URLS - this.#urls.length;
      return await reader.readSitemap({ bytes: await decompress(body), maxUrls }, signals.signal);
    } catch (error) {
      signals.signal.throwIfAborted();
      signals.waitSignal.throwIfAborted();
      if (!KnowledgeBaseError.is(error)) throw error;
      // Another site's block doesn't stop this crawl.
      if (error.deferred && isOnSite) throw error;
      return error.retryable ? "retry_later" : "refused";
    }
  }
}

async function decompress(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_BYTES });
  } catch (cause) {
    const message = "The compressed sitemap is damaged or larger than 50 MB.";
    throw new KnowledgeBaseError("provider_failed", message, { retryable: true, cause });
  }
}
