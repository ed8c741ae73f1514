import { hash } from "node:crypto";
import type { SkipReason } from "../domain/crawl-counts.js";
import type { CrawlOptions } from "./crawl-options.js";
import { DEFAULT_MAX_DEPTH } from "./crawl-options.js";
import { mayBeDocumentUrl } from "./document-urls.js";
import { forEachYielding } from "./for-each-yielding.js";
import type { DiscoveredUrl } from "./frontier.js";
import { cleanUrl, pageKey, pathBeforeQuery, siteOf } from "./page-key.js";
import { PathRules } from "./path-rules.js";

/**
 * The usual limit of browsers and sitemaps. Longer URLs come from broken programs, although RFC 9110 asks servers to
 * support 8,000.
 */
const MAX_URL_CHARS = 2048;

/** Of a longer URL, only the start is recorded. A shorter URL is parsed, because it may fit once it is cleaned. */
const MAX_PARSED_CHARS = 8 * MAX_URL_CHARS;

/** How often a segment may occur in a path. Broken relative links make paths grow without end. */
const MAX_SEGMENT_OCCURRENCES = 3;

/**
 * The number of URLs with the same path that differ only in the query. One parameter enumerates content (`?id=7`);
 * several parameters multiply, as in filters and calendars.
 */
const MAX_QUERY_VARIANTS = { oneParameter: 1000, severalParameters: 100 };

export interface UrlRulesOptions extends Pick<CrawlOptions, "includePaths" | "excludePaths" | "maxDepth"> {
  readonly start: URL;
  /** See {@link Frontier.countQueryVariants}. */
  countQueryVariants(paths: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** Where a URL was discovered. */
export interface DiscoveryContext {
  readonly depth: number;
  /** The number of redirects since the last link. @default 0 */
  readonly redirects?: number;
}

/** Decides which URLs a crawl fetches, based on the URLs alone. */
export class UrlRules {
  readonly #options: UrlRulesOptions;
  readonly #paths: PathRules;
  readonly #maxDepth: number;

  /** @throws KnowledgeBaseError `invalid_input` for an include or exclude rule that is not a path */
  constructor(options: UrlRulesOptions) {
    this.#options = options;
    this.#paths = new PathRules(options.includePaths, options.excludePaths);
    this.#maxDepth = options.maxDepth ?? DEFAULT_MAX_DEPTH;
  }

  get maxDepth(): number {
    return this.#maxDepth;
  }

  isIncluded(url: string): boolean {
    return this.#paths.isIncluded(new URL(url));
  }

  isOnSite(url: string): boolean {
    return siteOf(new URL(url)) === siteOf(this.#options.start);
  }

  /**
   * Returns the URLs that are on the site, one per page, with the reason for each URL that is skipped. Yields to the
   * event loop every few milliseconds.
   */
  async evaluate(urls: readonly string[], { depth, redirects = 0 }: DiscoveryContext): Promise<DiscoveredUrl[]> {
    const pages = new Map<string, DiscoveredUrl>();
    const site = siteOf(this.#options.start);
    await forEachYielding(urls, (text) => {
      const isTooLong = text.length > MAX_PARSED_CHARS;
      const url = parseUrl(isTooLong ? text.slice(0, MAX_URL_CHARS) : text);
      if (url === null || siteOf(url) !== site) return;
      const key = isTooLong ? `${pageKey(url)}…${hash("sha256", text).slice(0, 16)}` : pageKey(url);
      if (pages.has(key)) return;
      const skip = isTooLong ? "too_long" : this.#skipReason(url, depth);
      pages.set(key, { key, url: url.href, depth, redirects, skip });
    });
    return this.#limitQueryVariants([...pages.values()]);
  }

  #skipReason(url: URL, depth: number): SkipReason | null {
    if (url.href.length > MAX_URL_CHARS) return "too_long";
    if (hasRepeatedSegments(url.pathname)) return "repeating";
    if (!mayBeDocumentUrl(url)) return "not_document";
    // Only the start page and the targets of its redirects have depth 1.
    if (depth > 1 && !this.#paths.isIncluded(url)) return "excluded";
    return depth > this.#maxDepth ? "too_deep" : null;
  }

  async #limitQueryVariants(found: readonly DiscoveredUrl[]): Promise<DiscoveredUrl[]> {
    const paths = new Set(found.flatMap(({ key, skip }) => (skip === null ? (pathBeforeQuery(key) ?? []) : [])));
    if (paths.size === 0) return [...found];
    const known = await this.#options.countQueryVariants([...paths]);
    const added = new Map<string, number>();
    return found.map((url) => {
      const path = pathBeforeQuery(url.key);
      if (url.skip !== null || path === null) return url;
      const count = added.get(path) ?? 0;
      added.set(path, count + 1);
      const max = url.key.includes("&") ? MAX_QUERY_VARIANTS.severalParameters : MAX_QUERY_VARIANTS.oneParameter;
      return Math.max(known.get(path) ?? 0, count) < max ? url : { ...url, skip: "variants" as const };
    });
  }
}

/** Returns `null` if the text is not an http or https URL. */
function parseUrl(text: string): URL | null {
  if (!/^\s*https?:/i.test(text) || !URL.canParse(text)) return null;
  return cleanUrl(text);
}

function hasRepeatedSegments(path: string): boolean {
  const counts = new Map<string, number>();
  for (const segment of path.split("/")) {
    if (segment === "") continue;
    const count = (counts.get(segment) ?? 0) + 1;
    if (count > MAX_SEGMENT_OCCURRENCES) return true;
    counts.set(segment, count);
  }
  return false;
}
