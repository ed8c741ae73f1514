import type { CrawlCounts, LeftOutReason, SkipReason } from "../domain/crawl-counts.js";

/**
 * The queue of URLs to fetch and the record of pages fetched. A durable one survives the process, and the crawl
 * continues from it.
 */
export interface Frontier {
  /** Adds URLs. Known keys are ignored, except as {@link DiscoveredUrl.skip} says. */
  add(discovered: readonly DiscoveredUrl[]): Promise<void>;
  /**
   * The first pages that are not recorded yet, in queue order. A page joins the end of the queue when it is discovered,
   * discovered again after it was skipped, or queued for another fetch; this makes a crawl breadth-first, and the same
   * after a crash. Pages returned earlier and not recorded are returned again, so a crawl passes those in flight as
   * `except`.
   */
  next(count: number, except: ReadonlySet<string>): Promise<FrontierPage[]>;
  /**
   * Records the outcome of a page in one step: its state, its document, and the URLs that it links to. A crawl records
   * one page at a time, in queue order. Returns "retry" for a page that failed and is not recorded: a later run fetches
   * it again.
   *
   * For `canonical`: the canonical URL that the target declares is ignored from now on
   * ({@link FrontierPage.ignoreCanonical}), whether the target is recorded or not. Once the target turns out to have no
   * page (it is skipped, `left_out` or `failed`, or leads to such a page or back to itself), the pages canonicalised to
   * it are queued again, with `ignoreCanonical`.
   */
  record(page: FrontierPage, outcome: PageOutcome): Promise<"recorded" | "retry">;
  /** Moves a page that is not recorded yet to the end of the queue. */
  requeue(page: FrontierPage): Promise<void>;
  /** The key of the page of this crawl whose document (new or `unchanged`) has this content; `null` if none has. */
  findByContentHash(contentHash: string): Promise<string | null>;
  /** For each path, the number of known URLs, without skipped ones, whose key is the path, `?` and a query. */
  countQueryVariants(paths: readonly string[]): Promise<ReadonlyMap<string, number>>;
  counts(): Promise<CrawlCounts>;
  /** The sitemaps that this crawl or an earlier one has read: those added with the skip reason `sitemap`. */
  knownSitemaps(): Promise<KnownSitemap[]>;
}

/** A URL that leads to a page of the site. */
export interface DiscoveredUrl {
  /** Equal for all spellings of the page's URL. */
  readonly key: string;
  /** The spelling to fetch, without a fragment. */
  readonly url: string;
  /** Links between the start page and this one, plus 1: the start page has 1. */
  readonly depth: number;
  /** Redirects since the last link. */
  readonly redirects: number;
  /**
   * Why the URL is not fetched; `null` if it is. A skipped URL that is discovered again without a reason to skip is
   * fetched, at the depth of that discovery.
   */
  readonly skip: SkipReason | null;
}

/** A sitemap that this crawl or an earlier one has read. */
export interface KnownSitemap {
  readonly url: string;
  /** 1 for a sitemap in robots.txt or at the default path; for any other, 1 more than for its index. */
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
  /** The fetch by an earlier crawl, if its document still exists. */
  readonly previous: PreviousFetch | null;
  /**
   * The page's links when it was last read, by this crawl or an earlier one, as in {@link FetchedPage}; `null` if it
   * never was.
   */
  readonly links: readonly string[] | null;
}

/** An earlier fetch of a page whose document is unchanged and whose links are known. */
export interface PreviousFetch {
  /** The spelling that was fetched: the validators are not valid for another one. */
  readonly url: string;
  /** As in the response header. */
  readonly etag: string | null;
  /** As in the response header. */
  readonly lastModified: string | null;
  readonly contentHash: string;
}

/**
 * The outcome of a page. `links` are unfiltered, as in {@link FetchedPage}; `found` are the URLs of the site that come
 * from them.
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
   * The page redirects to another page of the site, which `found` includes. A `temporary` redirect may end, so `found`
   * then includes the page's earlier links too.
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
  /** From the `Content-Type` header. */
  readonly charset: string | null;
  /** A file's name, from the header or the URL; `null` for a page. */
  readonly fileName: string | null;
  readonly title: string | null;
  readonly description: string | null;
  /** A BCP 47 tag, as the page spells it. */
  readonly language: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** A SHA-256 in hex of what the document is made from: a page's title and blocks, or bytes and type. */
  readonly contentHash: string;
  /** Absolute URLs of the page's links within the site, unfiltered except for nofollow. */
  readonly links: readonly string[];
}
