/** Number of URLs in each state. Sitemaps that were read are not counted. */
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

/** Why a URL has no page. Sitemaps aside, it is decided from the URL alone, which is then not fetched. */
export type SkipReason =
  /** By `includePaths` or `excludePaths`. */
  | "excluded"
  /** Deeper than `maxDepth`. */
  | "too_deep"
  /** A sitemap that was read, and is fetched again by the next crawl. Its `depth` is its level. */
  | "sitemap"
  /** A sitemap that could not be fetched. */
  | "unread_sitemap"
  | "too_long"
  /** Repeated path segments. */
  | "repeating"
  /** Too many URLs of this path differ only in the query. */
  | "variants"
  /** An image, script, style sheet, font, media file, archive or program by its extension. */
  | "not_document";

/** Why a fetched page has no document. */
export type LeftOutReason =
  /** By `includePaths` or `excludePaths`: the start page, read for its links only. */
  | "excluded"
  /** Disallowed by robots.txt. */
  | "robots"
  /** By a directive in the page or its headers. */
  | "noindex"
  /** Status 404 or 410. */
  | "not_found"
  /** Status 200, but the content is an error page. */
  | "soft_not_found"
  /** Any other permanent error, with a status from 400 to 499. */
  | "forbidden"
  | "too_large"
  /** No parser supports its format. */
  | "not_document"
  /** It redirects to a URL outside the site. */
  | "outside"
  /** It has no content. */
  | "empty";
