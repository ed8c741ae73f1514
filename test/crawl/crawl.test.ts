import { KnowledgeBaseError, type Parser } from "lorebase";
import { describe, expect, it } from "vitest";
import { Crawl } from "#dist/crawl/crawl.js";
import { Semaphore } from "#dist/util/semaphore.js";
import type { CrawlOptions } from "../../src/crawl/crawl-options.js";
import { failureOf } from "../support/knowledge-base.js";
import { quickClock } from "../support/quick-clock.js";
import { type PaperAnswer, paperSites } from "../support/site/paper-site.js";
import { type EarlierPage, TestFrontier } from "../support/test-frontier.js";

const HOME = "https://example.com/";

/** A page with a unique text. */
const page = (title: string, ...links: string[]) =>
  `<title>${title}</title><p>All about ${title}.${links.map((link) => ` <a href="${link}">more</a>`).join("")}`;

interface Settings extends CrawlOptions {
  readonly start?: string;
  readonly known?: ReadonlyMap<string, EarlierPage>;
}

async function crawl(
  answers: Readonly<Record<string, PaperAnswer>>,
  { start = HOME, known, ...options }: Settings = {},
) {
  const sites = paperSites(answers);
  const frontier = new TestFrontier(known);
  const clock = quickClock();
  const own = new Crawl({ start, frontier, fetch: sites.fetch, options, clock });
  const end = await own.run();
  return { ...end, ...sites, frontier, clock, documents: frontier.documents() };
}

const at = (...paths: string[]) => paths.map((path) => new URL(path, HOME).href);

describe("the depth, limit and paths of a crawl", () => {
  const SITE = {
    [HOME]: page("Home", "/a", "/b"),
    "https://example.com/a": page("A", "/a/1"),
    "https://example.com/b": page("B", "/b/1"),
    "https://example.com/a/1": page("A1", "/a/1/x"),
    "https://example.com/b/1": page("B1"),
    "https://example.com/a/1/x": page("A1x"),
    "https://example.com/sitemap.xml": {
      type: "text/xml",
      body: `<urlset><url><loc>${HOME}listed</loc></url></urlset>`,
    },
    "https://example.com/listed": page("Listed"),
  };

  it("follow links up to maxDepth, counting the start page as 1", async () => {
    const only = await crawl(SITE, { maxDepth: 1 });
    expect(only.documents).toEqual([HOME]);
    expect(only.requests.map(({ url }) => url)).toEqual(at("/robots.txt", "/"));
    expect(only.counts.skipped).toEqual({ too_deep: 2 });
    expect((await crawl(SITE, { maxDepth: 2 })).documents).toEqual(at("/", "/a", "/b", "/listed"));
    expect((await crawl(SITE)).documents).toHaveLength(7);
  });

  it("fetch no more pages than the limit", async () => {
    const { ended, documents, requests } = await crawl(SITE, { limit: 3 });
    expect(ended).toBe("limit");
    expect(documents).toEqual(at("/", "/a", "/b"));
    expect(requests.filter(({ url }) => /\/(?:1|x|listed)$/.test(url))).toEqual([]);
  });

  it("read the start page always, and store it only if its path is included", async () => {
    const { documents, counts } = await crawl(SITE, { includePaths: ["/a"], excludePaths: ["/a/1/x"] });
    expect(documents).toEqual(at("/a", "/a/1"));
    expect(counts.leftOut).toEqual({ excluded: 1 });
    expect(counts.skipped).toEqual({ excluded: 3 });
  });

  it("end the crawl when too many pages are not documents", async () => {
    const many = Array.from({ length: 1500 }, (_, n) => `/gone/${n}`);
    const { ended, requests } = await crawl({ [HOME]: page("Home", ...many) }, { limit: 10 });
    expect(ended).toBe("pages");
    expect(requests.length).toBeLessThan(1030);
  });
});

describe("a site", () => {
  it("is its host with and without www., by http and https", async () => {
    const { documents } = await crawl({
      [HOME]: { status: 301, headers: { location: "https://www.example.com/" } },
      "https://www.example.com/": page("Home", "http://example.com/a", "https://docs.example.com/", "/a#x"),
      "http://example.com/a": { status: 308, headers: { location: "https://example.com/a" } },
      "https://example.com/a": { status: 302, headers: { location: "https://www.example.com/a/" } },
      "https://www.example.com/a/": page("A"),
      "https://docs.example.com/": page("Docs"),
    });
    expect(documents).toEqual(["https://www.example.com/", "https://www.example.com/a/"]);
  });

  it("receives the caller's headers and credentials only at the origin of the start page", async () => {
    const { requests } = await crawl(
      {
        [HOME]: page("Home", "http://example.com/plain", "/a", "https://www.example.com/b"),
        "https://example.com/a": page("A"),
      },
      { start: "https://me:p%40ss@example.com/", headers: { "X-Key": "secret", "user-agent": "Ours/1" } },
    );
    const told = requests.filter(({ headers }) => headers.has("x-key"));
    expect(told.map(({ url }) => url)).toEqual(expect.arrayContaining(at("/robots.txt", "/", "/a")));
    for (const { url, headers } of requests) {
      const isOwn = new URL(url).origin === "https://example.com";
      expect(headers.get("x-key"), url).toBe(isOwn ? "secret" : null);
      expect(headers.get("authorization"), url).toBe(isOwn ? `Basic ${btoa("me:p@ss")}` : null);
      expect(headers.get("user-agent"), url).toMatch(isOwn ? "Ours/1" : /^Lorebase\/\d/);
    }
    expect(requests.some(({ url }) => url.startsWith("https://www.example.com/"))).toBe(true);
  });
});

