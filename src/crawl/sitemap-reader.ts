import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { KnowledgeBaseError } from "../errors.js";
import type { CrawlLimits } from "./crawl-limits.js";
import type { KnownSitemap } from "./frontier.js";
import { inSlices } from "./in-slices.js";
import { cleanAddress, pageKey, siteOf } from "./page-key.js";
import type { PageReader } from "./page-reader.js";
import { readBytes } from "./read-bytes.js";
import type { ReadSitemap } from "./read-sitemap.js";
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
  /**
   * The addresses of those that may name pages that nothing else does, and may be had another time: they fail for now, are cut off, or
   * were read by an earlier crawl and are neither gone nor sitemaps now.
   */
  readonly unread: readonly string[];
  /** For the next crawl to ask for: read now, or before and unread now. */
  readonly known: readonly KnownSitemap[];
}

export interface SitemapReaderOptions {
  /** Any address of the site. */
  readonly start: URL;
  readonly robots: RobotsTxt;
  readonly requests: Requests;
  readonly reader: PageReader;
  readonly limits: CrawlLimits;
  /** Of an earlier crawl: asked for as well, wherever they were named. */
  readonly known: readonly KnownSitemap[];
}

interface Queued extends KnownSitemap {
  /** Whether nobody says that it is there. */
  readonly isGuess: boolean;
}

/** What became of a request for a sitemap. `later`: it may be had another time, also where it never was. */
type Answer = ReadSitemap | "gone" | "refused" | "later";

type Signals = Pick<CrawlRequest, "waits"> & { readonly signal: AbortSignal };

/** Reads the sitemaps that robots.txt names, and `/sitemap.xml`. One that can't be had takes none of the others with it. */
export class SitemapReader {
  readonly #options: SitemapReaderOptions;
  readonly #earlier: ReadonlyMap<string, KnownSitemap>;
  readonly #queue: Queued[] = [];
  readonly #seen = new Set<string>();
  readonly #addresses: string[] = [];
  readonly #unread: string[] = [];
  readonly #known: KnownSitemap[] = [];
  #files = 0;
  #failed = 0;
  /** Files that were asked for; a guessed place that has none is no file. */
  #asked = 0;

  constructor(options: SitemapReaderOptions) {
    const { start, robots, known } = options;
    this.#options = options;
    this.#earlier = new Map(known.map((sitemap) => [pageKey(sitemap.url), sitemap]));
    for (const address of robots.sitemaps) {
      if (!this.#hasRoom) this.#failed++;
      else if (URL.canParse(address, start.href)) {
        this.#add({ url: new URL(address, start).href, level: 1, isGuess: false });
      }
    }
    const roots = known.filter(({ level }) => level === 1).map(({ url }) => url);
    // The usual place need not have one, and a robots.txt that can't be had names none.
    for (const url of [new URL("/sitemap.xml", start).href, ...roots]) {
      if (robots.allows(url)) this.#add({ url, level: 1, isGuess: true });
    }
  }

  /**
   * Reads what is not read yet. Where it rejects, it goes on from the same file the next time.
   *
   * @throws KnowledgeBaseError `deferred` where the site is to be left alone for now
   */
  async read(signals: Signals): Promise<SiteSitemaps> {
    for (let [next] = this.#queue; next !== undefined; [next] = this.#queue) {
      if (this.#addresses.length < MAX_ADDRESSES) {
        if (this.#asked < MAX_FILES) await this.#take(next, await this.#ask(next.url, signals));
        else if (!next.isGuess) this.#failed++;
      }
      this.#queue.shift();
      if (this.#queue.length === 0 && this.#unread.length > 0) this.#addOrphans();
    }
    return {
      addresses: this.#addresses,
      files: this.#files,
      failed: this.#failed,
      unread: this.#unread,
      known: this.#known,
    };
  }

  /** Whether one more may be read: an index of 50,000 others costs no more than one of 50. One place may be a guess. */
  get #hasRoom(): boolean {
    return this.#queue.length <= MAX_FILES;
  }

  #add(sitemap: Queued): void {
    const key = pageKey(sitemap.url);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#queue.push(sitemap);
  }

  /** Sitemaps of an earlier crawl that one which can't be read now may name. */
  #addOrphans(): void {
    for (const sitemap of this.#earlier.values()) if (sitemap.level > 1) this.#add({ ...sitemap, isGuess: true });
  }

  async #take({ url, level, isGuess }: Queued, answer: Answer): Promise<void> {
    const sitemap = typeof answer === "object" ? answer : null;
    const state = sitemap?.state ?? "none";
    const wasRead = this.#earlier.has(pageKey(url));
    const isUnread = answer === "later" || state === "cut_off" || (wasRead && answer !== "gone" && state === "none");
    if (isUnread) this.#unread.push(url);
    if (state !== "none" || (wasRead && isUnread)) this.#known.push({ url: cleanAddress(url).href, level });
    if (sitemap !== null || !isGuess) this.#asked++;
    if (sitemap === null) {
      if (!isGuess) this.#failed++;
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
      if (mayBeRead && URL.canParse(found) && siteOf(new URL(found)) === site)
        this.#add({ url: found, level: level + 1, isGuess: false });
      else this.#failed++;
    });
  }

  async #ask(address: string, signals: Signals): Promise<Answer> {
    const { requests, reader, limits, robots } = this.#options;
    const isOwn = siteOf(new URL(address)) === siteOf(this.#options.start);
    // What this site asks for is not to be the pace of another one.
    const delayMs = isOwn ? robots.delayMs : 0;
    const request = { followRedirects: true, delayMs, maxBytes: MAX_BYTES, ...signals };
    try {
      const answer = await requests.send(address, request, async (response) => {
        if (response.ok) return readBytes(response, { maxBytes: MAX_BYTES, totalMs: limits.fileMs });
        if (response.status === 404 || response.status === 410) return "gone";
        return response.status >= 500 ? "later" : "refused";
      });
      if (typeof answer === "string") return answer;
      const maxAddresses = MAX_ADDRESSES - this.#addresses.length;
      return await reader.readSitemap({ bytes: await unpacked(answer), maxAddresses }, signals.signal);
    } catch (error) {
      signals.signal.throwIfAborted();
      signals.waits?.throwIfAborted();
      if (!KnowledgeBaseError.is(error)) throw error;
      // Another site's wait is no reason not to go on with this one.
      if (error.deferred && isOwn) throw error;
      return error.retryable ? "later" : "refused";
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
