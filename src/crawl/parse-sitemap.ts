import { readText } from "../parsers/shared/charset/read-text.js";
import { unescapeXml } from "../parsers/shared/xml/xml-text.js";

/** The decompressed content of a sitemap. */
export interface ReceivedSitemap {
  readonly bytes: Uint8Array;
  readonly maxUrls: number;
}

export interface Sitemap {
  /** Whether the URLs lead to other sitemaps instead of pages. */
  readonly isIndex: boolean;
  /** The URLs as written in the file, not resolved. */
  readonly urls: readonly string[];
  readonly state: SitemapState;
}

/**
 * `complete`: a whole sitemap (a closed `urlset`, `sitemapindex`, `rss` or `feed`, or text with a URL on a line).
 * `truncated`: a sitemap whose root element is not closed. `none`: anything else, such as a page served in place of the
 * sitemap, or an empty file.
 */
export type SitemapState = "complete" | "truncated" | "none";

/** The root element must start within this many characters. */
const MAX_PROLOG_CHARS = 64 * 1024;
const ROOT_PATTERN = /<((?:[\w-]+:)?(?:urlset|sitemapindex|rss|feed))(?=[\s/>])/;

export async function readSitemap({ bytes, maxUrls }: ReceivedSitemap): Promise<Sitemap> {
  const { text } = await readText(bytes);
  return parseSitemap(text, maxUrls);
}

/**
 * Parses a sitemap: sitemaps.org XML, an index of such files, or plain text with a URL on each line. Any other text
 * yields no URLs. Images and videos that a sitemap lists are ignored.
 */
export function parseSitemap(text: string, maxUrls: number): Sitemap {
  const state = detectSitemapState(text);
  const root = /<(?:([\w-]+):)?(urlset|sitemapindex)[\s>]/.exec(text.slice(0, MAX_PROLOG_CHARS));
  if (root === null) return { isIndex: false, urls: take(plainTextUrls(text), maxUrls), state };
  const tag = root[1] === undefined ? "loc" : `${root[1]}:loc`;
  return { isIndex: root[2] === "sitemapindex", urls: take(locations(text, tag), maxUrls), state };
}

export function detectSitemapState(text: string): SitemapState {
  const root = ROOT_PATTERN.exec(text.slice(0, MAX_PROLOG_CHARS));
  if (root === null) return !/^\s*</.test(text) && /^[ \t]*https?:\/\/\S+[ \t]*$/im.test(text) ? "complete" : "none";
  const name = root[1]!;
  const end = text.indexOf(">", root.index);
  const isClosed = (end > 0 && text[end - 1] === "/") || text.includes(`</${name}`, root.index);
  return isClosed ? "complete" : "truncated";
}

/** Yields the URLs in `tag` elements. Scans the text once, in linear time for any input. */
function* locations(text: string, tag: string): Generator<string> {
  const opening = new RegExp(`<!--|<${tag}\\s{0,100}>`, "g");
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const isComment = match[0] === "<!--";
    const end = text.indexOf(isComment ? "-->" : `</${tag}`, opening.lastIndex);
    if (end < 0) return;
    if (!isComment) yield decodeXmlText(text.slice(opening.lastIndex, end)).trim();
    opening.lastIndex = end;
  }
}

function* plainTextUrls(text: string): Generator<string> {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) if (/^\s*https?:\/\/\S+\s*$/i.test(line)) yield line.trim();
}

function take(urls: Iterable<string>, count: number): string[] {
  const taken: string[] = [];
  for (const url of urls) {
    if (taken.length === count) break;
    taken.push(url);
  }
  return taken;
}

function decodeXmlText(xml: string): string {
  const cdata = /^\s*<!\[CDATA\[([\s\S]*)\]\]>\s*$/.exec(xml)?.[1];
  return cdata ?? unescapeXml(xml);
}