describe("a start page", () => {
  const refused = (answer: PaperAnswer, more: Readonly<Record<string, PaperAnswer>> = {}) =>
    failureOf(() => crawl({ [HOME]: answer, ...more }));

  it.each<[string, PaperAnswer, string]>([
    ["is missing", { status: 404 }, "not_found"],
    ["is not given", { status: 401 }, "forbidden"],
    ["is a picture", { type: "image/png", body: "x" }, "unsupported"],
    ["leads elsewhere", { status: 301, headers: { location: "https://example.org/" } }, "invalid_input"],
    ["leads to a picture", { status: 301, headers: { location: "/a.png" } }, "unsupported"],
    ["leads to what is missing", { status: 301, headers: { location: "/en/" } }, "not_found"],
    ["is too large", { headers: { "content-length": "99999999" }, body: "x" }, "limit_exceeded"],
    ["fails", { status: 500 }, "provider_failed"],
  ])("that %s fails the crawl", async (_, answer, code) => {
    const error = await refused(answer);
    expect(error.code).toBe(code);
    expect(error.message).toContain(HOME);
    expect(error.retryable).toBe(code === "provider_failed");
  });

  it("that robots.txt disallows fails the crawl, and isn't fetched", async () => {
    const error = await refused(page("Home"), { "https://example.com/robots.txt": "User-agent: *\nDisallow: /" });
    expect(error.code).toBe("forbidden");
    expect(error.message).toContain("robots.txt");
  });
});

it("stops when its signal is aborted, even while a large file waits for a slot", async () => {
  const answers = {
    [HOME]: page("Home", "/slow", "/big.txt"),
    "https://example.com/big.txt": { type: "text/plain", body: "word ".repeat(2_400_000) },
  };
  const sites = paperSites(answers);
  const hanging = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  const fetch: typeof sites.fetch = Object.assign(
    async (input: string | URL | Request, init: RequestInit = {}) =>
      String(input).endsWith("/slow") ? hanging(init.signal!) : sites.fetch(input, init),
    { close: sites.fetch.close },
  );
  const ending = new AbortController();
  const own = new Crawl({ start: HOME, frontier: new TestFrontier(), fetch, clock: quickClock() });
  const run = own.run({ signal: ending.signal });
  await expect.poll(() => sites.count("https://example.com/big.txt")).toBe(1);
  ending.abort(new Error("enough"));
  await expect(run).rejects.toThrow("enough");
});

it("buffers a large file only while no other crawl does", async () => {
  const sites = paperSites({
    [HOME]: page("Home", "/big.txt", "/small.txt"),
    "https://example.com/big.txt": { type: "text/plain", body: "word ".repeat(2_400_000) },
    "https://example.com/small.txt": { type: "text/plain", body: "word" },
  });
  const largeFileSlots = new Semaphore(1);
  const leave = await largeFileSlots.acquire();
  const frontier = new TestFrontier();
  const own = new Crawl({ start: HOME, frontier, fetch: sites.fetch, clock: quickClock(), largeFileSlots });
  const run = own.run();
  await expect.poll(() => sites.count("https://example.com/small.txt")).toBe(1);
  expect(frontier.documents()).toEqual(at("/"));
  leave();
  await run;
  expect(frontier.documents()).toEqual(at("/", "/big.txt", "/small.txt"));
  // Given back.
  (await largeFileSlots.acquire())();
});

