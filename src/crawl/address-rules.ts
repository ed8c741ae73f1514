import { createHash } from "node:crypto";
import type { SkipReason } from "../domain/crawl-counts.js";
import type { CrawlOptions } from "./crawl-options.js";
import { DEFAULT_MAX_DEPTH } from "./crawl-options.js";
import { mayBeDocument } from "./document-address.js";
import type { FoundAddress } from "./frontier.js";
import { inSlices } from "./in-slices.js";
import { cleanAddress, pageKey, siteOf } from "./page-key.js";
import { PathRules } from "./path-rules.js";

/** Longer ones are made by programs that run wild; RFC 9110 asks servers for 8,000, and browsers and sitemaps have had 2,048. */
const MAX_LENGTH = 2048;

/** An address may have as much that is taken off it. One that is longer is not even read: its beginning stands for it. */
const MAX_READ = 8 * MAX_LENGTH;

/** Times that a path may have the same segment: relative links that are resolved wrongly make them grow for ever. */
const MAX_REPEATS = 3;

/**
 * Addresses of one path that differ in the query alone. One parameter counts through what there is (`?id=7`); several multiply, as those
 * of filters and calendars do.
 */
const MAX_VARIANTS = { ofOneParameter: 1000, ofSeveral: 100 };

export interface AddressRulesOptions extends Pick<CrawlOptions, "includePaths" | "excludePaths" | "maxDepth"> {
  readonly start: URL;
  /** For each path how many addresses are known that differ in the query alone. */
  variantsOf(paths: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** How an address was come by. */
export interface Found {
  readonly depth: number;
  /** On the way to it from the last link. @default 0 */
  readonly redirects?: number;
}

/** Which addresses a crawl goes to, as far as addresses tell. */
export class AddressRules {
  readonly #options: AddressRulesOptions;
  readonly #paths: PathRules;
  readonly #maxDepth: number;

  /** @throws KnowledgeBaseError `invalid_input` for a path that is none */
  constructor(options: AddressRulesOptions) {
    this.#options = options;
    this.#paths = new PathRules(options.includePaths, options.excludePaths);
    this.#maxDepth = options.maxDepth ?? DEFAULT_MAX_DEPTH;
  }

  get maxDepth(): number {
    return this.#maxDepth;
  }

  admits(url: string): boolean {
    return this.#paths.admits(new URL(url));
  }

  isOnSite(url: string): boolean {
    return siteOf(new URL(url)) === siteOf(this.#options.start);
  }

  /**
   * Those of the addresses that are on the site, each page once, and why some aren't gone to. However many there are, the caller's event
   * loop goes on meanwhile.
   */
  async found(addresses: readonly string[], { depth, redirects = 0 }: Found): Promise<FoundAddress[]> {
    const pages = new Map<string, FoundAddress>();
    const site = siteOf(this.#options.start);
    await inSlices(addresses, (address) => {
      const url = addressOf(address.length > MAX_READ ? address.slice(0, MAX_LENGTH) : address);
      if (url === null || siteOf(url) !== site) return;
      const key = address.length > MAX_READ ? `${pageKey(url)}…${digestOf(address)}` : pageKey(url);
      if (pages.has(key)) return;
      const skip = address.length > MAX_READ ? "too_long" : this.#skip(url, depth);
      pages.set(key, { key, url: url.href, depth, redirects, skip });
    });
    return this.#withoutVariants([...pages.values()]);
  }

  #skip(url: URL, depth: number): SkipReason | null {
    if (url.href.length > MAX_LENGTH) return "too_long";
    if (repeats(url.pathname)) return "repeating";
    if (!mayBeDocument(url)) return "not_document";
    // The start page, and where it sends its visitors.
    if (depth > 1 && !this.#paths.admits(url)) return "excluded";
    return depth > this.#maxDepth ? "too_deep" : null;
  }

  async #withoutVariants(found: readonly FoundAddress[]): Promise<FoundAddress[]> {
    const paths = new Set(found.flatMap(({ key, skip }) => (skip === null ? (pathOf(key) ?? []) : [])));
    if (paths.size === 0) return [...found];
    const known = await this.#options.variantsOf([...paths]);
    const added = new Map<string, number>();
    return found.map((address) => {
      const path = pathOf(address.key);
      if (address.skip !== null || path === null) return address;
      const count = added.get(path) ?? 0;
      added.set(path, count + 1);
      const max = address.key.includes("&") ? MAX_VARIANTS.ofSeveral : MAX_VARIANTS.ofOneParameter;
      return Math.max(known.get(path) ?? 0, count) < max ? address : { ...address, skip: "variants" as const };
    });
  }
}

/** Null for what is no address of the web. */
function addressOf(text: string): URL | null {
  if (!/^\s*https?:/i.test(text) || !URL.canParse(text)) return null;
  return cleanAddress(text);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** The part of a key before its query; null where it has none. */
function pathOf(key: string): string | null {
  const end = key.indexOf("?");
  return end < 0 ? null : key.slice(0, end);
}

function repeats(path: string): boolean {
  const counts = new Map<string, number>();
  for (const segment of path.split("/")) {
    if (segment === "") continue;
    const count = (counts.get(segment) ?? 0) + 1;
    if (count > MAX_REPEATS) return true;
    counts.set(segment, count);
  }
  return false;
}
