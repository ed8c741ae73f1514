import { describe, expect, it } from "vitest";
import { Crawl } from "#dist/crawl/crawl.js";
import { HostRateLimiters } from "#dist/crawl/host-rate-limiters.js";
import { failureOf } from "../support/knowledge-base.js";
import { quickClock } from "../support/quick-clock.js";
import { type PaperAnswer, paperSites } from "../support/site/paper-site.js";
import { TestFrontier } from "../support/test-frontier.js";

const HOME = "https://example.com/";
const HOUR = 60 * 60_000;

const page = (title: string, ...links: string[]) =>
  `<title>${title}</title><p>All about ${title}.${links.map((link) => ` <a href="${link}">more</a>`).join("")}`;

const later = (retryAfter: string, status = 503) => ({ status, headers: { "retry-after": retryAfter } });

/** Runs crawls that share rate limiters, as in one engine. */
function engineOf(answers: Readonly<Record<string, PaperAnswer>>) {
  const sites = paperSites(answers);
  const clock = quickClock();
  const rateLimiters = new HostRateLimiters(clock);
  const frontier = new TestFrontier();
  const crawl = (own = frontier) =>
    new Crawl({ start: HOME, frontier: own, fetch: sites.fetch, clock, rateLimiters }).run();
  const rest = (ms: number) => clock.sleep(ms);
  return { ...sites, clock, frontier, crawl, rest };
}

const asked = (retryAfterMs: number) => ({ code: "provider_failed", retryable: true, deferred: true, retryAfterMs });

describe("a site that answers with a long Retry-After", () => {
  it("gets no requests during that time, and its pages don't fail", async () => {
    const { crawl, frontier, rest, requests, count } = engineOf({
      [HOME]: page("Home", "/a", "/b"),
      "https://example.com/a": page("A"),
      "https://example.com/b": [later("3600", 429), page("B")],
    });
    expect(await failureOf(crawl)).toMatchObject(asked(HOUR));
    expect([...frontier.rows.values()].map(({ outcome }) => outcome?.kind)).toEqual(["document", undefined, undefined]);
    expect(count(`${HOME}b`)).toBe(1);

    // No crawl sends requests meanwhile.
    await rest(HOUR / 2);
    const before = requests.length;
    expect(await failureOf(crawl)).toMatchObject(asked(HOUR / 2));
    expect(await failureOf(() => crawl(new TestFrontier()))).toMatchObject(asked(HOUR / 2));
    expect(requests).toHaveLength(before);

    await rest(HOUR / 2);
    expect((await crawl()).ended).toBe("done");
    expect(frontier.documents()).toEqual([HOME, `${HOME}a`, `${HOME}b`]);
  });

  it.each<[string, Record<string, PaperAnswer>]>([
    ["robots.txt", { "https://example.com/robots.txt": [later("90"), { status: 404 }], [HOME]: page("Home", "/a") }],
    ["its start page", { [HOME]: [later("90"), page("Home", "/a")] }],
    ["a sitemap", { "https://example.com/sitemap.xml": [later("90"), { status: 404 }], [HOME]: page("Home", "/a") }],
  ])("may do so for %s", async (_, answers) => {
    const { crawl, frontier, rest, count } = engineOf({ ...answers, "https://example.com/a": page("A") });
    expect(await failureOf(crawl)).toMatchObject(asked(90_000));
    expect(frontier.rows.get("example.com/")?.outcome).toBeNull();
    await rest(90_000);
    expect((await crawl()).counts).toMatchObject({ documents: 2, failed: 0 });
    expect(count("https://example.com/sitemap.xml")).toBeLessThanOrEqual(2);
  });

  it("may give a date, and is contacted again after a day at the latest", async () => {
    const date = new Date(Date.UTC(2026, 0, 1) + 90_000).toUTCString();
    expect(await failureOf(engineOf({ [HOME]: later(date) }).crawl)).toMatchObject(asked(90_000));
    expect(await failureOf(engineOf({ [HOME]: later("9999999") }).crawl)).toMatchObject(asked(24 * HOUR));
  });

  it("doesn't block the crawl of another site, which skips its sitemap", async () => {
    const { crawl, frontier } = engineOf({
      "https://example.com/robots.txt": "Sitemap: https://maps.example.org/map.xml",
      "https://maps.example.org/map.xml": later("3600"),
      [HOME]: page("Home"),
    });
    expect((await crawl()).counts.skipped).toEqual({ unread_sitemap: 1 });
    expect(frontier.documents()).toEqual([HOME]);
  });
});

