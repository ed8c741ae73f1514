/** How many addresses there are of each state; sitemaps that were read are none of a page and not counted. */
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

/** Why an address is not fetched, as far as the address tells. */
export type SkipReason =
  /** `includePaths` or `excludePaths`. */
  | "excluded"
  /** Deeper than `maxDepth`. */
  | "too_deep"
  /** A sitemap, not a page: it has been read, and is asked for again by the next crawl. Its `depth` is its level. */
  | "sitemap"
  /** A sitemap, not a page: it could not be had. */
  | "unread_sitemap"
  | "too_long"
  /** Path segments that come again and again. */
  | "repeating"
  /** The path has too many addresses that differ in the query alone. */
  | "variants"
  /** By its extension a picture, script, style, font, recording, archive or program. */
  | "not_document";

/** Why a page that was taken from the frontier has no document. */
export type LeftOutReason =
  /** `includePaths` or `excludePaths`: the start page, read for its links only. */
  | "excluded"
  /** robots.txt. */
  | "robots"
  /** The page's own word, or its headers'. */
  | "noindex"
  /** 404 or 410. */
  | "not_found"
  /** 200, and says that there is no such page. */
  | "soft_not_found"
  /** Any other answer of 400 to 499 that trying again doesn't change. */
  | "forbidden"
  | "too_large"
  /** No parser reads what it is. */
  | "not_document"
  /** It redirects out of the site. */
  | "outside"
  /** It has no content at all. */
  | "empty";
