import type { LeftOutReason } from "../domain/crawl-counts.js";
import { type ErrorCode, KnowledgeBaseError } from "../errors.js";
import type { AddressRules } from "./address-rules.js";
import type { PageAnswer } from "./fetch-page.js";
import type { FoundAddress, FrontierPage, KnownSitemap, PageOutcome } from "./frontier.js";
import { cleanAddress, pageKey } from "./page-key.js";
import type { SiteSitemaps } from "./sitemap-reader.js";
import { type ComparedPage, isSoftNotFound } from "./soft-not-found.js";

/** Redirects from page to page that are followed. */
const MAX_REDIRECTS = 5;

export interface JudgeOptions {
  readonly startKey: string;
  readonly rules: AddressRules;
  /** As in {@link Frontier}. */
  holderOf(contentHash: string): Promise<string | null>;
  /** What the site shows at an address that can't exist; null where it says that there is no such page. */
  missing(): Promise<ComparedPage | null>;
  sitemaps(): Promise<Pick<SiteSitemaps, "addresses" | "unread" | "known">>;
}

type Asked = Pick<FrontierPage, "key" | "url" | "depth" | "redirects" | "standsAlone" | "known" | "links">;

/** Decides what becomes of a page. */
export class Judge {
  readonly #options: JudgeOptions;

  constructor(options: JudgeOptions) {
    this.#options = options;
  }

  /** @throws KnowledgeBaseError for a start page that can't be had, or is none: the crawl has nowhere to begin */
  async outcome(page: Asked, answer: PageAnswer): Promise<PageOutcome> {
    const outcome = await this.#outcome(page, answer);
    if (page.depth === 1) requireStart(page, outcome);
    const { rules, startKey, sitemaps } = this.#options;
    if (page.key !== startKey || rules.maxDepth === 1 || outcome.kind === "failed") return outcome;
    const { addresses, unread, known } = await sitemaps();
    const listed = await rules.found(addresses, { depth: 2 });
    // Kept with the start page, so that whoever ends the crawl knows it, also after a kill.
    const files = [
      ...unread.map((url) => sitemap("unread_sitemap", { url, level: 1 })),
      ...known.map((read) => sitemap("sitemap", read)),
    ];
    return { ...outcome, found: [...outcome.found, ...listed, ...files] };
  }

  async #outcome(page: Asked, answer: PageAnswer): Promise<PageOutcome> {
    switch (answer.kind) {
      case "failed":
        return { ...answer, found: await this.#ledTo(page) };
      case "left_out": {
        const { reason, forNow = false } = answer;
        return { kind: "left_out", reason, forNow, links: null, found: forNow ? await this.#ledTo(page) : [] };
      }
      case "moved":
        return this.#moved(page, answer);
      case "unchanged":
        return this.#unchanged(page);
      case "file": {
        if (answer.noindex) return leftOut("noindex", null, []);
        return this.#document(page, answer.page, []);
      }
      case "page":
        return this.#page(page, answer);
    }
  }

  /**
   * Where a page led that can't be read now: pages that nobody else leads to are asked for themselves, and not taken for gone because the
   * way to them is.
   */
  async #ledTo({ links, depth }: Asked): Promise<FoundAddress[]> {
    return this.#options.rules.found(links ?? [], { depth: depth + 1 });
  }

