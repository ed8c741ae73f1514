import type { LeftOutReason } from "../domain/crawl-counts.js";
import { type ErrorCode, KnowledgeBaseError } from "../errors.js";
import type { FetchResult } from "./fetch-page.js";
import type { DiscoveredUrl, FetchedPage, FrontierPage, KnownSitemap, PageOutcome } from "./frontier.js";
import { cleanUrl, pageKey } from "./page-key.js";
import type { SiteSitemaps } from "./sitemap-reader.js";
import { isSoft404, type PageSample } from "./soft-404.js";
import type { UrlRules } from "./url-rules.js";

/** The number of consecutive redirects between pages that are followed. */
const MAX_REDIRECTS = 5;

export interface PageClassifierOptions {
  readonly startKey: string;
  readonly rules: UrlRules;
  /** See {@link Frontier.findByContentHash}. */
  findByContentHash(contentHash: string): Promise<string | null>;
  /** Returns the page that the site serves for a URL that doesn't exist; `null` if it serves none, as it should. */
  getNotFoundSample(): Promise<PageSample | null>;
  readSitemaps(): Promise<Pick<SiteSitemaps, "urls" | "unread" | "known">>;
}

/** Decides whether a fetched page becomes a document, is a duplicate, leads to another page, or is left out. */
export class PageClassifier {
  readonly #options: PageClassifierOptions;

  constructor(options: PageClassifierOptions) {
    this.#options = options;
  }

  /** @throws KnowledgeBaseError if the crawl can't start, because the start page can't be fetched or isn't a page */
  async classify(page: FrontierPage, result: FetchResult): Promise<PageOutcome> {
    const outcome = await this.#classify(page, result);
    if (page.depth === 1) requireStartPage(page, outcome);
    const { rules, startKey, readSitemaps } = this.#options;
    if (page.key !== startKey || rules.maxDepth === 1 || outcome.kind === "failed") return outcome;
    const { urls, unread, known } = await readSitemaps();
    const listed = await rules.evaluate(urls, { depth: 2 });
    // Recorded with the start page, so that the end of the crawl knows the sitemaps even after a crash.
    const sitemaps = [
      ...unread.map((url) => sitemapEntry("unread_sitemap", { url, level: 1 })),
      ...known.map((sitemap) => sitemapEntry("sitemap", sitemap)),
    ];
    return { ...outcome, found: [...outcome.found, ...listed, ...sitemaps] };
  }

  async #classify(page: FrontierPage, result: FetchResult): Promise<PageOutcome> {
    switch (result.kind) {
      case "failed":
        return { ...result, found: await this.#evaluateEarlierLinks(page) };
      case "left_out": {
        const { reason, temporary = false } = result;
        const found = temporary ? await this.#evaluateEarlierLinks(page) : [];
        return { kind: "left_out", reason, temporary, links: null, found };
      }
      case "moved":
        return this.#classifyRedirect(page, result);
      case "unchanged":
        return this.#classifyUnchanged(page);
      case "file":
        return result.noindex ? leftOut("noindex", null, []) : this.#classifyContent(page, result.page, []);
      case "page":
        return this.#classifyPage(page, result);
    }
  }

