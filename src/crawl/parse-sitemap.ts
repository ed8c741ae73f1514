import { xmlText } from "../parsers/shared/xml/xml-text.js";

/** What a sitemap names, as it stands there. */
export interface Sitemap {
  /** Whether the addresses are those of sitemaps. */
  readonly isIndex: boolean;
  readonly addresses: readonly string[];
}

const ROOT_WITHIN = 64 * 1024;

/**
 * Reads a sitemap: XML of sitemaps.org, an index of such, or plain text with an address on each line. What is none of them names nothing.
 * Pictures and films that a sitemap names besides its pages are no pages.
 */
export function parseSitemap(text: string, maxAddresses: number): Sitemap {
  const root = /<(?:([\w-]+):)?(urlset|sitemapindex)[\s>]/.exec(text.slice(0, ROOT_WITHIN));
  if (root === null) return { isIndex: false, addresses: first(plainAddresses(text), maxAddresses) };
  const tag = root[1] === undefined ? "loc" : `${root[1]}:loc`;
  return { isIndex: root[2] === "sitemapindex", addresses: first(locations(text, tag), maxAddresses) };
}

/** Goes through the text once, whatever is in it. */
function* locations(text: string, tag: string): Generator<string> {
  const opening = new RegExp(`<!--|<${tag}\\s{0,100}>`, "g");
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const isComment = match[0] === "<!--";
    const end = text.indexOf(isComment ? "-->" : `</${tag}`, opening.lastIndex);
    if (end < 0) return;
    if (!isComment) yield plainText(text.slice(opening.lastIndex, end)).trim();
    opening.lastIndex = end;
  }
}

function* plainAddresses(text: string): Generator<string> {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) if (/^\s*https?:\/\/\S+\s*$/i.test(line)) yield line.trim();
}

function first(addresses: Iterable<string>, count: number): string[] {
  const taken: string[] = [];
  for (const address of addresses) {
    if (taken.length === count) break;
    taken.push(address);
  }
  return taken;
}

function plainText(xml: string): string {
  const cdata = /^\s*<!\[CDATA\[([\s\S]*)\]\]>\s*$/.exec(xml)?.[1];
  return cdata ?? xmlText(xml);
}