  async #moved(page: Asked, { to, forNow }: { readonly to: string; readonly forNow: boolean }): Promise<PageOutcome> {
    if (!this.#options.rules.isOnSite(to)) {
      return { ...leftOut("outside", null, forNow ? await this.#ledTo(page) : []), forNow };
    }
    const redirects = page.redirects + 1;
    if (redirects > MAX_REDIRECTS) {
      const message = `${page.url} is redirect ${redirects} in a row, and ${MAX_REDIRECTS} are followed.`;
      return { kind: "failed", message, retryable: false, found: await this.#ledTo(page) };
    }
    const found = await this.#options.rules.found([to], { depth: page.depth, redirects });
    return { kind: "moved", to: pageKey(to), forNow, found: forNow ? [...found, ...(await this.#ledTo(page))] : found };
  }

  async #unchanged(page: Asked): Promise<PageOutcome> {
    const { key, url } = page;
    const links = page.links!;
    const found = await this.#ledTo(page);
    if (!this.#options.rules.admits(url)) return leftOut("excluded", links, found);
    const holder = await this.#options.holderOf(page.known!.contentHash);
    if (holder !== null && holder !== key) return { kind: "duplicate", of: holder, links, found };
    return { kind: "unchanged", found };
  }

  async #page(asked: Asked, { page, facts }: Extract<PageAnswer, { kind: "page" }>): Promise<PageOutcome> {
    const { rules } = this.#options;
    const isStart = asked.depth === 1;
    const { links } = page;
    if (facts.refresh !== null && pageKey(facts.refresh) !== asked.key) {
      // Logins and pages that are busy send their visitors on like this, and pages that have moved.
      return this.#moved(asked, { to: facts.refresh, forNow: true });
    }
    if (!isStart && (await this.#isMissing(page.url, facts))) return leftOut("soft_not_found", null, []);
    const found = await rules.found(links, { depth: asked.depth + 1 });
    if (facts.noindex) return leftOut("noindex", links, found);
    const [canonical] = await this.#canonical(asked, facts.canonical);
    if (canonical) return { kind: "canonical", to: canonical.key, links, found: [canonical, ...found] };
    if (!rules.admits(page.url)) return leftOut("excluded", links, found);
    if (facts.isEmpty) return leftOut("empty", links, found);
    return this.#document(asked, page, found);
  }

  async #isMissing(url: string, { title, text }: Omit<ComparedPage, "url">): Promise<boolean> {
    return isSoftNotFound({ url, title, text }, await this.#options.missing());
  }

  /**
   * Another page of the site of which this one says that it is the same; nothing where the word can't be taken. A home page that all pages
   * name is a common mistake: it would swallow the site.
   */
  async #canonical(page: Asked, canonical: string | null): Promise<FoundAddress[]> {
    if (canonical === null || page.standsAlone || pageKey(canonical) === page.key) return [];
    const isHome = new URL(canonical).pathname === "/" && new URL(canonical).search === "";
    if (isHome && !/^\/(?:(?:index|default|home)\.\w+)?$/i.test(new URL(page.url).pathname)) return [];
    // Of the start page it is a page of the site like others: nobody has named that one as the start.
    const found = await this.#options.rules.found([canonical], { depth: Math.max(2, page.depth) });
    return found.filter(({ skip }) => skip === null);
  }

  async #document(
    { key, url }: Asked,
    page: Extract<PageAnswer, { kind: "page" | "file" }>["page"],
    found: readonly FoundAddress[],
  ): Promise<PageOutcome> {
    const { links, contentHash } = page;
    if (!this.#options.rules.admits(url)) return leftOut("excluded", links, found);
    const holder = await this.#options.holderOf(contentHash);
    if (holder !== null && holder !== key) return { kind: "duplicate", of: holder, links, found };
    return { kind: "document", page, found };
  }
}

/** A page that is none, by its own word or by the rules of the crawl. */
function leftOut(
  reason: LeftOutReason,
  links: readonly string[] | null,
  found: readonly FoundAddress[],
): Extract<PageOutcome, { kind: "left_out" }> {
  return { kind: "left_out", reason, forNow: false, links, found };
}

/** Under a key of its own: a page may link to a sitemap. */
function sitemap(skip: "sitemap" | "unread_sitemap", { url, level }: KnownSitemap): FoundAddress {
  return { key: `${skip} ${pageKey(url)}`, url: cleanAddress(url).href, depth: level, redirects: 0, skip };
}

/** What a start page is refused with, by the reason for which any other page is left out. */
const REFUSALS: Partial<Record<LeftOutReason, readonly [ErrorCode, string]>> = {
  robots: ["forbidden", "the site's robots.txt does not allow it"],
  not_found: ["not_found", "the site says that there is no such page"],
  forbidden: ["forbidden", "the site does not give it to us"],
  too_large: ["limit_exceeded", "it is too large"],
  not_document: ["unsupported", "it is neither a page nor a file that can be read"],
  outside: ["invalid_input", "it redirects to another site: start there"],
};

function requireStart({ url }: Asked, outcome: PageOutcome): void {
  if (outcome.kind === "failed") {
    throw new KnowledgeBaseError("provider_failed", `The crawl can't begin. ${outcome.message}`, outcome);
  }
  const leadsNowhere = outcome.kind === "moved" && outcome.found.every(({ skip }) => skip !== null);
  const reason = leadsNowhere ? "not_document" : outcome.kind === "left_out" ? outcome.reason : null;
  const refusal = reason === null ? undefined : REFUSALS[reason];
  if (refusal) throw new KnowledgeBaseError(refusal[0], `The crawl can't begin at ${url}: ${refusal[1]}.`);
}