  /**
   * Evaluates the earlier links of a page that can't be read now. Otherwise the documents of pages to which only this
   * page links would be removed.
   */
  async #evaluateEarlierLinks({ links, depth }: FrontierPage): Promise<DiscoveredUrl[]> {
    return this.#options.rules.evaluate(links ?? [], { depth: depth + 1 });
  }

  async #classifyRedirect(
    page: FrontierPage,
    { to, temporary }: Pick<Extract<FetchResult, { kind: "moved" }>, "to" | "temporary">,
  ): Promise<PageOutcome> {
    if (!this.#options.rules.isOnSite(to)) {
      return { ...leftOut("outside", null, temporary ? await this.#evaluateEarlierLinks(page) : []), temporary };
    }
    const redirects = page.redirects + 1;
    if (redirects > MAX_REDIRECTS) {
      const message = `${page.url} redirects again after ${MAX_REDIRECTS} redirects in a row.`;
      return { kind: "failed", message, retryable: false, found: await this.#evaluateEarlierLinks(page) };
    }
    const target = await this.#options.rules.evaluate([to], { depth: page.depth, redirects });
    const found = temporary ? [...target, ...(await this.#evaluateEarlierLinks(page))] : target;
    return { kind: "moved", to: pageKey(to), temporary, found };
  }

  async #classifyUnchanged(page: FrontierPage): Promise<PageOutcome> {
    const { key, url } = page;
    const links = page.links!;
    const found = await this.#evaluateEarlierLinks(page);
    if (!this.#options.rules.isIncluded(url)) return leftOut("excluded", links, found);
    const original = await this.#options.findByContentHash(page.previous!.contentHash);
    if (original !== null && original !== key) return { kind: "duplicate", of: original, links, found };
    return { kind: "unchanged", found };
  }

  async #classifyPage(
    requested: FrontierPage,
    { page, metadata }: Extract<FetchResult, { kind: "page" }>,
  ): Promise<PageOutcome> {
    const { rules, getNotFoundSample } = this.#options;
    const { links } = page;
    if (metadata.refresh !== null && pageKey(metadata.refresh) !== requested.key) {
      // Used by login pages, busy pages, and pages that have moved.
      return this.#classifyRedirect(requested, { to: metadata.refresh, temporary: true });
    }
    const sample = { url: page.url, title: metadata.title, text: metadata.text };
    if (requested.depth > 1 && isSoft404(sample, await getNotFoundSample())) return leftOut("soft_not_found", null, []);
    const found = await rules.evaluate(links, { depth: requested.depth + 1 });
    if (metadata.noindex) return leftOut("noindex", links, found);
    const canonical = await this.#canonicalTarget(requested, metadata.canonical);
    if (canonical) return { kind: "canonical", to: canonical.key, links, found: [canonical, ...found] };
    if (!rules.isIncluded(page.url)) return leftOut("excluded", links, found);
    if (metadata.isEmpty) return leftOut("empty", links, found);
    return this.#classifyContent(requested, page, found);
  }

  /**
   * Returns the page of the site that this page declares as its canonical URL, if the declaration can be trusted. Many
   * sites declare the home page on all pages by mistake: then no other page would be left.
   */
  async #canonicalTarget(page: FrontierPage, canonical: string | null): Promise<DiscoveredUrl | undefined> {
    if (canonical === null || page.ignoreCanonical || pageKey(canonical) === page.key) return undefined;
    const isHome = new URL(canonical).pathname === "/" && new URL(canonical).search === "";
    if (isHome && !/^\/(?:(?:index|default|home)\.\w+)?$/i.test(new URL(page.url).pathname)) return undefined;
    // Even the start page's canonical URL is an ordinary page: `includePaths` apply to it.
    const found = await this.#options.rules.evaluate([canonical], { depth: Math.max(2, page.depth) });
    return found.find(({ skip }) => skip === null);
  }

  async #classifyContent(
    { key, url }: FrontierPage,
    page: FetchedPage,
    found: readonly DiscoveredUrl[],
  ): Promise<PageOutcome> {
    const { links, contentHash } = page;
    if (!this.#options.rules.isIncluded(url)) return leftOut("excluded", links, found);
    const original = await this.#options.findByContentHash(contentHash);
    if (original !== null && original !== key) return { kind: "duplicate", of: original, links, found };
    return { kind: "document", page, found };
  }
}

function leftOut(
  reason: LeftOutReason,
  links: readonly string[] | null,
  found: readonly DiscoveredUrl[],
): Extract<PageOutcome, { kind: "left_out" }> {
  return { kind: "left_out", reason, temporary: false, links, found };
}

/** Returns the entry for a sitemap. Its key has a prefix, because a page may also link to the sitemap. */
function sitemapEntry(skip: "sitemap" | "unread_sitemap", { url, level }: KnownSitemap): DiscoveredUrl {
  return { key: `${skip} ${pageKey(url)}`, url: cleanUrl(url).href, depth: level, redirects: 0, skip };
}

/** The errors for a start page, by the reason for which any other page is left out. */
const START_PAGE_ERRORS: Partial<Record<LeftOutReason, readonly [ErrorCode, string]>> = {
  robots: ["forbidden", "the site's robots.txt disallows it"],
  not_found: ["not_found", "the site has no such page"],
  forbidden: ["forbidden", "the site denies access to it"],
  too_large: ["limit_exceeded", "it is too large"],
  not_document: ["unsupported", "it is neither a page nor a file in a supported format"],
  outside: ["invalid_input", "it redirects to another site; start the crawl there"],
};

function requireStartPage({ url }: FrontierPage, outcome: PageOutcome): void {
  if (outcome.kind === "failed") {
    throw new KnowledgeBaseError("provider_failed", `The crawl can't start: ${outcome.message}`, outcome);
  }
  const isDeadEnd = outcome.kind === "moved" && outcome.found.every(({ skip }) => skip !== null);
  const reason = isDeadEnd ? "not_document" : outcome.kind === "left_out" ? outcome.reason : null;
  const error = reason === null ? undefined : START_PAGE_ERRORS[reason];
  if (error) throw new KnowledgeBaseError(error[0], `The crawl can't start at ${url}: ${error[1]}.`);
}
