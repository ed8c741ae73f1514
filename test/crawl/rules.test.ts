import { describe, expect, it } from "vitest";
import { detectSitemapState, parseSitemap } from "#dist/crawl/parse-sitemap.js";
import { PathRules } from "#dist/crawl/path-rules.js";
import { parseHeaderDirectives, parseMetaDirectives } from "#dist/crawl/robots-directives.js";
import { parseRobotsTxt } from "#dist/crawl/robots-txt.js";
import { isSoft404 } from "#dist/crawl/soft-404.js";
import { UrlRules } from "#dist/crawl/url-rules.js";
import { failureOf } from "../support/knowledge-base.js";

describe("paths", () => {
  const admitted = (include: string[], exclude: string[], paths: string[]) => {
    const rules = new PathRules(include, exclude);
    return paths.filter((path) => rules.isIncluded(new URL(path, "https://example.com")));
  };

  it("match themselves and all paths below", () => {
    const paths = ["/docs", "/docs/", "/docs/a?x=1", "/docs-old", "/Docs", "/", "/documents/docs"];
    expect(admitted(["/docs"], [], paths)).toEqual(["/docs", "/docs/", "/docs/a?x=1"]);
    expect(admitted(["docs/"], [], paths)).toEqual(["/docs", "/docs/", "/docs/a?x=1"]);
    expect(admitted(["/"], [], paths)).toEqual(paths);
    expect(admitted([], [], paths)).toEqual(paths);
  });

  it("are prefixes if they end with a star", () => {
    for (const beginning of ["/blog/2026-*", "/blog/2026-", "/blog/2026*"])
      expect(admitted([beginning], [], ["/blog/2026-01", "/blog/2025-01", "/blog"])).toEqual(["/blog/2026-01"]);
    expect(admitted(["/docs/*"], [], ["/docs/a", "/docs", "/docs-old"])).toEqual(["/docs/a"]);
    expect(admitted(["*"], [], ["/", "/a"])).toEqual(["/", "/a"]);
  });

  it("are skipped if excluded, even if they are included too", () => {
    expect(admitted(["/docs"], ["/docs/old"], ["/docs/a", "/docs/old", "/docs/old/a", "/docs/older"])).toEqual([
      "/docs/a",
      "/docs/older",
    ]);
  });

  it("match in any percent-encoding", () => {
    expect(admitted(["/café"], [], ["/caf%c3%a9/a", "/cafe"])).toEqual(["/caf%c3%a9/a"]);
  });

  it.each(["", "https://example.com/docs", "/a?b", "/a*b", "/a#b"])("can't be %j", async (rule) => {
    const error = await failureOf(() => new PathRules([], ["/ok", rule]));
    expect(error.code).toBe("invalid_input");
    expect(error.message).toContain(`excludePaths[1]: ${JSON.stringify(rule)}`);
  });
});

describe("addresses", () => {
  const rules = (known = 0) =>
    new UrlRules({
      start: new URL("https://www.example.com/"),
      maxDepth: 3,
      excludePaths: ["/no"],
      countQueryVariants: async (paths) => new Map(paths.map((path) => [path, known])),
    });
  const skips = async (addresses: string[], depth = 2, known = 0) =>
    (await rules(known).evaluate(addresses, { depth })).map(({ url, skip }) => [new URL(url).pathname, skip]);

  it("outside the site are ignored, and those on the site are accepted in any spelling, once", async () => {
    const inside = ["http://example.com/a", "https://www.example.com/b", "https://example.com:443/c", "//bad url"];
    const outside = ["https://example.com:8443/a", "https://docs.example.com/", "https://example.com.evil.org/"];
    const others = ["mailto:a@example.com", "ftp://example.com/", "https://www.example.com/a#again"];
    const found = await rules().evaluate([...inside, ...outside, ...others], { depth: 2 });
    expect(found.map(({ key }) => key)).toEqual(["example.com/a", "example.com/b", "example.com/c"]);
  });

  it("that have no document, or grow without end, are skipped", async () => {
    const site = "https://example.com";
    const long = `/${"x".repeat(2048)}`;
    const paths = ["/a.JPG", "/b.css", "/c.tar.gz", "/wiki/Node.js", "/d.pdf", "/no/e", "/x/y/x/y/x", "/x/x/x/x", long];
    expect(await skips(paths.map((path) => site + path))).toEqual([
      ["/a.JPG", "not_document"],
      ["/b.css", "not_document"],
      ["/c.tar.gz", "not_document"],
      ["/wiki/Node.js", null],
      ["/d.pdf", null],
      ["/no/e", "excluded"],
      ["/x/y/x/y/x", null],
      ["/x/x/x/x", "repeating"],
      [long, "too_long"],
    ]);
    expect(await skips([`${site}/a`], 4)).toEqual([["/a", "too_deep"]]);
  });

  it("are evaluated without blocking the event loop", async () => {
    const many = Array.from({ length: 20_000 }, (_, n) => `https://example.com/page-${n}?utm_source=map`);
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    expect(await rules().evaluate(many, { depth: 2 })).toHaveLength(20_000);
    isOver = true;
    expect(turns).toBeGreaterThan(50);
  });

  it("that are far too long are each recorded as skipped, by their start", async () => {
    const long = (end: string) => `https://example.com/a?q=${"x".repeat(50_000)}${end}`;
    const found = await rules().evaluate([long("1"), long("2"), long("1"), "https://example.com/a"], { depth: 2 });
    expect(found.map(({ skip, url }) => [skip, url.length])).toEqual([
      ["too_long", 2048],
      ["too_long", 2048],
      [null, 21],
    ]);
    expect(found[0]!.key).not.toBe(found[1]!.key);
    // What is taken off it makes a long one short.
    const tracked = `https://example.com/b?utm_source=${"x".repeat(3000)}`;
    expect(await rules().evaluate([tracked], { depth: 2 })).toMatchObject([{ key: "example.com/b", skip: null }]);
  });

  it("that differ in the query only are bounded, several parameters more tightly", async () => {
    const several = Array.from({ length: 150 }, (_, n) => `https://example.com/list?a=${n}&b=1`);
    const one = Array.from({ length: 150 }, (_, n) => `https://example.com/page?id=${n}`);
    const skipped = (await skips([...several, ...one])).filter(([, skip]) => skip === "variants");
    expect(skipped).toHaveLength(50);
    expect(skipped[0]).toEqual(["/list", "variants"]);
    expect(await skips(["https://example.com/page?id=1", "https://example.com/page"], 2, 1000)).toEqual([
      ["/page", "variants"],
      ["/page", null],
    ]);
  });
});

