/** The number of URLs in each state, not counting the sitemaps that were read. */
export interface CrawlCounts {
  readonly pending: number;
  readonly documents: number;
  readonly unchanged: number;
  readonly duplicates: number;
  readonly canonical: number;
  readonly moved: number;
  readonly failed: number;
  readonly leftOut: Readonly<Partial<Record<LeftOutReason, number>>>;
  readonly skipped: Readonly<Partial<Record<Exclude<SkipReason, "sitemap">, number>>>;
}

/** Why a URL is not crawled as a page. Except for sitemaps, the URL alone decides, and it is not fetched. */
export type SkipReason =
  /** Excluded by `includePaths` or `excludePaths`. */
  | "excluded"
  /** Deeper than `maxDepth`. */
  | "too_deep"
  /** A sitemap that was read. The next crawl fetches it again. */
  | "sitemap"
  /** A sitemap that could not be fetched. */
  | "unread_sitemap"
  | "too_long"
  /** The path repeats a segment too often. */
  | "repeating"
  /** Too many URLs with this path differ only in their queries. */
  | "variants"
  /** An image, media file, font, style sheet, feed, archive or program, judging by the extension. */
  | "not_document";

/** Why a fetched page has no document. */
export type LeftOutReason =
  /** Excluded by `includePaths` or `excludePaths`: the start page, which is read only for its links. */
  | "excluded"
  /** Disallowed by robots.txt. */
  | "robots"
  /** Excluded by a `noindex` directive in the page or its headers. */
  | "noindex"
  /** Status 404 or 410. */
  | "not_found"
  /** Status 200, but the content is an error page. */
  | "soft_not_found"
  /** Any other status from 400 to 499, except those that are retried: 408 and 429. */
  | "forbidden"
  | "too_large"
  /** No parser supports its format. */
  | "not_document"
  /** The page redirects to a URL outside the site. */
  | "outside"
  /** The page has no content. */
  | "empty";
