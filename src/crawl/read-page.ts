import { hash } from "node:crypto";
import { readText } from "../parsers/shared/charset/read-text.js";
import { htmlMetadata } from "../parsers/shared/html/html-metadata.js";
import { attribute, descendants, type HtmlElement, parseHtml } from "../parsers/shared/html/html-tree.js";
import { mainContentBlocks } from "../parsers/shared/main-content/main-content-blocks.js";
import { showPanels } from "../parsers/shared/main-content/show-panels.js";
import { toRequestUrl } from "./page-key.js";
import {
  mergeDirectives,
  parseHeaderDirectives,
  parseMetaDirectives,
  ROBOT_NAME,
  type RobotsDirectives,
} from "./robots-directives.js";
import { visibleText } from "./visible-text.js";

/** Any further links of a page are ignored. */
const MAX_LINKS = 10_000;
/** A longer base URL is ignored, because every link would repeat it. */
const MAX_BASE_URL_CHARS = 2048;

/** Enough for the comparison with error pages, which are short. */
const MAX_SAMPLE_CHARS = 20_000;

/** A refresh with a longer delay is not a redirect: the page reloads, or is meant to be read first. */
const MAX_REFRESH_SECONDS = 10;

/** A page as received. */
export interface ReceivedPage {
  /** The URL that responded. */
  readonly url: string;
  readonly bytes: Uint8Array;
  /** The charset of the `Content-Type` header. */
  readonly charset: string | null;
  readonly headers: PageHeaders;
}

/** The headers that describe a page; `null` if absent. */
export interface PageHeaders {
  readonly link: string | null;
  readonly refresh: string | null;
  readonly robots: string | null;
  readonly language: string | null;
}

/** The metadata and main text of a page. URLs are absolute, http or https, and without fragments. */
export interface PageMetadata {
  /** Up to 10,000 distinct URLs in page order; none if the page asks for nofollow. */
  readonly links: readonly string[];
  readonly canonical: string | null;
  /** The target of a refresh within ten seconds; `null` if there is none. */
  readonly refresh: string | null;
  readonly noindex: boolean;
  readonly title: string | null;
  readonly description: string | null;
  readonly language: string | null;
  /** The first 20,000 characters of the main text, for the comparison with error pages. */
  readonly text: string;
  /** Whether the page has no visible text. */
  readonly isEmpty: boolean;
  /** The same for pages that yield the same document: their title and blocks are equal, with and without images. */
  readonly contentHash: string;
}

/** Extracts the links, metadata and main text of an HTML page. Accepts any bytes. */
export async function readPage({ url, bytes, charset, headers }: ReceivedPage): Promise<PageMetadata> {
  const { text } = await readText(bytes, charset);
  const document = parseHtml(text);
  const { title, metadata } = htmlMetadata(document);
  const collector = new MetadataCollector(url, headers);
  for (const element of descendants(document)) collector.visit(element);
  showPanels(document);
  const visible = visibleText(document);
  // Last, because `mainContentBlocks` empties the document.
  const blocks = mainContentBlocks(text, document, collector.hasDescribedImages ? [true, false] : [true]);
  return {
    links: collector.robots.nofollow ? [] : collector.links(),
    canonical: collector.canonical,
    refresh: collector.refresh,
    noindex: collector.robots.noindex,
    title,
    description: stringOrNull(metadata.description),
    language: stringOrNull(metadata.language) ?? singleLanguage(collector.language),
    text: visible.main.slice(0, MAX_SAMPLE_CHARS),
    isEmpty: visible.all === "",
    contentHash: hash("sha256", JSON.stringify([title, blocks])),
  };
}

/** Collects links and metadata from elements in page order. */
class MetadataCollector {
  readonly #url: string;
  /** Resolved only at the end, because the base element may come after the first link. */
  readonly #hrefs: string[] = [];
  #base: string | null = null;
  #canonical: string | null;
  #refresh: string | null;
  robots: RobotsDirectives;
  language: string | null;
  /** Whether any image has alternative text and can therefore become a block. */
  hasDescribedImages = false;

  constructor(url: string, { link, refresh, robots, language }: PageHeaders) {
    this.#url = url;
    this.#canonical = canonicalOf(link);
    this.#refresh = refreshTarget(refresh);
    this.robots = parseHeaderDirectives(robots);
    this.language = language;
  }

  visit(element: HtmlElement): void {
    const href = attribute(element, "href");
    switch (element.tagName) {
      case "img":
        this.hasDescribedImages ||= attribute(element, "alt") !== null;
        return;
      case "base":
        this.#base ??= href;
        return;
      case "a":
      case "area":
        if (href !== null && !hasToken(attribute(element, "rel"), "nofollow")) this.#hrefs.push(href);
        return;
      case "frame":
        this.#hrefs.push(attribute(element, "src") ?? "");
        return;
      case "link":
        if (href !== null && hasToken(attribute(element, "rel"), "canonical")) this.#canonical ??= href;
        return;
      case "meta":
        this.#visitMeta(element);
    }
  }

  #visitMeta(element: HtmlElement): void {
    const content = attribute(element, "content") ?? "";
    const name = (attribute(element, "name") ?? "").trim().toLowerCase();
    if (name === ROBOT_NAME || name === "robots")
      this.robots = mergeDirectives(this.robots, parseMetaDirectives(content));
    const directive = (attribute(element, "http-equiv") ?? "").trim().toLowerCase();
    if (directive === "refresh") this.#refresh ??= refreshTarget(content);
    if (directive === "content-language") this.language ??= content;
  }

  get canonical(): string | null {
    return this.#canonical === null ? null : this.#resolve(this.#canonical);
  }

  get refresh(): string | null {
    return this.#refresh === null ? null : this.#resolve(this.#refresh);
  }

  links(): string[] {
    const urls = new Set<string>();
    for (const href of this.#hrefs) {
      const url = /^\s*(?:#|$)/.test(href) ? null : this.#resolve(href);
      if (url !== null) urls.add(url);
      if (urls.size === MAX_LINKS) break;
    }
    return [...urls];
  }

  #resolve(href: string): string | null {
    const base =
      this.#base !== null && this.#base.length <= MAX_BASE_URL_CHARS && URL.canParse(this.#base, this.#url)
        ? new URL(this.#base, this.#url).href
        : this.#url;
    if (!URL.canParse(href.trim(), base)) return null;
    const url = toRequestUrl(href.trim(), base);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
  }
}

/** Returns the target of `Link: <…>; rel="canonical"` (RFC 8288, RFC 6596). */
function canonicalOf(header: string | null): string | null {
  for (const [, target, parameters] of (header ?? "").matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (/;\s*rel\s*=\s*(?:"(?:[^"]*\s)?canonical(?:\s[^"]*)?"|canonical\b)/i.test(parameters!)) return target!;
  }
  return null;
}

/** Returns the URL in a refresh such as `5; url=…`; `null` for a reload, a long delay, or any other text. */
function refreshTarget(content: string | null): string | null {
  const [, seconds, target] = /^\s*(\d+)(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?(.+)$/is.exec(content ?? "") ?? [];
  if (target === undefined || Number(seconds) > MAX_REFRESH_SECONDS) return null;
  return target.trim().replace(/^(["'])(.*?)\1.*$/s, "$2");
}

function hasToken(list: string | null, token: string): boolean {
  return (list ?? "").toLowerCase().split(/\s+/).includes(token);
}

/** Returns the language of a `Content-Language` header; `null` if it lists several, for different audiences. */
function singleLanguage(header: string | null): string | null {
  const language = header?.trim() ?? "";
  return /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i.test(language) ? language : null;
}

function stringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
