import { type CrawledPage, type CrawlSiteOptions, type CrawlSummary, crawl } from "lorebase/crawl";
import { parseFile } from "lorebase/parse";
import { describe, expect, it } from "vitest";
import { failureOf } from "../support/knowledge-base.js";
import { listener } from "../support/listener.js";
import { type SmallPage, smallSite } from "../support/small-site.js";

const network = { allowPrivateHosts: ["127.0.0.1"] };
const link = (path: string) => `<a href="${path}">more</a>`;

async function pagesOf(options: CrawlSiteOptions): Promise<CrawledPage[]> {
  const pages: CrawledPage[] = [];
  for await (const page of crawl({ network, ...options })) pages.push(page);
  return pages;
}

const SITE: Record<string, SmallPage> = {
  "/": { title: "Home", body: `Welcome. ${link("/a")} ${link("/copy")} ${link("/notes.txt")} ${link("/secret/x")}` },
  "/a": { title: "A", body: `Ä is a letter. ${link("/gone")} ${link("/broken")}` },
  "/copy": { title: "A", body: `Ä is a letter. ${link("/gone")} ${link("/broken")}` },
  "/notes.txt": { type: "text/plain; charset=iso-8859-1", raw: Buffer.from("Schöne Grüße", "latin1") },
  "/broken": { status: 500 },
  "/secret/x": { title: "Secret", body: "Keep out." },
  "/robots.txt": { type: "text/plain", raw: Buffer.from("User-agent: *\nDisallow: /secret") },
};

/** A hundred pages, linked from the first one. */
function largeSite(): ReturnType<typeof smallSite> {
  const paths = Array.from({ length: 100 }, (_, n) => `/${n}`);
  return smallSite({
    "/": { title: "Home", body: paths.map(link).join(" ") },
    ...Object.fromEntries(paths.map((path) => [path, { title: path, body: `Page ${path}.` }])),
  });
}

