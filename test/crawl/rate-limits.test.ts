import { expect, it } from "vitest";
import { Crawl } from "#dist/crawl/crawl.js";
import { DEFAULT_CRAWL_LIMITS } from "#dist/crawl/crawl-limits.js";
import { HostRateLimiters } from "#dist/crawl/host-rate-limiters.js";
import { SiteClient } from "#dist/crawl/site-client.js";
import { quickClock } from "../support/quick-clock.js";
import { paperSites } from "../support/site/paper-site.js";
import { TestFrontier } from "../support/test-frontier.js";

const HOME = "https://example.com/";
const never = new AbortController().signal;

it("crawls of one site together keep its crawl delay", async () => {
  const clock = quickClock();
  const rateLimiters = new HostRateLimiters(clock);
  const sites = paperSites({
    "https://example.com/robots.txt": "User-agent: *\nCrawl-delay: 7",
    [HOME]: "<title>Home</title><p>Home.",
    "https://www.example.com/robots.txt": "User-agent: *\nCrawl-delay: 7",
    "https://www.example.com/": "<title>Home</title><p>Home.",
  });
  const times: number[] = [];
  const fetch: typeof sites.fetch = Object.assign(
    async (input: string | URL | Request, init: RequestInit = {}) => {
      if (!String(input).endsWith("/robots.txt")) times.push(clock.now());
      return sites.fetch(input, init);
    },
    { close: sites.fetch.close },
  );
  const crawl = (start: string) => new Crawl({ start, frontier: new TestFrontier(), fetch, clock, rateLimiters }).run();
  await Promise.all([crawl(HOME), crawl("https://www.example.com/"), crawl(HOME)]);
  const gaps = times.slice(1).map((time, index) => time - times[index]!);
  expect(gaps).toEqual(new Array(times.length - 1).fill(7000));
  expect(times.length).toBeGreaterThanOrEqual(6);
});

it("crawls of one site share its request slots, and a large file that waits holds none", async () => {
  const clock = quickClock();
  const rateLimiters = new HostRateLimiters(clock);
  const files = Array.from({ length: 5 }, (_, n) => `/${n}.txt`);
  const large = (n: number) => ({ type: "text/plain", body: `file ${n} `.repeat(1_600_000) });
  const sites = paperSites({
    [HOME]: `<title>Home</title><p>Home.${files.map((path) => `<a href="${path}">x</a>`).join("")}`,
    ...Object.fromEntries(files.map((path, n) => [new URL(path, HOME).href, large(n)])),
  });
  let inFlight = 0;
  let maxInFlight = 0;
  const fetch: typeof sites.fetch = Object.assign(
    async (input: string | URL | Request, init: RequestInit = {}) => {
      maxInFlight = Math.max(maxInFlight, ++inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight--;
      const answer = await sites.fetch(input, init);
      // Either crawl's first file arrives after both were requested.
      if (String(input) === `${HOME}0.txt`)
        await expect.poll(() => sites.count(`${HOME}0.txt`), { interval: 1 }).toBe(2);
      return answer;
    },
    { close: sites.fetch.close },
  );
  const crawl = () => new Crawl({ start: HOME, frontier: new TestFrontier(), fetch, clock, rateLimiters }).run();
  const ends = await Promise.all([crawl(), crawl()]);
  for (const { counts } of ends) expect(counts).toMatchObject({ documents: 6, pending: 0, failed: 0 });
  expect(maxInFlight).toBe(4);
});

it("a pause cancels the wait for robots.txt", async () => {
  const clock = quickClock();
  const pausing = new AbortController();
  const waiting = {
    ...clock,
    async sleep(ms: number, signal?: AbortSignal) {
      pausing.abort();
      await clock.sleep(ms, signal);
    },
  };
  const rateLimiters = new HostRateLimiters(waiting);
  const sites = paperSites({
    [HOME]: '<title>Home</title><p>Home. <a href="http://example.com/a">a</a>',
    "http://example.com/robots.txt": "User-agent: *\nDisallow: /b",
    "http://example.com/a": "<title>A</title><p>A.",
  });
  const frontier = new TestFrontier();
  const own = new Crawl({
    start: HOME,
    frontier,
    fetch: sites.fetch,
    clock: waiting,
    rateLimiters,
    options: { limit: 2 },
  });
  // Another crawl has just sent a request.
  await rateLimiters.get(HOME).run(25_000, never, async () => {});
  expect((await own.run({ pause: pausing.signal })).ended).toBe("paused");
  expect(sites.requests).toHaveLength(0);
  expect(clock.slept).toEqual([]);
  await clock.sleep(25_000);
  expect((await own.run()).counts).toMatchObject({ documents: 2, failed: 0, pending: 0 });
  expect(sites.count(`${HOME}robots.txt`)).toBe(1);
});

it("a cancelled wait doesn't block the next request", async () => {
  let wake = () => {};
  const sleep = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const limiter = new HostRateLimiters({ now: () => 0, random: () => 0.5, sleep }).get(HOME);
  await limiter.run(1000, never, async () => {});
  const first = limiter.run(0, never, async () => "first");
  const leaving = new AbortController();
  const second = limiter.run(0, leaving.signal, async () => "second");
  leaving.abort(new Error("left"));
  await expect(second).rejects.toThrow("left");
  wake();
  expect(await first).toBe("first");
});

it("rate limiters are evicted once they hold no state", async () => {
  const clock = quickClock();
  const rateLimiters = new HostRateLimiters(clock);
  const visit = (n: number, delayMs: number) =>
    rateLimiters.get(`https://${n}.example.com/`).run(delayMs, never, async () => {});
  for (let n = 0; n < 100; n++) await visit(n, 0);
  expect(rateLimiters.size).toBe(1);
  for (let n = 0; n < 100; n++) await visit(n, 5000);
  expect(rateLimiters.size).toBe(100);
  await clock.sleep(5000);
  await visit(100, 0);
  expect(rateLimiters.size).toBe(1);
  rateLimiters.get(HOME).block(60_000);
  await visit(101, 0);
  expect(rateLimiters.size).toBe(2);
});

it("a rate limiter is kept while a request waits between two attempts", async () => {
  const clock = quickClock();
  const rateLimiters = new HostRateLimiters(clock);
  const limiter = rateLimiters.get(HOME);
  const backingOff = {
    ...clock,
    async sleep() {
      // Adding a host evicts idle ones.
      rateLimiters.get("https://example.org/");
    },
  };
  const { fetch, count } = paperSites({ [HOME]: [{ status: 503 }, "there"] });
  const own = { fetch, rateLimiters, origin: "https://example.com", headers: {} };
  const client = new SiteClient({ ...own, clock: backingOff, limits: DEFAULT_CRAWL_LIMITS });
  const { signal } = new AbortController();
  const request = { maxBytes: 100, signal, waitSignal: signal };
  expect(await client.send(HOME, request, (response) => response.text())).toBe("there");
  expect(count(HOME)).toBe(2);
  expect(rateLimiters.get(HOME)).toBe(limiter);
});
