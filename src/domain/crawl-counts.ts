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

/** Why a URL is not fetched, decided from the URL alone. */
export type SkipReason =
  /** `includePaths` or `excludePaths`. */
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
  /** `includePaths` or `excludePaths`: the start page, read for its links only. */
  | "excluded"
  /** robots.txt. */
  | "robots"
  /** A directive in the page or its headers. */
  | "noindex"
  /** 404 or 410. */
  | "not_found"
  /** 200, but the content is an error page. */
  | "soft_not_found"
  /** Any other permanent response from 400 to 499. */
  | "forbidden"
  | "too_large"
  /** No parser supports its format. */
  | "not_document"
  /** It redirects out of the site. */
  | "outside"
  /** It has no content at all. */
  | "empty";