describe("lorebase/crawl", () => {
  it("yields each document of a site once, and each page that could not be fetched", async () => {
    const { origin, count } = await smallSite(SITE);
    const progress: number[] = [];
    let summary: CrawlSummary | undefined;
    const pages = await pagesOf({
      url: origin,
      onProgress: ({ documents }) => progress.push(documents),
      onEnd: (end) => {
        summary = end;
      },
    });
    expect(pages.map(({ kind, url, depth }) => [kind, url.slice(origin.length), depth])).toEqual([
      ["document", "/", 1],
      ["document", "/a", 2],
      ["document", "/notes.txt", 2],
      ["failed", "/broken", 3],
    ]);
    expect(pages[1]).toMatchObject({
      title: "A",
      language: "en",
      fileName: null,
      mimeType: "text/html; charset=utf-8",
    });
    expect(pages[3]).toMatchObject({ message: `${origin}/broken: HTTP status 500.`, retryable: true });
    expect(count("/secret/x")).toBe(0);
    expect(progress.at(-1)).toBe(3);
    expect(summary).toMatchObject({
      ended: "done",
      counts: { documents: 3, failed: 1, duplicates: 1, pending: 0, leftOut: { robots: 1, not_found: 1 } },
    });
  });

  it("yields what parseFile takes, with the declared charset", async () => {
    const { origin } = await smallSite(SITE);
    const [, , notes] = await pagesOf({ url: origin });
    if (notes?.kind !== "document") throw new Error("no document");
    const { markdown } = await parseFile(notes.bytes, { name: notes.fileName!, mimeType: notes.mimeType });
    expect([notes.fileName, markdown.trim()]).toEqual(["notes.txt", "Schöne Grüße"]);
  });

  it("has the options of a crawl job", async () => {
    const { origin, requests } = await smallSite(SITE);
    const options = {
      url: `${origin}/`,
      maxDepth: 2,
      includePaths: ["/a", "/notes.txt"],
      headers: { "x-key": "open" },
    };
    const pages = await pagesOf({ ...options, limit: 1 });
    expect(pages.map(({ url }) => url)).toEqual([`${origin}/a`]);
    expect(new Set(requests.map(({ headers }) => headers["x-key"]))).toEqual(new Set(["open"]));
  });

  it("fetches no more than a few pages ahead of its consumer, and stops if the loop is left", async () => {
    const { origin, requests } = await largeSite();
    let taken = 0;
    for await (const page of crawl({ url: origin, network })) {
      expect(page.kind).toBe("document");
      if (++taken === 3) break;
    }
    expect(taken).toBe(3);
    const asked = requests.length;
    expect(asked).toBeLessThan(20);
    expect(await pagesOf({ url: origin, maxDepth: 1 })).toHaveLength(1);
    expect(requests.slice(asked).map(({ path }) => path)).toEqual(["/robots.txt", "/"]);
  });

  // Less than the 15 s after which a request fails by itself.
  it("doesn't wait for a request that hangs when the loop is left", { timeout: 10_000 }, async () => {
    let hangs = 0;
    const { port } = await listener((request, response) => {
      if (request.url === "/slow") hangs++;
      else if (request.url === "/") response.setHeader("content-type", "text/html").end(`Home. ${link("/slow")}`);
      else response.writeHead(404).end();
    });
    for await (const { depth } of crawl({ url: `http://127.0.0.1:${port}`, network })) {
      expect(depth).toBe(1);
      await expect.poll(() => hangs).toBe(1);
      break;
    }
  });

  it("fails with the signal's reason, in a request and between two pages", async () => {
    const reason = new Error("enough");
    const stop = new AbortController();
    const { port } = await listener((request, response) => {
      if (request.url === "/robots.txt") response.writeHead(404).end();
      else stop.abort(reason);
    });
    await expect(pagesOf({ url: `http://127.0.0.1:${port}`, signal: stop.signal })).rejects.toBe(reason);

    const { origin, requests } = await largeSite();
    const later = new AbortController();
    const pages = crawl({ url: origin, signal: later.signal, network })[Symbol.asyncIterator]();
    expect((await pages.next()).value.url).toBe(`${origin}/`);
    expect((await pages.next()).value.url).toBe(`${origin}/0`);
    // robots.txt, the sitemap, a page that can't exist, and ten pages: the crawl waits for its consumer.
    await expect.poll(() => requests.length).toBe(13);
    later.abort(reason);
    await expect(pages.next()).rejects.toBe(reason);
    expect(await pages.next()).toEqual({ done: true, value: undefined });
  });

  it("fails if the start page can't be crawled", async () => {
    const { origin } = await smallSite({});
    expect(await failureOf(() => pagesOf({ url: origin }))).toMatchObject({
      code: "not_found",
      message: `The crawl can't start at ${origin}/: the site has no such page.`,
    });
    const wait = { status: 503, headers: { "retry-after": "3600" } };
    const busy = await smallSite({ "/": wait });
    expect(await failureOf(() => pagesOf({ url: busy.origin }))).toMatchObject({
      code: "provider_failed",
      retryable: true,
      retryAfterMs: 3_600_000,
    });
  });

  it("refuses private hosts that are not allowed, and invalid options", async () => {
    const { origin, requests } = await smallSite(SITE);
    expect(await failureOf(() => pagesOf({ url: origin, network: {} }))).toMatchObject({ code: "invalid_input" });
    expect(requests).toEqual([]);
    const refusal = (options: object) => failureOf(async () => crawl({ url: origin, ...options }));
    expect((await refusal({ maxDept: 2 })).message).toContain('unknown key "maxDept"; did you mean "maxDepth"?');
    expect((await refusal({ limit: 0 })).issues[0]?.field).toBe("limit");
    expect((await refusal({ network: { allowPrivateHosts: ["http://x"] } })).issues[0]?.field).toBe(
      "network.allowPrivateHosts[0]",
    );
    expect((await refusal({ onEnd: 1 })).issues[0]?.field).toBe("onEnd");
  });
});
