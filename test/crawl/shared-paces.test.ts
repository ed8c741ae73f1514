import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { Crawl } from "#dist/crawl/crawl.js";
import { HostRateLimiters } from "#dist/crawl/host-rate-limiters.js";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { SitePaces } from "#dist/storage/postgres/site-paces.js";
import { openTestDatabase, POSTGRES_MISSING } from "../support/postgres.js";
import { quickClock } from "../support/quick-clock.js";
import { paperSites } from "../support/site/paper-site.js";
import { TestFrontier } from "../support/test-frontier.js";

const HOME = "https://example.com/";
const PAGES = ["a", "b", "c", "d", "e", "f"];
const PROCESSES = [1, 2, 3];

const database = await openTestDatabase();
afterAll(() => database?.drop());

describe.skipIf(!database)(`crawls of one site in three processes${database ? "" : ` (${POSTGRES_MISSING})`}`, () => {
  it("send no more than four requests at a time together, and come to the same end as one alone", async () => {
    const site = openSite("");
    const ends = await Promise.all(PROCESSES.map(() => crawl(site.fetch)));
    for (const { counts } of ends) expect(counts).toMatchObject({ documents: 7, failed: 0, pending: 0 });
    expect(site.maxInFlight()).toBe(4);
    await expect.poll(() => database!.query("SELECT * FROM crawl_requests")).toEqual([]);
  });

  it("reserve a start for each request, the site's crawl delay apart", async () => {
    const startedAt = Date.now();
    const site = openSite("User-agent: *\nCrawl-delay: 0.5");
    await Promise.all(PROCESSES.map(() => crawl(site.fetch)));
    const [row] = await database!.query<{ next_start: number }>("SELECT next_start FROM crawled_sites");
    // Of each crawl: seven pages and one that doesn't exist. No time has passed while they waited.
    expect(row!.next_start - startedAt).toBeGreaterThanOrEqual(3 * 8 * 500);
  });
});

function openSite(robots: string) {
  const links = PAGES.map((page) => `<a href="/${page}">${page}</a>`).join("");
  const sites = paperSites({
    ...(robots && { [`${HOME}robots.txt`]: robots }),
    [HOME]: `<title>Home</title><p>Home.${links}`,
    ...Object.fromEntries(PAGES.map((page) => [`${HOME}${page}`, `<title>${page}</title><p>The page ${page}.`])),
  });
  let inFlight = 0;
  let most = 0;
  let isFull = false;
  const fetch: typeof sites.fetch = Object.assign(
    async (input: string | URL | Request, init: RequestInit = {}) => {
      most = Math.max(most, ++inFlight);
      // The first pages stay until four requests run and a fifth one waits.
      const isPage = PAGES.some((page) => String(input) === `${HOME}${page}`);
      while (isPage && robots === "" && !isFull) {
        const [row] = await database!.query<{ count: number }>("SELECT count(*) FROM crawl_requests");
        isFull ||= inFlight >= 4 && row!.count >= 5;
      }
      inFlight--;
      return sites.fetch(input, init);
    },
    { close: sites.fetch.close },
  );
  return { fetch, maxInFlight: () => most };
}

/** Crawls as a process with connections of its own does. */
async function crawl(fetch: ReturnType<typeof openSite>["fetch"]) {
  const opened = await openPostgres(database!.url);
  onTestFinished(() => opened.database.close());
  const clock = { ...quickClock(), now: Date.now };
  const errors: unknown[] = [];
  const paces = new SitePaces(opened.database, (error) => errors.push(error));
  onTestFinished(() => {
    paces[Symbol.dispose]();
    expect(errors).toEqual([]);
  });
  const rateLimiters = new HostRateLimiters(clock, paces.open);
  return new Crawl({ start: HOME, frontier: new TestFrontier(), fetch, clock, rateLimiters }).run();
}