describe("robots.txt", () => {
  it("that can't be fetched from another host of the site fails only the pages on that host", async () => {
    const { documents, counts } = await crawl({
      [HOME]: page("Home", "http://www.example.com/b", "/a"),
      "https://example.com/a": page("A"),
      "http://www.example.com/robots.txt": { status: 500 },
    });
    expect(documents).toEqual(at("/", "/a"));
    expect(counts.failed).toBe(1);
  });

  it.each([500, 503, 429])("with status %i allows nothing for now", async (status) => {
    const sites = paperSites({ [HOME]: page("Home"), "https://example.com/robots.txt": { status } });
    const own = new Crawl({ start: HOME, frontier: new TestFrontier(), fetch: sites.fetch, clock: quickClock() });
    const error = await failureOf(() => own.run());
    expect(error).toMatchObject({ code: "provider_failed", retryable: true });
    expect(error.message).toContain("https://example.com/robots.txt");
    expect(sites.count(HOME)).toBe(0);
  });

  it("that failed is fetched again by the next run", async () => {
    const robots = [{ status: 500 }, { status: 500 }, { status: 500 }, { status: 404 }];
    const sites = paperSites({ [HOME]: page("Home"), "https://example.com/robots.txt": robots });
    const frontier = new TestFrontier();
    const own = new Crawl({ start: HOME, frontier, fetch: sites.fetch, clock: quickClock() });
    await failureOf(() => own.run());
    expect((await own.run()).ended).toBe("done");
    expect(frontier.documents()).toEqual([HOME]);
  });

  it("sets the delay between all requests", async () => {
    const { clock, requests } = await crawl({
      "https://example.com/robots.txt": "User-agent: *\nCrawl-delay: 7",
      [HOME]: page("Home", "/a", "/b", "/c"),
      "https://example.com/a": page("A"),
      "https://example.com/b": page("B"),
    });
    const paced = requests.filter(({ url }) => !url.endsWith("/robots.txt"));
    expect(clock.now() - Date.UTC(2026, 0, 1)).toBe((paced.length - 1) * 7000);
  });

  it("doesn't delay a pause, and pauses shorter than the crawl delay don't keep the crawl from finishing", async () => {
    const sites = paperSites({
      "https://example.com/robots.txt": "User-agent: *\nCrawl-delay: 20\nSitemap: /one.txt\nSitemap: /two.txt",
      "https://example.com/one.txt": { type: "text/plain", body: `${HOME}b` },
      [HOME]: page("Home", "/a"),
      "https://example.com/a": page("A"),
      "https://example.com/b": page("B"),
    });
    const frontier = new TestFrontier();
    let now = Date.UTC(2026, 0, 1);
    let pause = new AbortController();
    // Whoever waits is paused after 2 s.
    const clock = {
      now: () => now,
      random: () => 0.5,
      async sleep(ms: number, signal?: AbortSignal) {
        now += Math.min(ms, 2000);
        if (ms > 2000) pause.abort();
        signal?.throwIfAborted();
      },
    };
    const own = new Crawl({ start: HOME, frontier, fetch: sites.fetch, clock });
    const ends: string[] = [];
    while (ends.at(-1) !== "done" && ends.length < 100) {
      pause = new AbortController();
      ends.push((await own.run({ pause: pause.signal })).ended);
    }
    expect(frontier.documents()).toEqual(at("/", "/a", "/b"));
    // 3 pages, 3 sitemaps and one page that can't exist, 20 s apart: each wait has 9 pauses in it.
    expect(sites.requests).toHaveLength(1 + 7);
    expect(ends).toHaveLength(6 * 9 + 1);
    expect(now - Date.UTC(2026, 0, 1)).toBe(6 * 20_000);
  });
});

describe("a temporary failure", () => {
  const reset = new KnowledgeBaseError("provider_failed", "The answer broke off.", { retryable: true });

  it("is retried after the time in Retry-After", async () => {
    const { documents, clock, count } = await crawl({
      [HOME]: [{ status: 429, headers: { "retry-after": "12" } }, { status: 503 }, page("Home", "/a")],
      "https://example.com/a": [reset, page("A")],
    });
    expect(documents).toEqual(at("/", "/a"));
    expect(count(HOME)).toBe(3);
    expect(clock.slept).toEqual([12_000, 2000, 1000]);
  });

  it("fails the page after three attempts", async () => {
    const { counts, frontier, count } = await crawl({
      [HOME]: page("Home", "/a", "/c"),
      "https://example.com/a": reset,
      "https://example.com/c": { status: 500 },
    });
    expect(counts).toMatchObject({ documents: 1, failed: 2 });
    expect([count(`${HOME}a`), count(`${HOME}c`)]).toEqual([3, 1]);
    expect(frontier.rows.get("example.com/a")?.outcome).toEqual({
      kind: "failed",
      found: [],
      message: "https://example.com/a: The answer broke off.",
      retryable: true,
    });
  });
});

