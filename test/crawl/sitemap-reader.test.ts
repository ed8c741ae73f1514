import { expect, it } from "vitest";
import { DEFAULT_CRAWL_LIMITS } from "#dist/crawl/crawl-limits.js";
import { HostRateLimiters } from "#dist/crawl/host-rate-limiters.js";
import { PageReader } from "#dist/crawl/page-reader.js";
import { parseRobotsTxt } from "#dist/crawl/robots-txt.js";
import { SiteClient } from "#dist/crawl/site-client.js";
import { SitemapReader } from "#dist/crawl/sitemap-reader.js";
import { quickClock } from "../support/quick-clock.js";
import { type PaperAnswer, paperSites } from "../support/site/paper-site.js";

const HOME = "https://example.com/";
const limits = DEFAULT_CRAWL_LIMITS;

const index = (urls: readonly string[]) => ({
  type: "text/xml",
  body: `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")}</sitemapindex>`,
});

function readerOf(robotsTxt: string, answers: Readonly<Record<string, PaperAnswer>>) {
  const clock = quickClock();
  const sites = paperSites(answers);
  const rateLimiters = new HostRateLimiters(clock);
  const client = new SiteClient({
    fetch: sites.fetch,
    clock,
    limits,
    rateLimiters,
    origin: "https://example.com",
    headers: {},
  });
  const robots = parseRobotsTxt("https://example.com", robotsTxt);
  const reader = new SitemapReader({
    start: new URL(HOME),
    robots,
    client,
    reader: new PageReader(),
    known: [],
    limits,
  });
  const { signal } = new AbortController();
  const read = () => reader.read({ signal, waitSignal: signal });
  return { ...sites, clock, read };
}

const many = Array.from({ length: 49_000 }, (_, n) => `${HOME}${n}.txt`);

it("an index of 49,000 sitemaps costs 50 requests, and the others are counted as failed", async () => {
  // 60 of them twice, and 200 of another site before them.
  const foreign = Array.from({ length: 200 }, (_, n) => `https://example.org/${n}.txt`);
  const { read, requests } = readerOf("", {
    [`${HOME}sitemap.xml`]: index([...foreign, ...many.slice(0, 60), ...many]),
    ...Object.fromEntries(many.map((url) => [url, { type: "text/plain", body: `${url}#page` }])),
  });
  const { urls, files, failed, unread } = await read();
  expect(urls).toEqual(many.slice(0, 49).map((url) => `${url}#page`));
  expect([files, failed, unread]).toEqual([50, 200 + 49_000 - 49, []]);
  expect(requests).toHaveLength(50);
});

it("a robots.txt with 10,000 sitemaps costs 50 requests, and the others are counted as failed", async () => {
  const { read, requests } = readerOf(
    many
      .slice(0, 10_000)
      .map((url) => `Sitemap: ${url}`)
      .join("\n"),
    {},
  );
  expect(await read()).toEqual({ urls: [], files: 0, failed: 10_000, unread: [], known: [] });
  expect(requests).toHaveLength(50);
});

it("the crawl delay doesn't apply to sitemaps on another site", async () => {
  const maps = [1, 2, 3].map((n) => `https://maps.example.org/${n}.txt`);
  const robotsTxt = `User-agent: *\nCrawl-delay: 20\n${maps.map((url) => `Sitemap: ${url}`).join("\n")}`;
  const { read, clock } = readerOf(robotsTxt, {
    ...Object.fromEntries(maps.map((url) => [url, { type: "text/plain", body: HOME }])),
  });
  expect((await read()).files).toBe(3);
  expect(clock.slept).toEqual([]);
});
