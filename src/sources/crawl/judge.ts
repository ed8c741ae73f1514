import { type ErrorCode, KnowledgeBaseError } from "../../errors.js";
import type { AddressRules } from "./address-rules.js";
import type { PageAnswer } from "./fetch-page.js";
import type { FoundAddress, FrontierPage, LeftOutReason, PageOutcome } from "./frontier.js";
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
  sitemaps(): Promise<Pick<SiteSitemaps, "addresses" | "unread">>;
}

type Asked = Pick<FrontierPage, "key" | "url" | "depth" | "redirects" | "standsAlone" | "known">;

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
    const { addresses, unread } = await sitemaps();
    const listed = await rules.found(addresses, { depth: 2 });
    // Kept with the start page, so that whoever ends the crawl knows it, also after a kill.
    const missed = unread.map((url) => ({
      key: pageKey(url),
      url: cleanAddress(url).href,
      depth: 2,
      redirects: 0,
      skip: "unread_sitemap" as const,
    }));
    return { ...outcome, found: [...outcome.found, ...listed, ...missed] };
  }

  async #outcome(page: Asked, answer: PageAnswer): Promise<PageOutcome> {
    switch (answer.kind) {
      case "failed":
        return answer;
      case "left_out":
        return { ...answer, found: [] };
      case "moved":
        return this.#moved(page, answer.to);
      case "unchanged":
        return this.#unchanged(page);
      case "file": {
        if (answer.noindex) return { kind: "left_out", reason: "noindex", found: [] };
        return this.#document(page, answer.page, []);
      }
      case "page":
        return this.#page(page, answer);
    }
  }

  async #moved(page: Asked, to: string): Promise<PageOutcome> {
    if (!this.#options.rules.isOnSite(to)) return { kind: "left_out", reason: "outside", found: [] };
    const redirects = page.redirects + 1;
    if (redirects > MAX_REDIRECTS) {
      const message = `${page.url} is redirect ${redirects} in a row, and ${MAX_REDIRECTS} are followed.`;
      return { kind: "failed", message, retryable: false };
    }
    const found = await this.#options.rules.found([to], { depth: page.depth, redirects });
    return { kind: "moved", to: pageKey(to), found };
  }

  async #unchanged({ key, url, depth, known }: Asked): Promise<PageOutcome> {
    const found = await this.#options.rules.found(known!.links, { depth: depth + 1 });
    if (!this.#options.rules.admits(url)) return { kind: "left_out", reason: "excluded", found };
    const holder = await this.#options.holderOf(known!.contentHash);
    if (holder !== null && holder !== key) return { kind: "duplicate", of: holder, found };
    return { kind: "unchanged", found };
  }

  async #page(asked: Asked, { page, facts }: Extract<PageAnswer, { kind: "page" }>): Promise<PageOutcome> {
    const { rules } = this.#options;
    const isStart = asked.depth === 1;
    if (facts.refresh !== null && pageKey(facts.refresh) !== asked.key) return this.#moved(asked, facts.refresh);
    if (!isStart && (await this.#isMissing(page.url, facts))) {
      return { kind: "left_out", reason: "soft_not_found", found: [] };
    }
    const found = await rules.found(page.links, { depth: asked.depth + 1 });
    const leftOut = (reason: LeftOutReason): PageOutcome => ({ kind: "left_out", reason, found });
    if (facts.noindex) return leftOut("noindex");
    const [canonical] = await this.#canonical(asked, facts.canonical);
    if (canonical) return { kind: "canonical", to: canonical.key, found: [canonical, ...found] };
    if (!rules.admits(page.url)) return leftOut("excluded");
    if (facts.isEmpty) return leftOut("empty");
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
    if (!this.#options.rules.admits(url)) return { kind: "left_out", reason: "excluded", found };
    const holder = await this.#options.holderOf(page.contentHash);
    if (holder !== null && holder !== key) return { kind: "duplicate", of: holder, found };
    return { kind: "document", page, found };
  }
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
