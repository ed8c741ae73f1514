import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { KnowledgeBaseError } from "../../errors.js";
import { readText } from "../../parsers/read-text.js";
import type { CrawlLimits } from "./crawl-limits.js";
import { pageKey, siteOf } from "./page-key.js";
import { parseSitemap } from "./parse-sitemap.js";
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
  readonly limits: CrawlLimits;
}

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

  constructor(options: SitemapReaderOptions) {
    const { start, robots } = options;
    this.#options = options;
    const usual = new URL("/sitemap.xml", start).href;
    const named = robots.sitemaps.flatMap((address) =>
      URL.canParse(address, start.href) ? new URL(address, start).href : [],
    );
    this.#guess = named.includes(usual) || !robots.allows(usual) ? null : usual;
    const addresses = this.#guess === null ? named : [...named, this.#guess];
    this.#queue = addresses.map((address) => ({ address, level: 1 }));
  }

  /**
   * Reads what is not read yet. Where it rejects, it goes on from the same file the next time.
   *
   * @throws KnowledgeBaseError `leftAlone` where the site is to be left alone for now
   */
  async read(signals: Pick<CrawlRequest, "signal" | "waits">): Promise<SiteSitemaps> {
    for (let [next] = this.#queue; next !== undefined; [next] = this.#queue) {
      const { address, level } = next;
      const key = pageKey(address);
      if (!this.#seen.has(key) && this.#addresses.length < MAX_ADDRESSES) {
        const isWanted = level <= MAX_LEVELS && this.#files + this.#failed < MAX_FILES;
        this.#take(address, level, isWanted ? await this.#text(address, signals) : null);
      }
      this.#seen.add(key);
      this.#queue.shift();
    }
    return { addresses: this.#addresses, files: this.#files, failed: this.#failed, unread: this.#unread };
  }

  #take(address: string, level: number, text: string | null): void {
    if (text === null) {
      if (address !== this.#guess) this.#failed++;
      return;
    }
    this.#files++;
    const { isIndex, addresses } = parseSitemap(text, MAX_ADDRESSES - this.#addresses.length);
    if (!isIndex) {
      for (const found of addresses) this.#addresses.push(found);
      return;
    }
    for (const found of addresses) {
      // Whoever writes an index on this site may send us about it, and nowhere else.
      const isOnSite = URL.canParse(found) && siteOf(new URL(found)) === siteOf(this.#options.start);
      if (isOnSite) this.#queue.push({ address: found, level: level + 1 });
      else this.#failed++;
    }
  }

  /** The text of a sitemap; null where it can't be had, which is noted unless the site says that there is none. */
  async #text(address: string, signals: Pick<CrawlRequest, "signal" | "waits">): Promise<string | null> {
    const { requests, limits, robots } = this.#options;
    const request = { followRedirects: true, delayMs: robots.delayMs, maxBytes: MAX_BYTES, ...signals };
    try {
      const bytes = await requests.send(address, request, async (response) => {
        if (response.ok) return readBytes(response, { maxBytes: MAX_BYTES, totalMs: limits.fileMs });
        if (response.status >= 500) this.#unread.push(address);
        return null;
      });
      return bytes === null ? null : (await readText(await unpacked(bytes))).text;
    } catch (error) {
      signals.signal?.throwIfAborted();
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
