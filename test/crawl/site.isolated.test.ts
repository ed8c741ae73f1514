import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Crawl } from "#dist/crawl/crawl.js";
import type { CrawlOptions } from "../../src/crawl/crawl-options.js";
import { guarded } from "../support/guarded.js";
import { quickClock } from "../support/quick-clock.js";
import { SITE_DEPTH } from "../support/site/site-pages.js";
import { startSite, type TestSite } from "../support/site/start-site.js";
import { TestFrontier } from "../support/test-frontier.js";

let site: TestSite;
beforeEach(async () => {
  site = await startSite();
});
afterEach(() => site.close());

function crawlOf(frontier: TestFrontier, options: CrawlOptions = {}): Crawl {
  return new Crawl({
    start: site.origin,
    frontier,
    fetch: guarded({ allowPrivateHosts: [`127.0.0.1:${site.port}`] }),
    options: { limit: 1000, maxDepth: SITE_DEPTH, ...options },
    limits: { idleMs: 1000, pageMs: 1500 },
    clock: quickClock(),
  });
}

/** Without the pages that take their time. */
const LIGHT = { excludePaths: ["/heavy"] };

/** The states of all addresses, apart from what is different in each crawl. */
function statesOf(frontier: TestFrontier): Record<string, string> {
  const states = [...frontier.rows].map(([key, { found, outcome }]) => {
    const target = outcome?.kind === "duplicate" ? outcome.of : "";
    const reason = outcome?.kind === "left_out" ? outcome.reason : "";
    return [key, `${found.depth} ${found.skip ?? ""} ${outcome?.kind ?? ""} ${target}${reason}`];
  });
  return Object.fromEntries(states.sort());
}

describe("the site", () => {
  it("is crawled completely, with no other site, in bounded memory", { timeout: 180_000 }, async () => {
    const frontier = new TestFrontier();
    const before = process.memoryUsage().rss;
    let peak = before;
    const sampled = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 5);
    const { ended, counts, sitemaps } = await crawlOf(frontier).run();
    clearInterval(sampled);

    expect(frontier.documents()).toEqual(site.documents);
    expect(site.documents).toHaveLength(200);
    expect(ended).toBe("done");
    expect(counts).toEqual({
      pending: 0,
      documents: 200,
      unchanged: 0,
      // 30 printed posts (the others are too deep), 99 orders of a list, 39 visits.
      duplicates: 168,
      canonical: 5,
      moved: 14,
      failed: 4,
      leftOut: {
        ...{ noindex: 3, not_document: 1, robots: 2, not_found: 2, soft_not_found: 3, forbidden: 1, empty: 1 },
        ...{ too_large: 2, outside: 1 },
      },
      skipped: { not_document: 2, variants: 50, repeating: 1, too_deep: expect.any(Number) },
    });
    expect({ ...sitemaps, urls: sitemaps?.urls.length, known: sitemaps?.known.length }).toEqual({
      urls: 28,
      files: 4,
      failed: 1,
      unread: [],
      known: 4,
    });

    for (const path of [
      "/private/closed",
      "/robots/never-by-rel",
      "/robots/never-by-page",
      "/robots/never-by-header",
    ]) {
      expect(site.count(path), path).toBe(0);
    }
    for (const path of ["/x.jpg", "/y.zip", "/pic"]) expect(site.count(path), path).toBe(0);
    expect(site.requests.every(({ headers }) => /^Lorebase\/\d/.test(headers["user-agent"] ?? ""))).toBe(true);
    // Of 2 GB that two pages would have, at most what a page may have and what lies in buffers was written.
    expect(site.written).toBeLessThan(40 * 1024 * 1024);
    expect(peak - before).toBeLessThan(300 * 1024 * 1024);
  });

  it("gives the same result when the crawl is stopped or paused again and again", { timeout: 180_000 }, async () => {
    const undisturbed = new TestFrontier();
    await crawlOf(undisturbed, LIGHT).run();
    const asked = site.requests.length;
    const stopped = new TestFrontier();
    let random = 7;
    let kills = 0;
    for (let ended = ""; ended !== "done"; ) {
      random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
      let left = random % 60;
      const kill = new AbortController();
      const run = crawlOf(stopped, LIGHT).run({ signal: kill.signal, onProgress: () => left-- === 0 && kill.abort() });
      ended = (await run.catch((error) => ({ ended: error.name as string }))).ended;
      kills++;
    }
    expect(kills).toBeGreaterThan(5);
    expect(statesOf(stopped)).toEqual(statesOf(undisturbed));
    // Those under way are asked again, and robots.txt and the page that can't exist.
    const askedAgain = site.requests.length - asked;
    expect(askedAgain).toBeLessThan(asked + kills * 12);

    const paused = new TestFrontier();
    const crawl = crawlOf(paused, LIGHT);
    let pauses = 0;
    for (let ended = ""; ended !== "done"; pauses++) {
      const pause = new AbortController();
      let left = 25;
      ({ ended } = await crawl.run({ pause: pause.signal, onProgress: () => left-- === 0 && pause.abort() }));
    }
    expect(pauses).toBeGreaterThan(5);
    expect(statesOf(paused)).toEqual(statesOf(undisturbed));
    // No request is sent twice. The flaky page answered at once.
    expect(site.requests.length - asked - askedAgain).toBe(asked - 1);
  });
});
