import { createHash } from "node:crypto";
import { readText } from "../parsers/shared/charset/read-text.js";
import { htmlMetadata } from "../parsers/shared/html/html-metadata.js";
import { attribute, descendants, type HtmlElement, parseHtml } from "../parsers/shared/html/html-tree.js";
import { mainContentBlocks } from "../parsers/shared/main-content/main-content-blocks.js";
import { showPanels } from "../parsers/shared/main-content/show-panels.js";
import { pageText } from "./page-text.js";
import { ALL_ALLOWED, either, headerDirectives, metaDirectives, ROBOT_NAME } from "./robots-directives.js";

/** Of one page: those after them are passed over. */
const MAX_LINKS = 10_000;
/** Characters of a base address: a longer one would be in front of every link. */
const MAX_BASE = 2048;

/** Pages that say nothing but that they aren't there are short. */
const MAX_COMPARED = 20_000;

/** A longer wait than this is a page that reloads, or one to read before it goes on. */
const MAX_REFRESH_SECONDS = 10;

/** A page as it came. */
export interface ReceivedPage {
  /** The address that answered. */
  readonly url: string;
  readonly bytes: Uint8Array;
  /** Of the `Content-Type`. */
  readonly charset: string | null;
  readonly headers: PageHeaders;
}

/** The headers that say something of a page; null where there is none. */
export interface PageHeaders {
  readonly link: string | null;
  readonly refresh: string | null;
  readonly robots: string | null;
  readonly language: string | null;
}

/** What a page says of itself. Addresses are absolute, http or https, and without fragments. */
export interface PageFacts {
  /** Up to 10,000, in the order of the page, each once; none where the page asks not to follow any. */
  readonly links: readonly string[];
  readonly canonical: string | null;
  /** Where the page sends its visitors at once. */
  readonly refresh: string | null;
  readonly noindex: boolean;
  readonly title: string | null;
  readonly description: string | null;
  readonly language: string | null;
  /** The beginning of its main text without markup, for comparisons: up to 20,000 characters. */
  readonly text: string;
  /** Whether a reader sees nothing at all. */
  readonly isEmpty: boolean;
  /** Equal for pages that make the same document: of the same title, and the same blocks, whatever becomes of images. */
  readonly contentHash: string;
}

/** Reads a page of HTML: its links, what it says of itself and of its text. Never fails. */
export async function readPage({ url, bytes, charset, headers }: ReceivedPage): Promise<PageFacts> {
  const { text } = await readText(bytes, charset);
  const document = parseHtml(text);
  const { title, metadata } = htmlMetadata(document);
  const head = new Head(url, headers);
  for (const element of descendants(document)) head.read(element);
  showPanels(document);
  const read = pageText(document);
  // Last: it leaves little of the document.
  const blocks = mainContentBlocks(text, document, head.hasImages ? [true, false] : [true]);
  return {
    links: head.robots.nofollow ? [] : head.links(),
    canonical: head.canonical,
    refresh: head.refresh,
    noindex: head.robots.noindex,
    title,
    description: stringOf(metadata.description),
    language: stringOf(metadata.language) ?? oneLanguage(head.language),
    text: read.main.slice(0, MAX_COMPARED),
    isEmpty: read.all === "",
    contentHash: createHash("sha256")
      .update(JSON.stringify([title, blocks]))
      .digest("hex"),
  };
}

/** Gathers what elements say, in the order of the page. */
class Head {
  readonly #url: string;
  /** Addresses are resolved at the end: the base may come after the first of them. */
  readonly #hrefs: string[] = [];
  #base: string | null = null;
  #canonical: string | null;
  #refresh: string | null;
  #own: typeof ALL_ALLOWED | null = null;
  #general: typeof ALL_ALLOWED | null = null;
  readonly #header: typeof ALL_ALLOWED;
  language: string | null;
  /** Whether there are any that can be blocks. */
  hasImages = false;

  constructor(url: string, { link, refresh, robots, language }: PageHeaders) {
    this.#url = url;
    this.#canonical = canonicalOf(link);
    this.#refresh = refreshTarget(refresh);
    this.#header = headerDirectives(robots);
    this.language = language;
  }

  read(element: HtmlElement): void {
    const href = attribute(element, "href");
    switch (element.tagName) {
      case "img":
        this.hasImages ||= attribute(element, "alt") !== null;
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
        this.#meta(element);
    }
  }

  #meta(element: HtmlElement): void {
    const content = attribute(element, "content") ?? "";
    const name = (attribute(element, "name") ?? "").trim().toLowerCase();
    if (name === ROBOT_NAME) this.#own = either(this.#own ?? ALL_ALLOWED, metaDirectives(content));
    if (name === "robots") this.#general = either(this.#general ?? ALL_ALLOWED, metaDirectives(content));
    const directive = (attribute(element, "http-equiv") ?? "").trim().toLowerCase();
    if (directive === "refresh") this.#refresh ??= refreshTarget(content);
    if (directive === "content-language") this.language ??= content;
  }

  get robots(): typeof ALL_ALLOWED {
    return either(this.#header, either(this.#own ?? ALL_ALLOWED, this.#general ?? ALL_ALLOWED));
  }

  get canonical(): string | null {
    return this.#canonical === null ? null : this.#resolve(this.#canonical);
  }

  get refresh(): string | null {
    return this.#refresh === null ? null : this.#resolve(this.#refresh);
  }

  links(): string[] {
    const found = new Set<string>();
    for (const href of this.#hrefs) {
      const address = /^\s*(?:#|$)/.test(href) ? null : this.#resolve(href);
      if (address !== null) found.add(address);
      if (found.size === MAX_LINKS) break;
    }
    return [...found];
  }

  #resolve(href: string): string | null {
    const base =
      this.#base !== null && this.#base.length <= MAX_BASE && URL.canParse(this.#base, this.#url)
        ? new URL(this.#base, this.#url).href
        : this.#url;
    if (!URL.canParse(href.trim(), base)) return null;
    const url = new URL(href.trim(), base);
    if (url.protocol !== "http:" && url.protocol !== "https:") return null;
    // Whoever wrote a page doesn't choose with which name and password we come.
    url.username = "";
    url.password = "";
    url.hash = "";
    return url.href;
  }
}

/** The target of `Link: <…>; rel="canonical"` (RFC 8288, RFC 6596). */
function canonicalOf(header: string | null): string | null {
  for (const [, target, parameters] of (header ?? "").matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (/;\s*rel\s*=\s*(?:"(?:[^"]*\s)?canonical(?:\s[^"]*)?"|canonical\b)/i.test(parameters!)) return target!;
  }
  return null;
}

/** The address of `5; url=…`; null where it is the page's own, or one much later. */
function refreshTarget(content: string | null): string | null {
  const [, seconds, target] = /^\s*(\d+)(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?(.+)$/is.exec(content ?? "") ?? [];
  if (target === undefined || Number(seconds) > MAX_REFRESH_SECONDS) return null;
  return target.trim().replace(/^(["'])(.*?)\1.*$/s, "$2");
}

function hasToken(list: string | null, token: string): boolean {
  return (list ?? "").toLowerCase().split(/\s+/).includes(token);
}

/** `Content-Language` may name the languages of several readers: then it tells nothing of the page's. */
function oneLanguage(header: string | null): string | null {
  const language = header?.trim() ?? "";
  return /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i.test(language) ? language : null;
}

function stringOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
