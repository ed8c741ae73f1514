import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { KnowledgeBaseError } from "../../errors.js";
import type { CrawlLimits } from "./crawl-limits.js";
import { inSlices } from "./in-slices.js";
import { pageKey, siteOf } from "./page-key.js";
import type { PageReader } from "./page-reader.js";
import type { Sitemap } from "./parse-sitemap.js";
import { readBytes } from "./read-bytes.js";
import type { CrawlRequest, Requests } from "./requests.js";
import type { RobotsTxt } from "./robots-txt.js";

/** The protocol's own limits of one file. */
const MAX_BYTES = 50 * 1024 * 1024;
const MAX_ADDRESSES = 50_000;
/** Ours, for all files of a site. */
const MAX_FILES = 50;
/** An index of sitemaps, and one below it: the protocol has one level. */
const MAX_LEVELS = 3;

/** What the sitemaps of a site brought. */
export interface SiteSitemaps {
  /** Of pages, as they stand there; on the site or not. At most 50,000. */
  readonly addresses: readonly string[];
  /** Files that were read. */
  readonly files: number;
  /** Files that couldn't be had or weren't asked for: missing, refused, too large, damaged, of another site, nested too deep, or more than 50. */
  readonly failed: number;
  /** Of them the addresses of those that may be had another time, which may name pages that nothing else does. */
  readonly unread: readonly string[];
}

export interface SitemapReaderOptions {
  /** Any address of the site. */
  readonly start: URL;
  readonly robots: RobotsTxt;
  readonly requests: Requests;
  readonly reader: PageReader;
  readonly limits: CrawlLimits;
}

type Signals = Pick<CrawlRequest, "waits"> & { readonly signal: AbortSignal };

/** Reads the sitemaps that robots.txt names, and `/sitemap.xml`. One that can't be had takes none of the others with it. */
export class SitemapReader {
  readonly #options: SitemapReaderOptions;
  /** The usual place need not have one. */
  readonly #guess: string | null;
  readonly #queue: { readonly address: string; readonly level: number }[];
  readonly #seen = new Set<string>();
  readonly #addresses: string[] = [];
  readonly #unread: string[] = [];
  #files = 0;
  #failed = 0;
  /** Files that were asked for; a usual place that has none is no file. */
  #asked = 0;

  constructor(options: SitemapReaderOptions) {
    const { start, robots } = options;
    this.#options = options;
    const usual = new URL("/sitemap.xml", start).href;
    this.#queue = [];
    for (const address of robots.sitemaps) {
      if (this.#hasRoom && URL.canParse(address, start.href)) this.#add(new URL(address, start).href, 1);
      else if (!this.#hasRoom) this.#failed++;
    }
    this.#guess = this.#seen.has(pageKey(usual)) || !robots.allows(usual) ? null : usual;
    if (this.#guess !== null) this.#add(this.#guess, 1);
  }

  /**
   * Reads what is not read yet. Where it rejects, it goes on from the same file the next time.
   *
   * @throws KnowledgeBaseError `leftAlone` where the site is to be left alone for now
   */
  async read(signals: Signals): Promise<SiteSitemaps> {
    for (let [next] = this.#queue; next !== undefined; [next] = this.#queue) {
      const { address, level } = next;
      if (this.#addresses.length < MAX_ADDRESSES) {
        const isWanted = this.#asked < MAX_FILES;
        const sitemap = isWanted ? await this.#sitemap(address, signals) : null;
        if (isWanted && (sitemap !== null || address !== this.#guess)) this.#asked++;
        await this.#take(address, level, sitemap);
      }
      this.#queue.shift();
    }
    return { addresses: this.#addresses, files: this.#files, failed: this.#failed, unread: this.#unread };
  }

  /** Whether one more may be read: an index of 50,000 others costs no more than one of 50. The usual place need not have one. */
  get #hasRoom(): boolean {
    return this.#queue.length <= MAX_FILES;
  }

  #add(address: string, level: number): void {
    const key = pageKey(address);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#queue.push({ address, level });
  }

  async #take(address: string, level: number, sitemap: Sitemap | null): Promise<void> {
    if (sitemap === null) {
      if (address !== this.#guess) this.#failed++;
      return;
    }
    this.#files++;
    const { isIndex, addresses } = sitemap;
    if (!isIndex) {
      for (const found of addresses) this.#addresses.push(found);
      return;
    }
    const site = siteOf(this.#options.start);
    await inSlices([...new Set(addresses)], (found) => {
      const mayBeRead = level < MAX_LEVELS && this.#hasRoom;
      // Whoever writes an index on this site may send us about it, and nowhere else.
      if (mayBeRead && URL.canParse(found) && siteOf(new URL(found)) === site) this.#add(found, level + 1);
      else this.#failed++;
    });
  }

  /** What is in a sitemap; null where it can't be had, which is noted unless the site says that there is none. */
  async #sitemap(address: string, signals: Signals): Promise<Sitemap | null> {
    const { requests, reader, limits, robots } = this.#options;
    const request = { followRedirects: true, delayMs: robots.delayMs, maxBytes: MAX_BYTES, ...signals };
    try {
      const bytes = await requests.send(address, request, async (response) => {
        if (response.ok) return readBytes(response, { maxBytes: MAX_BYTES, totalMs: limits.fileMs });
        if (response.status >= 500) this.#unread.push(address);
        return null;
      });
      if (bytes === null) return null;
      const maxAddresses = MAX_ADDRESSES - this.#addresses.length;
      return await reader.readSitemap({ bytes: await unpacked(bytes), maxAddresses }, signals.signal);
    } catch (error) {
      signals.signal.throwIfAborted();
      signals.waits?.throwIfAborted();
      if (!KnowledgeBaseError.is(error)) throw error;
      // Another site's wait is no reason not to go on with this one.
      if (error.leftAlone && siteOf(new URL(address)) === siteOf(this.#options.start)) throw error;
      if (error.retryable) this.#unread.push(address);
      return null;
    }
  }
}

async function unpacked(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_BYTES });
  } catch (cause) {
    throw new KnowledgeBaseError("provider_failed", "The sitemap is damaged, or too large.", {
      retryable: true,
      cause,
    });
  }
}
