import type { CrawlCounts, LeftOutReason, SkipReason } from "../domain/crawl-counts.js";

/**
 * The queue of URLs to fetch and the record of pages fetched. A durable frontier survives the process, so that the
 * crawl can continue from it.
 */
export interface Frontier {
  /** Adds URLs. Known keys are ignored, except for skipped URLs as described in {@link DiscoveredUrl.skip}. */
  add(discovered: readonly DiscoveredUrl[]): Promise<void>;
  /**
   * Returns the first pages that are not recorded yet, in queue order. A page joins the end of the queue when it is
   * discovered, discovered again after it was skipped, or queued for another fetch. So a crawl is breadth-first, and
   * proceeds in the same order after a crash. Pages returned earlier and not recorded are returned again, so a crawl
   * passes the keys of the pages in flight as `except`.
   */
  next(count: number, except: ReadonlySet<string>): Promise<FrontierPage[]>;
  /**
   * Records the outcome of a page atomically: its state, its document, and the URLs that it links to. A crawl records
   * one page at a time, in queue order. Returns "retry" if the page failed and was not recorded: a later run fetches
   * the page again.
   *
   * For `canonical`: the canonical URL that the target declares is ignored from now on, even if the target is
   * already recorded ({@link FrontierPage.ignoreCanonical}). Once the target turns out to have no page (it is skipped,
   * `left_out` or `failed`, or leads to such a page or back to itself), the pages that declare the target as canonical
   * are queued again, with `ignoreCanonical`.
   */
  record(page: FrontierPage, outcome: PageOutcome): Promise<"recorded" | "retry">;
  /** Moves a page that is not recorded yet to the end of the queue. */
  requeue(page: FrontierPage): Promise<void>;
  /** Finds the key of the page of this crawl whose document (new or `unchanged`) has this content, or `null`. */
  findByContentHash(contentHash: string): Promise<string | null>;
  /** Counts, for each path, the known URLs that are not skipped and whose key is the path, `?` and a query. */
  countQueryVariants(paths: readonly string[]): Promise<ReadonlyMap<string, number>>;
  counts(): Promise<CrawlCounts>;
  /** Returns the sitemaps that this or an earlier crawl has read: the URLs added with the skip reason `sitemap`. */
  knownSitemaps(): Promise<KnownSitemap[]>;
}

/** A URL found on the site. */
export interface DiscoveredUrl {
  /** The same for all spellings of the page's URL. */
  readonly key: string;
  /** The spelling to fetch, without a fragment. */
  readonly url: string;
  /** The number of links from the start page to this page, plus 1. The start page has depth 1. */
  readonly depth: number;
  /** The number of redirects since the last link. */
  readonly redirects: number;
  /**
   * Why the URL is not fetched; `null` if it is fetched. A skipped URL that is discovered again without a reason to
   * skip it is fetched, at the depth of that discovery.
   */
  readonly skip: SkipReason | null;
}

/** A sitemap that this crawl or an earlier one has read. */
export interface KnownSitemap {
  readonly url: string;
  /** 1 for a sitemap in robots.txt or at the default path; for any other, the level of its index plus 1. */
  readonly level: number;
}

/** A page to fetch. */
export interface FrontierPage {
  readonly key: string;
  readonly url: string;
  readonly depth: number;
  readonly redirects: number;
  /** Whether to ignore the canonical URL that the page declares. */
  readonly ignoreCanonical: boolean;
  /** The fetch by an earlier crawl; `null` if there is none or its document no longer exists. */
  readonly previous: PreviousFetch | null;
  /**
   * The page's links when it was last read, by this crawl or an earlier one, as in {@link FetchedPage}; `null` if the
   * page has never been read.
   */
  readonly links: readonly string[] | null;
}

/** An earlier fetch of a page whose document is unchanged and whose links are known. */
export interface PreviousFetch {
  /** The spelling that was fetched. The validators are not valid for any other. */
  readonly url: string;
  /** The `ETag` header of the response. */
  readonly etag: string | null;
  /** The `Last-Modified` header of the response. */
  readonly lastModified: string | null;
  readonly contentHash: string;
}

/**
 * The outcome of a page. `links` are unfiltered, as in {@link FetchedPage}; `found` are the URLs of the site that
 * `links` lead to.
 */
export type PageOutcome = { readonly found: readonly DiscoveredUrl[] } & (
  | { readonly kind: "document"; readonly page: FetchedPage }
  /** The site reports no change since {@link FrontierPage.previous}. */
  | { readonly kind: "unchanged" }
  /** Another page of this crawl has the same content. */
  | { readonly kind: "duplicate"; readonly of: string; readonly links: readonly string[] }
  /** The page declares another canonical URL, which `found` includes. */
  | { readonly kind: "canonical"; readonly to: string; readonly links: readonly string[] }
  /**
   * The page redirects to another page of the site, which `found` includes. For a `temporary` redirect, which may end,
   * `found` includes the page's earlier links too.
   */
  | { readonly kind: "moved"; readonly to: string; readonly temporary: boolean }
  | {
      readonly kind: "left_out";
      readonly reason: LeftOutReason;
      /** Whether the page may be available later: its document stays, and `found` holds its earlier links. */
      readonly temporary: boolean;
      /** `null` if the page was not read. */
      readonly links: readonly string[] | null;
    }
  /** `found` holds the page's earlier links, used if the failure is final. `message` says what failed, with the URL. */
  | { readonly kind: "failed"; readonly message: string; readonly retryable: boolean }
);

/** A fetched page or file. */
export interface FetchedPage {
  /** The URL that responded, after redirects. */
  readonly url: string;
  readonly bytes: Uint8Array;
  /** The detected type, without parameters. */
  readonly mimeType: string;
  /** The charset of the `Content-Type` header. */
  readonly charset: string | null;
  /** A file's name, from the `Content-Disposition` header or the URL; `null` for a page. */
  readonly fileName: string | null;
  readonly title: string | null;
  readonly description: string | null;
  /** A BCP 47 tag, as the page spells it. */
  readonly language: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** The SHA-256, in hex, of what the document is made from: a page's title and blocks, or a file's bytes and type. */
  readonly contentHash: string;
  /** Absolute URLs of the page's links within the site, unfiltered except for nofollow. */
  readonly links: readonly string[];
}
