import { expect, it } from "vitest";
import { Crawl } from "#dist/crawl/crawl.js";
import { type OpenCrawl, SuspendedCrawls } from "#dist/crawl/suspended-crawls.js";
import { quickClock } from "../support/quick-clock.js";
import { type PaperAnswer, paperSites } from "../support/site/paper-site.js";
import { TestFrontier } from "../support/test-frontier.js";

const HOME = "https://example.com/";
const MB = 1024 * 1024;

/** A crawl that is paused as soon as it waits, but not before the `first` URLs were requested. */
async function pausedCrawl(answers: Readonly<Record<string, PaperAnswer>>, first: readonly string[] = []) {
  const sites = paperSites(answers);
  const clock = quickClock();
  const pausing = new AbortController();
  const waiting = {
    ...clock,
    async sleep(ms: number, signal?: AbortSignal) {
      await expect.poll(() => first.every((url) => sites.count(url) > 0), { interval: 1 }).toBe(true);
      pausing.abort();
      await clock.sleep(ms, signal);
    },
  };
  const frontier = new TestFrontier();
  const crawl = new Crawl({ start: HOME, frontier, fetch: sites.fetch, clock: waiting });
  expect((await crawl.run({ pause: pausing.signal })).ended).toBe("paused");
  return { ...sites, crawl, frontier };
}

const home = (bytes: number, ...links: string[]) =>
  `<title>Home</title><p>Home.${links.map((link) => ` <a href="${link}">more</a>`).join("")}${" ".repeat(bytes)}`;

it("a pause keeps small results, and large ones are fetched again", async () => {
  const text = (body: string) => ({ type: "text/plain", body });
  const { crawl, count } = await pausedCrawl(
    {
      [HOME]: home(0, "/busy", "/large.txt", "/small.txt"),
      [`${HOME}busy`]: [{ status: 503 }, "<title>Busy</title><p>Busy."],
      [`${HOME}large.txt`]: text("large ".repeat(400_000)),
      [`${HOME}small.txt`]: text("small"),
    },
    [`${HOME}large.txt`, `${HOME}small.txt`],
  );
  expect(crawl.bufferedBytes).toBe(5);
  expect((await crawl.run()).counts).toMatchObject({ documents: 4, pending: 0 });
  expect([count(`${HOME}large.txt`), count(`${HOME}small.txt`)]).toEqual([2, 1]);
  expect(crawl.bufferedBytes).toBe(0);
});

it("suspended crawls are bounded in total bytes, except for the newest", async () => {
  // The start page waits for the sitemap, which the crawl delay holds back.
  const slow = { [`${HOME}robots.txt`]: "User-agent: *\nCrawl-delay: 20", [HOME]: home(3 * MB) };
  const open = async (): Promise<OpenCrawl> => {
    const { crawl, frontier } = await pausedCrawl(slow);
    expect(crawl.bufferedBytes).toBeGreaterThan(3 * MB);
    return { crawl, frontier } as unknown as OpenCrawl;
  };
  const crawls = new SuspendedCrawls(7 * MB);
  const ids = ["a", "b", "c"].map((jobId) => ({ jobId, round: 1 }));
  for (const id of ids) crawls.put(id, await open());
  expect(ids.map((id) => crawls.take(id) !== null)).toEqual([false, true, true]);

  const few = new SuspendedCrawls(MB);
  for (const id of ids) few.put(id, await open());
  expect(ids.map((id) => few.take(id) !== null)).toEqual([false, false, true]);
});
