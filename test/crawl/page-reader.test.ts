import { expect, it } from "vitest";
import { PageReader } from "#dist/crawl/page-reader.js";

const NO_HEADERS = { link: null, refresh: null, robots: null, language: null };
const page = (html: string) => ({
  url: "https://example.com/",
  bytes: Buffer.from(html),
  charset: null,
  headers: NO_HEADERS,
});
const sitemap = (entries: number) => ({
  bytes: Buffer.from(`<urlset>${"<url><loc>https://example.com/a</loc></url>".repeat(entries)}</urlset>`),
  maxUrls: 2,
});
const never = new AbortController().signal;

it("abandons the page being read and those that wait, and reads others afterwards", {
  timeout: 60_000,
}, async () => {
  const reader = new PageReader();
  const ending = new AbortController();
  const heavy = page(`<title>Heavy</title>${"<p>word <b>bold</b> <a href='/x'>link</a></p>".repeat(200_000)}`);
  const order: string[] = [];
  const note = (name: string) => (error: Error) => void order.push(`${name} ${error.message}`);
  const under = reader.read(heavy, ending.signal).catch(note("under way"));
  const waiting = reader.readSitemap(sitemap(1), ending.signal).catch(note("waiting"));
  const last = reader.read(page("<title>Last</title><p>Text."), never).then(({ title }) => order.push(title!));
  await new Promise((resolve) => setImmediate(resolve));
  ending.abort(new Error("enough"));
  await Promise.all([under, waiting, last]);
  expect(order.toSorted()).toEqual(["Last", "under way enough", "waiting enough"]);
  await expect(reader.read(heavy, ending.signal)).rejects.toThrow("enough");
});

it("reads sitemaps off the caller's thread, until the signal is aborted", async () => {
  const reader = new PageReader();
  const a = "https://example.com/a";
  expect(await reader.readSitemap(sitemap(3), never)).toEqual({ isIndex: false, urls: [a, a], state: "complete" });
  const ending = new AbortController();
  const large = { bytes: Buffer.alloc(50_000_000, "a\n"), maxUrls: 2 };
  const reading = reader.readSitemap(large, ending.signal);
  setImmediate(() => ending.abort(new Error("enough")));
  await expect(reading).rejects.toThrow("enough");
});

it("fails a page that needs too much memory, and reads others afterwards", async () => {
  const reader = new PageReader();
  const dense = page("<p><a href=x>y</a>".repeat(550_000));
  await expect(reader.read(dense, never)).rejects.toThrow("Parsing the page failed");
  expect((await reader.read(page("<title>Next</title><p>Text."), never)).title).toBe("Next");
});
