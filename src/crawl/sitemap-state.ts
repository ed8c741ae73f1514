const ROOT_WITHIN = 64 * 1024;
const ROOT = /<((?:[\w-]+:)?(?:urlset|sitemapindex|rss|feed))(?=[\s/>])/;

/**
 * What a text says by itself of being a sitemap: `whole` is one of which no end is missing (a `urlset`, `sitemapindex`, `rss` or `feed`
 * that is closed, or text with an address on one of its lines); `cut_off` is one that is not closed; `none` is anything else, as a page
 * that is shown in its place, or nothing at all.
 */
export function sitemapState(text: string): "whole" | "cut_off" | "none" {
  const root = ROOT.exec(text.slice(0, ROOT_WITHIN));
  if (root === null) return !/^\s*</.test(text) && /^[ \t]*https?:\/\/\S+[ \t]*$/im.test(text) ? "whole" : "none";
  const name = root[1]!;
  const end = text.indexOf(">", root.index);
  const isClosed = (end > 0 && text[end - 1] === "/") || text.includes(`</${name}`, root.index);
  return isClosed ? "whole" : "cut_off";
}