describe("robots.txt", () => {
  const read = (...lines: string[]) => parseRobotsTxt("https://example.com", lines.join("\n"));
  const allowed = (robots: ReturnType<typeof read>, paths: string[]) =>
    paths.filter((path) => robots.allows(`https://example.com${path}`));

  it("applies the group of our name, else the group of all", () => {
    const all = ["User-agent: *", "Disallow: /all"];
    expect(allowed(read(...all), ["/all/a", "/a"])).toEqual(["/a"]);
    expect(allowed(read(...all, "User-Agent: LOREBASE/2", "Disallow: /us"), ["/all/a", "/us"])).toEqual(["/all/a"]);
    expect(allowed(read("user-agent: other", "disallow: /"), ["/a"])).toEqual(["/a"]);
  });

  it("applies the longest rule, Allow if two are equally long, with * and $", () => {
    const robots = read(
      ...["\ufeffUser-agent: lorebase", "Sitemap: https://example.com/map.xml # ours", "User-agent: other"],
      ...["Disallow: /", "Allow: /open", "Disallow: /open/**.pdf$", "Allow: /same", "Disallow: /same"],
    );
    expect(allowed(robots, ["/", "/open/a", "/open/a.pdf", "/open/a.pdf?x", "/same", "/robots.txt"])).toEqual([
      ...["/open/a", "/open/a.pdf?x", "/same", "/robots.txt"],
    ]);
    expect(robots.sitemaps).toEqual(["https://example.com/map.xml"]);
  });

  it("may set a crawl delay, of which at most 30 s apply", () => {
    expect(read("User-agent: *", "Crawl-delay: 2.5").delayMs).toBe(2500);
    expect(read("User-agent: *", "Crawl-delay: 600").delayMs).toBe(30_000);
    expect(read("User-agent: *", "Crawl-delay: -1").delayMs).toBe(0);
    expect(read("User-agent: *", "Crawl-delay: soon").delayMs).toBe(0);
    expect(read("User-agent: other", "Crawl-delay: 2").delayMs).toBe(0);
  });

  it("full of wildcards is applied more strictly", () => {
    const hostile = Array.from({ length: 250 }, () => `Disallow: /x${"*a".repeat(1000)}b`);
    const robots = read("User-agent: *", ...hostile, "Allow: /x*c", "Disallow: /y*z", "Disallow: /plain");
    expect(allowed(robots, [`/x${"a".repeat(2000)}`, "/xc", "/y", "/plain", `/${"a".repeat(2000)}`])).toEqual([
      `/${"a".repeat(2000)}`,
    ]);
  });

  it("that is an HTML page has no rules", () => {
    expect(allowed(read("<!doctype html>", "<p>User-agent: *</p>", "<p>Disallow: /</p>"), ["/a"])).toEqual(["/a"]);
  });
});

