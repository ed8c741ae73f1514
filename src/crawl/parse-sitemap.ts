import { readText } from "../parsers/shared/charset/read-text.js";
import { xmlText } from "../parsers/shared/xml/xml-text.js";

/** A sitemap as received, decompressed. */
export interface ReceivedSitemap {
  readonly bytes: Uint8Array;
  readonly maxAddresses: number;
}

export interface Sitemap {
  /** Whether the addresses are those of other sitemaps. */
  readonly isIndex: boolean;
  /** As written in the file; not resolved. */
  readonly addresses: readonly string[];
  readonly state: SitemapState;
}

/**
 * `whole`: a complete sitemap (a closed `urlset`, `sitemapindex`, `rss` or `feed`, or text with a URL on a line).
 * `cut_off`: its root element is not closed. `none`: anything else, such as a page served in its place, or nothing at
 * all.
 */
export type SitemapState = "whole" | "cut_off" | "none";

/** The root element starts within this many characters. */
const MAX_PROLOG_CHARS = 64 * 1024;
const ROOT = /<((?:[\w-]+:)?(?:urlset|sitemapindex|rss|feed))(?=[\s/>])/;

export async function readSitemap({ bytes, maxAddresses }: ReceivedSitemap): Promise<Sitemap> {
  const { text } = await readText(bytes);
  return parseSitemap(text, maxAddresses);
}

/**
 * Parses a sitemap: XML of sitemaps.org, an index of such, or plain text with a URL on each line. Any other text has no
 * addresses. Images and videos that a sitemap lists are ignored.
 */
export function parseSitemap(text: string, maxAddresses: number): Sitemap {
  const state = sitemapState(text);
  const root = /<(?:([\w-]+):)?(urlset|sitemapindex)[\s>]/.exec(text.slice(0, MAX_PROLOG_CHARS));
  if (root === null) return { isIndex: false, addresses: take(plainTextUrls(text), maxAddresses), state };
  const tag = root[1] === undefined ? "loc" : `${root[1]}:loc`;
  return { isIndex: root[2] === "sitemapindex", addresses: take(locations(text, tag), maxAddresses), state };
}

export function sitemapState(text: string): SitemapState {
  const root = ROOT.exec(text.slice(0, MAX_PROLOG_CHARS));
  if (root === null) return !/^\s*</.test(text) && /^[ \t]*https?:\/\/\S+[ \t]*$/im.test(text) ? "whole" : "none";
  const name = root[1]!;
  const end = text.indexOf(">", root.index);
  const isClosed = (end > 0 && text[end - 1] === "/") || text.includes(`</${name}`, root.index);
  return isClosed ? "whole" : "cut_off";
}

/** Scans the text once, in linear time for any input. */
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

function take(addresses: Iterable<string>, count: number): string[] {
  const taken: string[] = [];
  for (const address of addresses) {
    if (taken.length === count) break;
    taken.push(address);
  }
  return taken;
}

function decodeXmlText(xml: string): string {
  const cdata = /^\s*<!\[CDATA\[([\s\S]*)\]\]>\s*$/.exec(xml)?.[1];
  return cdata ?? xmlText(xml);
}