describe("a second crawl", () => {
  const known = (url: string, contentHash: string, ...links: string[]): EarlierPage => {
    return { url, etag: '"1"', lastModified: "Thu, 01 Jan 2026 00:00:00 GMT", contentHash, links };
  };

  it("sends validators, and follows the earlier links of unchanged pages", async () => {
    const pages = new Map([
      ["example.com/", known(HOME, "h", `${HOME}a`)],
      ["example.com/a", known(`${HOME}a`, "a")],
      ["example.com/b", known(`${HOME}b`, "a")],
    ]);
    const { counts, documents, requests } = await crawl(
      {
        [HOME]: { status: 304 },
        "https://example.com/a": page("A, changed", "/b"),
        "https://example.com/b": { status: 304 },
      },
      { known: pages },
    );
    expect(counts).toMatchObject({ documents: 1, unchanged: 2 });
    expect(documents).toEqual(at("/a"));
    const asked = requests.find(({ url }) => url === HOME)!;
    expect(asked.headers.get("if-none-match")).toBe('"1"');
    expect(asked.headers.get("if-modified-since")).toBe("Thu, 01 Jan 2026 00:00:00 GMT");
  });

  it("recognises unchanged pages with the same content as duplicates again", async () => {
    const pages = new Map([
      ["example.com/a", known(`${HOME}a`, "same")],
      ["example.com/b", known(`${HOME}b`, "same")],
    ]);
    const { counts } = await crawl(
      {
        [HOME]: page("Home", "/a", "/b"),
        "https://example.com/a": { status: 304 },
        "https://example.com/b": { status: 304 },
      },
      { known: pages },
    );
    expect(counts).toMatchObject({ documents: 1, unchanged: 1, duplicates: 1 });
  });
});

describe("pages and files with similar content", () => {
  const twins = {
    [HOME]: page("Home", "/a", "/b"),
    "https://example.com/a": `<title>T</title><p>Text.<aside class="sidebar"><a href="/x">one</a></aside>`,
    "https://example.com/b": `<title>T</title><p>Text.<aside class="sidebar"><a href="/y">two</a></aside>`,
  };

  it("are one document if their title and blocks are equal", async () => {
    expect((await crawl(twins)).counts).toMatchObject({ documents: 2, duplicates: 1 });
  });

  it("are several documents if a custom parser may read them differently", async () => {
    const own: Parser = {
      name: "own",
      mimeTypes: ["text/html"],
      extensions: [],
      supportedOptions: [],
      parse: async () => ({ blocks: [], title: null, mimeType: "text/html", pages: null, metadata: {}, warnings: [] }),
    };
    const { fetch } = paperSites(twins);
    const frontier = new TestFrontier();
    const { counts } = await new Crawl({ start: HOME, frontier, fetch, clock: quickClock(), parsers: [own] }).run();
    expect(counts).toMatchObject({ documents: 3, duplicates: 0 });
  });

  it("are several documents if the same bytes have another type or charset", async () => {
    const file = (type: string) => ({ type, body: "a,b\n1,2\n" });
    const { counts } = await crawl({
      [HOME]: page("Home", "/1.txt", "/2.txt", "/3.txt", "/4.csv"),
      "https://example.com/1.txt": file("text/plain"),
      "https://example.com/2.txt": file("text/plain"),
      "https://example.com/3.txt": file("text/plain; charset=utf-16le"),
      "https://example.com/4.csv": file("text/csv"),
    });
    expect(counts).toMatchObject({ documents: 4, duplicates: 1 });
  });
});

describe("files", () => {
  it("get their format from their bytes", async () => {
    const { frontier, counts } = await crawl({
      [HOME]: page("Home", "/a.pdf", "/feed", "/map", "/data", "/script", "/list.json", "/blob", "/missing"),
      "https://example.com/a.pdf": page("A page that is called a PDF"),
      "https://example.com/feed": { type: "text/xml", body: '<?xml version="1.0"?><rss version="2.0"></rss>' },
      "https://example.com/map": { type: "application/xml", body: "<!-- x --><urlset></urlset>" },
      "https://example.com/data": {
        type: "text/xml",
        body: "<?xml version='1.0'?><catalogue><item>Ada</item></catalogue>",
      },
      "https://example.com/script": { type: "text/javascript", body: "alert()" },
      "https://example.com/list.json": { type: "application/json", body: '{"name":"Ada"}' },
      "https://example.com/blob": {
        type: "application/octet-stream",
        body: Buffer.from("\x7fELF\x02\x01", "latin1"),
      },
    });
    const types = [...frontier.rows.values()].flatMap(({ outcome }) =>
      outcome?.kind === "document" ? [[outcome.page.url, outcome.page.mimeType, outcome.page.fileName]] : [],
    );
    expect(types).toEqual([
      [HOME, "text/html", null],
      ["https://example.com/a.pdf", "text/html", null],
      ["https://example.com/data", "text/xml", "data"],
      ["https://example.com/list.json", "application/json", "list.json"],
    ]);
    expect(counts.leftOut).toEqual({ not_document: 4, not_found: 1 });
  });
});