it("robots directives are read from pages and headers, and those for other robots ignored", () => {
  const both = { noindex: true, nofollow: true };
  const neither = { noindex: false, nofollow: false };
  expect(parseMetaDirectives("NOINDEX,follow")).toEqual({ noindex: true, nofollow: false });
  expect(parseMetaDirectives("none")).toEqual(both);
  expect(parseMetaDirectives("index, follow, noimageindex")).toEqual(neither);
  expect(parseHeaderDirectives(null)).toEqual(neither);
  expect(parseHeaderDirectives("nofollow")).toEqual({ noindex: false, nofollow: true });
  expect(parseHeaderDirectives("otherbot: noindex, nofollow")).toEqual(neither);
  expect(parseHeaderDirectives("otherbot: all, Lorebase: noindex, nofollow")).toEqual(both);
  expect(parseHeaderDirectives("unavailable_after: 25 Jun 2010 15:00:00 PST, noindex")).toEqual({
    noindex: true,
    nofollow: false,
  });
});

describe("sitemaps", () => {
  it("are parsed from XML, whatever else it contains", () => {
    const xml = `<?xml version="1.0"?><!-- <loc>https://example.com/comment</loc> --><urlset>
      <url><loc> https://example.com/?a=1&amp;b=&#50;&#x33; </loc><image:image><image:loc>https://x/pic</image:loc></image:image></url>
      <url><loc><![CDATA[https://example.com/c&d]]></loc></url><url><loc>https://example.com/cut`;
    expect(parseSitemap(xml, 100)).toMatchObject({
      isIndex: false,
      urls: ["https://example.com/?a=1&b=23", "https://example.com/c&d"],
    });
    expect(parseSitemap(xml, 1).urls).toHaveLength(1);
  });

  it("are parsed with a namespace prefix, as an index, and as plain text", () => {
    const index = "<s:sitemapindex xmlns:s='x'><s:sitemap><s:loc>https://a/b.xml</s:loc></s:sitemap></s:sitemapindex>";
    expect(parseSitemap(index, 9)).toMatchObject({ isIndex: true, urls: ["https://a/b.xml"] });
    expect(parseSitemap("https://a/1\r\n\r\n  https://a/2 \nnothing\n", 9).urls).toEqual([
      "https://a/1",
      "https://a/2",
    ]);
    expect(parseSitemap("<!doctype html><p>https://a/1</p>", 9).urls).toEqual([]);
  });
});

describe("the state of a sitemap", () => {
  it.each([
    ["complete", "<?xml version='1.0'?><urlset xmlns='x'><url><loc>https://a/1</loc></url></urlset >"],
    ["complete", "<s:sitemapindex xmlns:s='x'></s:sitemapindex>"],
    ["complete", "<urlset xmlns='x' />"],
    ["complete", "<rss version='2.0'><channel/></rss>\n<!-- made by hand -->"],
    ["complete", "\nhttps://a/1\n"],
    ["truncated", "<urlset xmlns='x'><url><loc>https://a/1</loc></url><url><lo"],
    ["truncated", "<s:urlset xmlns:s='x'><url></urlset>"],
    ["truncated", "<urlset "],
    ["none", ""],
    ["none", "Back soon."],
    ["none", "<!doctype html><pre>\nhttps://a/1\n</pre>"],
  ])("is %s: %s", (state, text) => {
    expect(detectSitemapState(text)).toBe(state);
  });
});

describe("a soft 404", () => {
  const url = "https://example.com/some/page";
  const said = (title: string, text = "Sorry.") => isSoft404({ url, title, text }, null);

  it.each([
    ...["404", "404 Not Found", "Page not found | Example", "Example – Page Not Found", "Error 404: Page not found!"],
    ...["Seite nicht gefunden - Beispiel", "Page introuvable", "Página no encontrada", "ページが見つかりません"],
    ...["The requested URL was not found", "This page does not exist · Example"],
  ])("is recognised by its title: %s", (title) => {
    expect(said(title)).toBe(true);
  });

  it.each([
    "Room 404",
    "How to fix 404 Not Found errors",
    "Lost and found",
    "404 ways to cook rice",
    "Nicht gefunden?",
  ])("is not a page titled %s", (title) => {
    expect(said(title)).toBe(false);
  });

  it("is not a page with a long text", () => {
    expect(said("404 Not Found", "The server says that it has nothing to show. ".repeat(30))).toBe(false);
  });

  it("is recognised by its similarity to the response for a URL that can't exist, except for the words of the URL", () => {
    const text = (address: string) =>
      `We have looked for ${new URL(address).pathname} in all places and found nothing.`;
    const missing = { url: "https://example.com/0a1b-77", title: "Example", text: text("https://example.com/0a1b-77") };
    expect(isSoft404({ url, title: "Example", text: text(url) }, missing)).toBe(true);
    expect(isSoft404({ url, title: "Tides", text: text(url) }, missing)).toBe(false);
    expect(isSoft404({ url, title: "Example", text: "The tide is high at noon." }, missing)).toBe(false);
  });
});