describe("a URL that is always blocked while the site serves others fails as a page", () => {
  const names = ["x", "a", "b", "c", "d"];
  const others = names.slice(1).map((name) => [HOME + name, page(name)]);

  it.each([0, 1])("if it is the first one fetched, with a Crawl-delay of %i s", async (delay) => {
    const { crawl, frontier, rest, count } = engineOf({
      [`${HOME}robots.txt`]: `User-agent: *\nCrawl-delay: ${delay}`,
      [HOME]: page("Home", ...names.map((name) => `/${name}`)),
      ...Object.fromEntries(others),
      [`${HOME}x`]: later("31", 429),
    });
    expect(await failureOf(crawl)).toMatchObject(asked(31_000));
    await rest(31_000);
    expect((await crawl()).counts).toMatchObject({ documents: 5, failed: 1, pending: 0 });
    expect(frontier.rows.get("example.com/x")?.outcome).toMatchObject({ kind: "failed", retryable: true });
    expect(count(`${HOME}x`)).toBe(2);
  });

  it("if it is the only one left", async () => {
    const { crawl, frontier, rest, count } = engineOf({ [HOME]: page("Home", "/x"), [`${HOME}x`]: later("31", 429) });
    expect(await failureOf(crawl)).toMatchObject(asked(31_000));
    await rest(31_000);
    expect((await crawl()).counts).toMatchObject({ documents: 1, failed: 1, pending: 0 });
    expect(frontier.documents()).toEqual([HOME]);
    expect(count(HOME)).toBe(2);
  });

  it("if it is the URL that can't exist", async () => {
    const { fetch, requests } = paperSites({ [HOME]: page("Home", "/a"), [`${HOME}a`]: page("A") });
    const clock = quickClock();
    const rateLimiters = new HostRateLimiters(clock);
    const frontier = new TestFrontier();
    const refusing: typeof fetch = Object.assign(
      async (input: string | URL | Request, init?: RequestInit) => {
        const answer = await fetch(input, init);
        const isMissing = /\/\w{20,}$/.test(String(input));
        return isMissing ? new Response(null, { status: 429, headers: { "retry-after": "31" } }) : answer;
      },
      { close: fetch.close },
    );
    const crawl = () => new Crawl({ start: HOME, frontier, fetch: refusing, clock, rateLimiters }).run();
    expect(await failureOf(crawl)).toMatchObject(asked(31_000));
    await clock.sleep(31_000);
    expect((await crawl()).counts).toMatchObject({ documents: 2, failed: 0, pending: 0 });
    expect(requests.filter(({ url }) => url === `${HOME}a`)).toHaveLength(2);
  });

  it("but not while the site serves none of its pages", async () => {
    const { crawl, rest, count } = engineOf({
      [HOME]: [page("Home", "/a"), later("3600"), later("3600"), page("Home")],
      [`${HOME}a`]: [later("3600"), page("A")],
    });
    for (let wait = 0; wait < 3; wait++) {
      expect(await failureOf(crawl)).toMatchObject(asked(HOUR));
      await rest(HOUR);
    }
    expect((await crawl()).counts).toMatchObject({ documents: 2, failed: 0 });
    expect([count(HOME), count(`${HOME}a`)]).toEqual([4, 2]);
  });
});

it("a block lets fetches in flight finish and starts no new ones", async () => {
  const { crawl, frontier, rest, count } = engineOf({
    [HOME]: page("Home", "/list"),
    [`${HOME}list`]: page("List", "/x", "/a", "/b"),
    [`${HOME}x`]: [later("3600"), page("X")],
    [`${HOME}a`]: page("A", "/below"),
    [`${HOME}b`]: page("B"),
    [`${HOME}below`]: page("Below"),
  });
  expect(await failureOf(crawl)).toMatchObject(asked(HOUR));
  expect(frontier.documents()).toEqual([HOME, `${HOME}a`, `${HOME}list`]);
  expect(count(`${HOME}below`)).toBe(0);
  await rest(HOUR);
  expect((await crawl()).counts).toMatchObject({ documents: 6, pending: 0, failed: 0 });
  expect([count(`${HOME}a`), count(`${HOME}x`)]).toEqual([1, 2]);
});
