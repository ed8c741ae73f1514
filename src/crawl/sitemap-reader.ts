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

/** The protocol's limits for one file. */
const MAX_BYTES = 50 * 1024 * 1024;
const MAX_URLS = 50_000;
/** Our limit for all files of a site. */
const MAX_FILES = 50;
/** An index, the indexes that it lists, and their sitemaps. The protocol allows one level of index. */
const MAX_LEVELS = 3;

/** What the sitemaps of a site list. */
export interface SiteSitemaps {
  /** Pages, as written in the files; on the site or not. At most 50,000. */
  readonly urls: readonly string[];
  /** Number of files read. */
  readonly files: number;
  /**
   * Number of files not read: missing, refused, too large, damaged, on another site, nested too deep, or more than 50.
   */
  readonly failed: number;
  /**
   * URLs of sitemaps that may be available later, with pages that nothing else links to: they fail for now, are
   * truncated, or were read by an earlier crawl and are now neither gone nor sitemaps.
   */
  readonly unread: readonly string[];
  /** To be requested by the next crawl: read now, or read by an earlier crawl and unread now. */
  readonly known: readonly KnownSitemap[];
}

export interface SitemapReaderOptions {
  /** Any URL of the site. */
  readonly start: URL;
  readonly robots: RobotsTxt;
  readonly client: SiteClient;
  readonly reader: PageReader;
  readonly limits: CrawlLimits;
  /** Sitemaps of an earlier crawl: requested again, wherever they were listed. */
  readonly known: readonly KnownSitemap[];
}

interface QueuedSitemap extends KnownSitemap {
  /** Whether nothing lists the sitemap: a missing one is not a failure. */
  readonly isGuess: boolean;
}

/** `retry_later`: the sitemap may be available another time, even if it never was. */
type FetchedSitemap = Sitemap | "gone" | "refused" | "retry_later";

/** Reads the sitemaps that robots.txt lists, and `/sitemap.xml`. A sitemap that fails doesn't stop the others. */
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
  /** Requests that count towards {@link MAX_FILES}; a guess that finds no sitemap doesn't. */
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
   * Reads the sitemaps that are not read yet. If it rejects, the next call continues with the same file.
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
   * Bounds the queue, so that an index of 50,000 sitemaps costs no more than one of 50. One queued URL may be a guess.
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

  /** Adds the sitemaps of an earlier crawl whose index may be the one that can't be read now. */
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
