import type { CrawlCounts, LeftOutReason, SkipReason } from "../domain/crawl-counts.js";

/**
 * What a crawl keeps of its pages. The crawl decides, the frontier remembers: whatever it holds survives the process where it is durable,
 * and a crawl goes on from what it holds.
 */
export interface Frontier {
  /** Adds addresses; those whose key is known are passed over, except as {@link FoundAddress.skip} says. */
  add(found: readonly FoundAddress[]): Promise<void>;
  /**
   * The first pages that are not settled, in the order in which they came to be fetched: a page that is found later, found again after it
   * was skipped, or to be fetched again stands behind all others (that alone makes a crawl breadth-first, and the same after a kill).
   * Pages that it gave before and that were not settled come again, so a crawl asks with those it holds as `except`.
   */
  next(count: number, except: ReadonlySet<string>): Promise<FrontierPage[]>;
  /**
   * Keeps what became of a page: in one step its state, its document, and the addresses it brought. A crawl settles one page at a time,
   * in the order in which it got them. Returns "later" for one that failed and is not settled: a later run gets it again.
   *
   * Of `canonical`: the target stands alone from now on ({@link FrontierPage.standsAlone}), whether it is settled or not; as soon as the
   * target is settled as `left_out` or `failed`, or as `moved` to such a page or back (or is so already, or is skipped and stays so), the
   * pages that were folded into it are to be fetched again, and stand alone.
   */
  settle(page: FrontierPage, outcome: PageOutcome): Promise<"settled" | "later">;
  /** Puts a page that is not settled behind all others, as if it were found now. */
  postpone(page: FrontierPage): Promise<void>;
  /** The key of the page of this crawl whose document has this content: a `document`, or an `unchanged` one. */
  holderOf(contentHash: string): Promise<string | null>;
  /** For each path how many addresses are known (skipped ones apart) whose key is the path, `?` and more. */
  variantsOf(paths: readonly string[]): Promise<ReadonlyMap<string, number>>;
  counts(): Promise<CrawlCounts>;
  /** The sitemaps that were known when the last crawl of the site had read them: what `sitemap` addresses were added for. */
  sitemaps(): Promise<KnownSitemap[]>;
}

/** An address that leads to a page of the site. */
export interface FoundAddress {
  /** One for all spellings of the page's address. */
  readonly key: string;
  /** The spelling that is fetched, without a fragment. */
  readonly url: string;
  /** Links between the start page and this one, plus 1: the start page has 1. */
  readonly depth: number;
  /** Redirects on the way to it from the last link. */
  readonly redirects: number;
  /**
   * Why it is never fetched; null for one that is. An address that was skipped and is found again without a reason to skip is fetched, at
   * the depth of that time.
   */
  readonly skip: SkipReason | null;
}

/** A sitemap that this crawl or an earlier one has read. */
export interface KnownSitemap {
  readonly url: string;
  /** 1 for one that robots.txt names or that is at the usual place, 2 for one that such an index names. */
  readonly level: number;
}

/** A page to fetch. */
export interface FrontierPage {
  readonly key: string;
  readonly url: string;
  readonly depth: number;
  readonly redirects: number;
  /** Whether the canonical address that the page names is passed over. */
  readonly standsAlone: boolean;
  /** Of an earlier crawl, where its document is still there; null otherwise. */
  readonly known: KnownPage | null;
  /**
   * Where it led when it was last read, by this crawl or an earlier one: absolute addresses as in {@link FetchedPage}. Null where it
   * never was.
   */
  readonly links: readonly string[] | null;
}

/** What an earlier fetch of a page brought; its document is still what it was, and its links are known. */
export interface KnownPage {
  /** The spelling of its address that answered: what is known says nothing of another one. */
  readonly url: string;
  /** Of the answer's headers, as they stood there. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly contentHash: string;
}

/** `links` as in {@link FetchedPage}: where the page leads, before any rule; `found` are the addresses that come of it. */
export type PageOutcome =
  | { readonly kind: "document"; readonly page: FetchedPage; readonly found: readonly FoundAddress[] }
  /** The site says that the page is what it was when {@link FrontierPage.known} was fetched. */
  | { readonly kind: "unchanged"; readonly found: readonly FoundAddress[] }
  /** Another page of this crawl has the same content. */
  | {
      readonly kind: "duplicate";
      readonly of: string;
      readonly links: readonly string[];
      readonly found: readonly FoundAddress[];
    }
  /** The page names another address as its own; `found` has that address too. */
  | {
      readonly kind: "canonical";
      readonly to: string;
      readonly links: readonly string[];
      readonly found: readonly FoundAddress[];
    }
  /**
   * The page redirects to another one of the site; `found` has that address. Where it does so `forNow`, it may come back, and `found` has
   * the addresses that it led to before, too.
   */
  | { readonly kind: "moved"; readonly to: string; readonly forNow: boolean; readonly found: readonly FoundAddress[] }
  | {
      readonly kind: "left_out";
      readonly reason: LeftOutReason;
      /** Whether the site may give it again: a document that there was stays, and `found` is where the page led before. */
      readonly forNow: boolean;
      /** Null where it was not read. */
      readonly links: readonly string[] | null;
      readonly found: readonly FoundAddress[];
    }
  /**
   * `retryable` where the same page may be had later; `message` says what failed, and of which address. `found` is where the page led
   * before, for a failure that settles it.
   */
  | {
      readonly kind: "failed";
      readonly message: string;
      readonly retryable: boolean;
      readonly found: readonly FoundAddress[];
    };

/** A page or file as it was fetched. */
export interface FetchedPage {
  /** The address that answered, after redirects. */
  readonly url: string;
  readonly bytes: Uint8Array;
  /** What it was seen to be, without parameters. */
  readonly mimeType: string;
  /** Of the header; null where it names none. */
  readonly charset: string | null;
  /** A file's name, from the header or the address; null for a page. */
  readonly fileName: string | null;
  readonly title: string | null;
  readonly description: string | null;
  /** A BCP 47 tag, as the page spells it. */
  readonly language: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Equal for what makes the same document: a SHA-256 in hex, of a page's title and blocks, or of a file's bytes and type. */
  readonly contentHash: string;
  /** Absolute addresses on the site that the page leads to, before any rule but nofollow. */
  readonly links: readonly string[];
}
