import { describe, expect, it } from "vitest";
import { Crawl } from "#dist/sources/crawl/crawl.js";
import { Paces } from "#dist/sources/crawl/paces.js";
import { failureOf } from "../../support/knowledge-base.js";
import { MemoryFrontier } from "../../support/memory-frontier.js";
import { quickClock } from "../../support/quick-clock.js";
import { type PaperAnswer, paperSites } from "../../support/site/paper-site.js";

const HOME = "https://example.com/";
const HOUR = 60 * 60_000;

const page = (title: string, ...links: string[]) =>
  `<title>${title}</title><p>All about ${title}.${links.map((link) => ` <a href="${link}">more</a>`).join("")}`;

const later = (retryAfter: string, status = 503) => ({ status, headers: { "retry-after": retryAfter } });

/** Crawls of one engine, each anew, as its job has them. */
function engineOf(answers: Readonly<Record<string, PaperAnswer>>) {
  const sites = paperSites(answers);
  const clock = quickClock();
  const paces = new Paces({ clock });
  const frontier = new MemoryFrontier();
  const crawl = (own = frontier) => new Crawl({ start: HOME, frontier: own, fetch: sites.fetch, clock, paces }).run();
  const rest = (ms: number) => clock.sleep(ms);
  return { ...sites, clock, frontier, crawl, rest };
}

const asked = (retryAfterMs: number) => ({ code: "provider_failed", retryable: true, leftAlone: true, retryAfterMs });

describe("a site that asks for a long wait", () => {
  it("is left alone for so long, and its pages are none the worse for it", async () => {
    const { crawl, frontier, rest, requests, count } = engineOf({
      [HOME]: page("Home", "/a", "/b"),
      "https://example.com/a": page("A"),
      "https://example.com/b": [later("3600", 429), page("B")],
    });
    expect(await failureOf(crawl)).toMatchObject(asked(HOUR));
    expect([...frontier.rows.values()].map(({ outcome }) => outcome?.kind)).toEqual(["document", undefined, undefined]);
    expect(count(`${HOME}b`)).toBe(1);

    // Nobody asks meanwhile, whatever crawl it is of.
    await rest(HOUR / 2);
    const before = requests.length;
    expect(await failureOf(crawl)).toMatchObject(asked(HOUR / 2));
    expect(await failureOf(() => crawl(new MemoryFrontier()))).toMatchObject(asked(HOUR / 2));
    expect(requests).toHaveLength(before);

    await rest(HOUR / 2);
    expect((await crawl()).ended).toBe("done");
    expect(frontier.documents()).toEqual([HOME, `${HOME}a`, `${HOME}b`]);
  });

  it.each<[string, Record<string, PaperAnswer>]>([
    ["robots.txt", { "https://example.com/robots.txt": [later("90"), { status: 404 }], [HOME]: page("Home", "/a") }],
    ["its start page", { [HOME]: [later("90"), page("Home", "/a")] }],
    ["a sitemap", { "https://example.com/sitemap.xml": [later("90"), { status: 404 }], [HOME]: page("Home", "/a") }],
  ])("may do so at %s", async (_, answers) => {
    const { crawl, frontier, rest, count } = engineOf({ ...answers, "https://example.com/a": page("A") });
    expect(await failureOf(crawl)).toMatchObject(asked(90_000));
    expect(frontier.rows.get("example.com/")?.outcome).toBeNull();
    await rest(90_000);
    expect((await crawl()).counts).toMatchObject({ documents: 2, failed: 0 });
    expect(count("https://example.com/sitemap.xml")).toBeLessThanOrEqual(2);
  });

  it("may name a date, and is asked again after a day at the latest", async () => {
    const date = new Date(Date.UTC(2026, 0, 1) + 90_000).toUTCString();
    expect(await failureOf(engineOf({ [HOME]: later(date) }).crawl)).toMatchObject(asked(90_000));
    expect(await failureOf(engineOf({ [HOME]: later("9999999") }).crawl)).toMatchObject(asked(24 * HOUR));
  });

  it("is no other site: its sitemap is passed over", async () => {
    const { crawl, frontier } = engineOf({
      "https://example.com/robots.txt": "Sitemap: https://maps.example.org/map.xml",
      "https://maps.example.org/map.xml": later("3600"),
      [HOME]: page("Home"),
    });
    expect((await crawl()).counts.skipped).toEqual({ unread_sitemap: 1 });
    expect(frontier.documents()).toEqual([HOME]);
  });
});

it("an address that always asks for a wait, while the site gives its others, fails as a page", async () => {
  const { crawl, frontier, rest, count } = engineOf({
    [HOME]: page("Home", "/a", "/b", "/c"),
    "https://example.com/a": later("3600"),
    "https://example.com/b": page("B"),
    "https://example.com/c": page("C"),
  });
  expect(await failureOf(crawl)).toMatchObject(asked(HOUR));
  await rest(HOUR);
  // What was answered before it asked says nothing.
  expect(await failureOf(crawl)).toMatchObject(asked(HOUR));
  await rest(HOUR);
  const { counts } = await crawl();
  expect(counts).toMatchObject({ documents: 3, failed: 1, pending: 0 });
  expect(frontier.rows.get("example.com/a")?.outcome).toMatchObject({ kind: "failed", retryable: true });
  expect(count(`${HOME}a`)).toBe(3);
});
