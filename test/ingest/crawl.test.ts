import type { IngestEvent, KnowledgeBase, KnowledgeDocument, NamespaceHandle } from "lorebase";
import { expect, it, onTestFinished } from "vitest";
import { crawledSite } from "../support/crawled-site.js";
import { queryDatabase } from "../support/database.js";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { leapingClock } from "../support/leaping-clock.js";
import { listener } from "../support/listener.js";
import { rowsOf } from "../support/rows-of.js";
import { SITE_DEPTH } from "../support/site/site-pages.js";
import { startSite } from "../support/site/start-site.js";
import { type SmallPage, smallSite } from "../support/small-site.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

interface World {
  readonly kb: KnowledgeBase;
  readonly space: NamespaceHandle;
  readonly directory: string;
}

async function open(origin: string, options: Parameters<typeof openKnowledgeBase>[0] = {}): Promise<World> {
  const directory = temporaryDirectory();
  const kb = openKnowledgeBase({
    directory,
    worker: false,
    network: { allowPrivateHosts: [new URL(origin).host] },
    clock: leapingClock(),
    ...options,
  });
  onTestFinished(() => kb.close());
  return { kb, directory, space: await newNamespace(kb) };
}

/** Of a namespace with one crawl, by path. */
async function documentsOf(space: NamespaceHandle): Promise<ReadonlyMap<string, KnowledgeDocument>> {
  const documents = new Map<string, KnowledgeDocument>();
  for await (const document of space.documents.iterate()) {
    if (document.source.type === "CRAWLED_PAGE") documents.set(new URL(document.source.url).pathname, document);
  }
  return documents;
}

it("makes documents of exactly the site's pages, searchable by content", { timeout: 120_000 }, async () => {
  const site = await startSite();
  onTestFinished(() => site.close());
  const { kb, space, directory } = await open(site.origin);
  const live: IngestEvent[] = [];
  kb.on("crawl.progress", (event) => live.push(event));
  // Without the pages that take their time.
  const excludePaths = ["/heavy"];
  const run = await space.ingest({ type: "CRAWL", url: site.origin, limit: 1000, maxDepth: SITE_DEPTH, excludePaths });
  await kb.drain();
  const job = await run.done();

  const shown: string[] = [];
  for await (const { status, source } of space.documents.iterate({ statuses: ["COMPLETED"] })) {
    expect(status).toBe("COMPLETED");
    if (source.type === "CRAWLED_PAGE") shown.push(source.url);
  }
  const expected = site.documents.filter((url) => !url.includes("/heavy"));
  expect(shown.sort()).toEqual(expected);
  const events: IngestEvent[] = [];
  for await (const event of run.events()) events.push(event);
  const ended = events.filter((event) => event.type === "crawl.ended");
  expect(ended).toMatchObject([
    { ended: "done", pages: { documents: expected.length, duplicates: 168, canonical: 5, moved: 14, pending: 0 } },
  ]);
  expect(ended[0]?.type === "crawl.ended" && ended[0].pages.leftOut).toMatchObject({ robots: 2, noindex: 3 });
  expect(live.length).toBeGreaterThan(300);
  expect(job.counts.documents).toEqual({
    total: expected.length + job.counts.documents.failed,
    completed: expected.length,
    failed: 2,
  });
  expect(job.error).toMatch(/^2 of 201 documents failed\. First failure: "[^"]+": http/);
  // Nothing is asked twice but what failed, and the page that takes a second attempt.
  expect(site.count("/")).toBe(1);
  expect(rowsOf(directory)).not.toHaveProperty("fetched_sources");

  await space.ingestJobs.delete(run.id);
  await kb.drain();
  for (const table of ["crawl_pages", "origins", "documents", "document_sources", "events", "chunks", "scopes"]) {
    expect(rowsOf(directory)).not.toHaveProperty(table);
  }
});

it("shows a page's URL and title with its hits", async () => {
  const site = await smallSite({
    "/": { title: "Lamps", body: '<a href="/oil">oil</a> <a href="/plain">plain</a> <a href="/notes.txt">notes</a>' },
    "/oil": {
      title: "Oil lamps",
      head: '<meta name="description" content="All about oil.">',
      body: "A lamp burns oil.",
    },
    "/plain": { body: "A lamp without a title." },
    "/notes.txt": { type: "text/plain; charset=iso-8859-2", raw: Buffer.from("A lamp in \xa3\xf3d\xbc.", "latin1") },
  });
  const { kb, space } = await open(site.origin);
  const url = site.origin.replace("://", "://me:hush@");
  const run = await space.ingest({ type: "CRAWL", url, headers: { "x-token": "hush-too" } });
  await kb.drain();
  expect((await run.done()).error).toBeNull();
  expect(
    [...(await documentsOf(space)).values()]
      .map(({ name, source, properties: { mimeType } }) => [name, source, mimeType])
      .toSorted(),
  ).toEqual(
    [
      ["Lamps", page("/", "Lamps"), "text/html"],
      ["Oil lamps", page("/oil", "Oil lamps", "All about oil."), "text/html"],
      ["/plain", page("/plain", null), "text/html"],
      ["notes.txt", { ...page("/notes.txt", null), language: null }, "text/plain"],
    ].toSorted(),
  );
  const [hit] = await space.search("oil burns", { mode: "keyword" });
  expect(hit).toMatchObject({ text: "A lamp burns oil.", metadata: { url: `${site.origin}/oil` } });
  const [note] = await space.search("łódź", { mode: "keyword" });
  expect(note).toMatchObject({ metadata: { url: `${site.origin}/notes.txt`, filename: "notes.txt" } });
  const heard = site.requests.filter(({ path }) => path !== "/robots.txt");
  expect(heard.every(({ headers }) => headers["x-token"] === "hush-too" && headers.authorization)).toBe(true);
  const shown = JSON.stringify([await run.done(), [...(await documentsOf(space)).values()], hit]);
  expect(shown).not.toContain("hush");

  function page(path: string, title: string | null, description: string | null = null) {
    return { type: "CRAWLED_PAGE", url: `${site.origin}${path}`, title, description, language: "en" };
  }
});

/** By address, how often a document has been made. */
function generationsOf(directory: string): Readonly<Record<string, number>> {
  const rows = queryDatabase<{ key: string; generation: number }>(
    directory,
    "SELECT found_key AS key, last_generation AS generation FROM documents",
  );
  return Object.fromEntries(rows.map(({ key, generation }) => [key.replace(/^[^/]*/, ""), generation]));
}

it("revalidates pages when ingested again: adds, replaces, removes, and keeps the rest", async () => {
  const site = await smallSite({
    "/": { body: '<a href="/same">a</a> <a href="/changing">b</a> <a href="/leaving">c</a> <a href="/unlinked">d</a>' },
    "/same": { body: "Nothing of this changes." },
    "/changing": { body: "It burns oil." },
    "/leaving": { body: "This page leaves." },
    "/unlinked": { body: "Nobody will lead here." },
  });
  const { kb, space, directory } = await open(site.origin);
  const { id } = await space.ingest({ type: "CRAWL", url: site.origin, maxDepth: 3 });
  await kb.drain();
  const first = await documentsOf(space);
  expect([...first.keys()].toSorted()).toEqual(["/", "/changing", "/leaving", "/same", "/unlinked"]);
  const again = async () => {
    site.requests.length = 0;
    const run = await space.ingestJobs.reingest(id);
    await kb.drain();
    return run.done();
  };

  site.pages["/same"] = { ...site.pages["/same"], etag: false };
  const before = rowsOf(directory);
  const { counts } = await space.ingestJobs.get(id);
  expect(await again()).toMatchObject({ status: "COMPLETED", counts });
  // One page has no tag any more, and the same content.
  expect([site.answered(304), site.answered(200)]).toEqual([4, 1]);
  expect(generationsOf(directory)).toEqual({ "/": 1, "/changing": 1, "/leaving": 1, "/same": 1, "/unlinked": 1 });
  expect({ ...rowsOf(directory), events: 0, processes: 0 }).toEqual({ ...before, events: 0, processes: 0 });

  site.pages["/"] = {
    body: '<a href="/same">a</a> <a href="/changing">b</a> <a href="/leaving">c</a> <a href="/new">d</a>',
  };
  site.pages["/changing"] = { body: "It burns gas." };
  site.pages["/leaving"] = { status: 410 };
  site.pages["/new"] = { body: "A new page." };
  const changed = await again();
  expect(changed).toMatchObject({ status: "COMPLETED", counts: { documents: { total: 4, completed: 4, failed: 0 } } });
  const second = await documentsOf(space);
  expect([...second.keys()].toSorted()).toEqual(["/", "/changing", "/new", "/same"]);
  // Of the start page only the address of a link has changed, and nothing that it says.
  expect(generationsOf(directory)).toEqual({ "/": 1, "/changing": 2, "/new": 1, "/same": 1 });
  for (const path of ["/", "/changing", "/same"]) expect(second.get(path)!.id).toBe(first.get(path)!.id);
  const found = async (query: string) => (await space.search(query, { mode: "keyword" })).length;
  expect([
    await found("gas"),
    await found("oil"),
    await found("leaves"),
    await found("nobody"),
    await found("new"),
  ]).toEqual([1, 0, 0, 0, 1]);

  // Reached by one more step than is wanted.
  site.pages["/"] = { body: '<a href="/same">a</a> <a href="/changing">b</a>' };
  site.pages["/changing"] = { body: '<a href="/far">It burns gas.</a>' };
  site.pages["/far"] = { body: '<a href="/new">Far.</a>' };
  expect((await again()).counts.documents).toEqual({ total: 4, completed: 4, failed: 0 });
  expect([...(await documentsOf(space)).keys()].toSorted()).toEqual(["/", "/changing", "/far", "/same"]);
  site.pages["/far"] = { status: 404 };
  site.pages["/"] = { body: '<a href="/same">a</a> <a href="/changing">b</a> <a href="/new">c</a>' };
  site.pages["/changing"] = { body: '<a href="/new">It burns gas.</a>' };
  expect((await again()).counts.documents).toEqual({ total: 4, completed: 4, failed: 0 });

  // Pages that can't be read lead where they led.
  site.pages["/"] = { body: '<a href="/same">a</a> <a href="/changing">b</a>' };
  site.pages["/changing"] = { status: 500 };
  site.pages["/same"] = { status: 403 };
  expect(await again()).toMatchObject({ status: "FAILED", error: expect.stringContaining("/changing") });
  expect([...(await documentsOf(space)).keys()].toSorted()).toEqual(["/", "/changing", "/new", "/same"]);
  expect([await found("gas"), await found("changes"), await found("new")]).toEqual([1, 1, 1]);

  site.pages["/robots.txt"] = { status: 404 };
  site.pages["/"] = { status: 404 };
  expect(await again()).toMatchObject({ status: "FAILED", error: expect.stringContaining("The crawl can't start") });
  expect([...(await documentsOf(space)).keys()].toSorted()).toEqual(["/", "/changing", "/new", "/same"]);
  expect([await found("gas"), await found("changes"), await found("new")]).toEqual([1, 1, 1]);
});

it.each([true, false])("shows the current spelling of a page's URL, with ETags: %s", async (etag) => {
  const old = { body: "A page of lamps.", etag };
  const site = await smallSite({ "/": { body: '<a href="/a">a</a>' }, "/a": old });
  const { kb, space } = await open(site.origin);
  const run = await space.ingest({ type: "CRAWL", url: site.origin });
  await kb.drain();
  const urls = async () => {
    const [hit] = await space.search("lamps", { mode: "keyword" });
    return [...(await documentsOf(space)).keys(), hit?.metadata?.url].filter((url) => url !== "/");
  };
  expect(await urls()).toEqual(["/a", `${site.origin}/a`]);
  Object.assign(site.pages, { "/": { body: '<a href="/a/">a</a>' }, "/a/": old, "/a": { status: 404 } });
  await space.ingestJobs.reingest(run.id);
  await kb.drain();
  expect(await urls()).toEqual(["/a/", `${site.origin}/a/`]);

  // Links that lead there by a redirect don't make it another one, or cost a page.
  Object.assign(site.pages, {
    "/": { body: '<a href="/a">a</a>' },
    "/a": { status: 301, headers: { location: "/a/" } },
  });
  site.requests.length = 0;
  await space.ingestJobs.reingest(run.id);
  await kb.drain();
  expect(await urls()).toEqual(["/a/", `${site.origin}/a/`]);
  expect(site.requests.find(({ path }) => path === "/a/")?.status).toBe(etag ? 304 : 200);
});

it("keeps a page while the sitemap that listed it is unavailable, and removes it afterwards", async () => {
  const site = await smallSite({
    "/": { body: "Start." },
    "/listed": { body: "A page of lamps that only the sitemap names." },
  });
  const sitemap = (...paths: string[]) => ({
    type: "text/xml",
    raw: Buffer.from(`<urlset>${paths.map((path) => `<url><loc>${site.origin}${path}</loc></url>`).join("")}</urlset>`),
  });
  site.pages["/sitemap.xml"] = sitemap("/listed");
  const { kb, space } = await open(site.origin);
  const job = await space.ingest({ type: "CRAWL", url: site.origin });
  await kb.drain();
  const crawlAgain = async () => {
    await space.ingestJobs.reingest(job.id);
    await kb.drain();
    return (await documentsOf(space)).size;
  };
  expect((await documentsOf(space)).size).toBe(2);
  site.pages["/sitemap.xml"] = { status: 500 };
  expect(await crawlAgain()).toBe(2);
  site.pages["/sitemap.xml"] = sitemap();
  expect(await crawlAgain()).toBe(1);
});

it.each<[string, Partial<Record<string, SmallPage>>]>([
  ["is refused", { "/map.xml": { status: 403 } }],
  ["asks for credentials", { "/map.xml": { status: 401 } }],
  ["redirects to a page", { "/map.xml": { status: 302, headers: { location: "/login" } }, "/login": { body: "Who?" } }],
  [
    "redirects to a host that is refused",
    { "/map.xml": { status: 302, headers: { location: "http://127.0.0.1:1/" } } },
  ],
  ["is a page", { "/map.xml": { body: "We will be back." } }],
  ["is empty", { "/map.xml": { raw: Buffer.from("") } }],
  ["is cut off", { "/map.xml": { raw: Buffer.from("<urlset><url><loc>") } }],
  ["is below an index that is refused", { "/index.xml": { status: 403 } }],
  [
    "is below an index that is no longer named, and refused",
    { "/robots.txt": { status: 403 }, "/index.xml": { status: 403 } },
  ],
])("keeps the pages of a sitemap that was read before and now %s", async (_, changes) => {
  const site = await smallSite({ "/": { body: "Start." }, "/a": { body: "Lamps." }, "/b": { body: "Boats." } });
  const { origin, pages } = site;
  const xml = (text: string) => ({ type: "text/xml", raw: Buffer.from(text) });
  pages["/robots.txt"] = { type: "text/plain", raw: Buffer.from(`Sitemap: ${origin}/index.xml`) };
  pages["/index.xml"] = xml(`<sitemapindex><sitemap><loc>${origin}/map.xml</loc></sitemap></sitemapindex>`);
  pages["/map.xml"] = xml(`<urlset><url><loc>${origin}/a</loc></url><url><loc>${origin}/b</loc></url></urlset>`);
  const sound = { ...pages };
  const { again, documents } = await crawledSite(site);
  const crawlAgain = async () => {
    await again();
    return documents();
  };
  // More than once: what is known of a sitemap outlasts a crawl that could not read it.
  for (const broken of [changes, { ...changes, "/map.xml": { status: 403 } }]) {
    Object.assign(pages, broken);
    expect(await crawlAgain()).toEqual(["/", "/a", "/b"]);
  }
  // Whatever could not be read was asked for.
  expect(site.count("/map.xml")).toBe(1);
  Object.assign(pages, sound, { "/map.xml": xml(`<urlset><url><loc>${origin}/b</loc></url></urlset>`) });
  expect(await crawlAgain()).toEqual(["/", "/b"]);
  pages["/map.xml"] = { status: 404 };
  expect(await crawlAgain()).toEqual(["/"]);
});

it("keeps no page because of a URL that never was a sitemap", async () => {
  const site = await smallSite({
    "/": { body: '<a href="/a">a</a> Start.' },
    "/a": { body: "Lamps." },
    "/sitemap.xml": { status: 403 },
  });
  const { kb, space } = await open(site.origin);
  const run = await space.ingest({ type: "CRAWL", url: site.origin });
  await kb.drain();
  const events: IngestEvent[] = [];
  for (const sitemap of [{ status: 403 }, { body: "Not here." }]) {
    Object.assign(site.pages, { "/": { body: "Start." }, "/sitemap.xml": sitemap });
    await space.ingestJobs.reingest(run.id);
    await kb.drain();
    expect([...(await documentsOf(space)).keys()]).toEqual(["/"]);
  }
  for await (const event of run.events()) events.push(event);
  expect(events.filter((event) => event.type === "crawl.ended")[0]?.pages.skipped).toEqual({});
});

it("requests a sitemap read before that robots.txt no longer lists", async () => {
  const site = await smallSite({ "/": { body: "Start." }, "/a": { body: "Lamps." } });
  const { origin, pages } = site;
  pages["/robots.txt"] = { type: "text/plain", raw: Buffer.from(`Sitemap: ${origin}/map.txt`) };
  pages["/map.txt"] = { type: "text/plain", raw: Buffer.from(`${origin}/a\n`) };
  const { kb, space } = await open(origin);
  const run = await space.ingest({ type: "CRAWL", url: origin });
  await kb.drain();
  pages["/robots.txt"] = { type: "text/plain", raw: Buffer.from("") };
  pages["/a"] = { body: "Lamps and wicks." };
  await space.ingestJobs.reingest(run.id);
  await kb.drain();
  expect([...(await documentsOf(space)).keys()].toSorted()).toEqual(["/", "/a"]);
  expect(await space.search("wicks", { mode: "keyword" })).toHaveLength(1);
  const ended: IngestEvent[] = [];
  for await (const event of run.events()) if (event.type === "crawl.ended") ended.push(event);
  expect(ended).toMatchObject([{ pages: { skipped: {} } }, { pages: { skipped: {} } }]);
});

it("contacts no private host that is allowed for other uses, even if robots.txt lists it", async () => {
  const inside = await listener();
  const { origin, pages } = await smallSite({ "/": { body: "Start." }, "/listed": { body: "Lamps." } });
  const elsewhere = `http://127.0.0.1:${inside.port}/map.xml`;
  pages["/robots.txt"] = {
    type: "text/plain",
    raw: Buffer.from(`Sitemap: ${elsewhere}\nSitemap: ${origin}/moved.xml\nSitemap: ${origin}/own.txt`),
  };
  pages["/moved.xml"] = { status: 302, headers: { location: elsewhere } };
  pages["/own.txt"] = { type: "text/plain", raw: Buffer.from(`${origin}/listed\n`) };
  const { kb, space } = await open(origin, { network: { allowPrivateHosts: ["127.0.0.1"] } });
  const job = await space.ingest({ type: "CRAWL", url: origin });
  await kb.drain();
  expect(inside.hits).toBe(0);
  expect([...(await documentsOf(space)).keys()].toSorted()).toEqual(["/", "/listed"]);

  // What is refused as it stands says nothing of pages that are gone.
  pages["/own.txt"] = { type: "text/plain", raw: Buffer.from(`${origin}/`) };
  await space.ingestJobs.reingest(job.id);
  await kb.drain();
  expect([...(await documentsOf(space)).keys()]).toEqual(["/"]);
});

it("does not bring back a page's document that was deleted", async () => {
  const site = await smallSite({ "/": { body: '<a href="/a">a</a> Start.' }, "/a": { body: "A page of lamps." } });
  const { kb, space } = await open(site.origin);
  const { id } = await space.ingest({ type: "CRAWL", url: site.origin });
  await kb.drain();
  await space.documents.delete((await documentsOf(space)).get("/a")!.id);
  await kb.drain();
  const run = await space.ingestJobs.reingest(id);
  await kb.drain();
  expect(await run.done()).toMatchObject({ status: "COMPLETED", counts: { documents: { total: 1, completed: 1 } } });
  expect([...(await documentsOf(space)).keys()]).toEqual(["/"]);
});

it("fails with the reason if the start page is unavailable, or nothing is left to ingest", async () => {
  const site = await smallSite({
    "/gone": { status: 404 },
    "/hidden": { head: '<meta name="robots" content="noindex">', body: "Hidden." },
  });
  const { kb, space } = await open(site.origin);
  const errorOf = async (path: string) => {
    const run = await space.ingest({ type: "CRAWL", url: site.origin + path });
    await kb.drain();
    const { status, error, counts } = await run.done();
    return [status, error, counts.documents.total];
  };
  expect(await errorOf("/gone")).toEqual([
    "FAILED",
    `The crawl can't start at ${site.origin}/gone: the site has no such page.`,
    0,
  ]);
  expect(await errorOf("/hidden")).toEqual([
    "FAILED",
    `The crawl of ${site.origin}/hidden found no page to ingest (URLs left out: 1 noindex).`,
    0,
  ]);
});

/** Each page leads to two further ones. */
function endless(path: string) {
  const number = Number(path.slice(2) || 0);
  return { body: `Page ${number} of lamps. <a href="/p${number * 2 + 1}">a</a> <a href="/p${number * 2 + 2}">b</a>` };
}

it("ends soon when it is cancelled or deleted, and yields to other jobs", { timeout: 60_000 }, async () => {
  const site = await smallSite({}, endless);
  const { kb, space, directory } = await open(site.origin, { worker: { concurrency: 1 }, clock: () => new Date() });
  const payload = { type: "CRAWL", url: `${site.origin}/p0`, limit: 100_000, maxDepth: 100 } as const;
  const crawl = await space.ingest(payload);
  for await (const event of crawl) if (event.type === "crawl.progress" && event.counts.documents.completed > 0) break;
  const other = await (await newNamespace(kb)).ingest({ type: "TEXT", text: "In between." });
  expect((await other.done()).status).toBe("COMPLETED");
  expect((await space.ingestJobs.get(crawl.id)).status).toBe("PROCESSING");
  // It goes on with what it knows of the site.
  expect(site.count("/robots.txt")).toBe(1);
  await space.ingestJobs.cancel(crawl.id);
  const cancelled = await crawl.done();
  expect(cancelled.status).toBe("CANCELLED");
  expect(cancelled.counts.documents.completed).toBeGreaterThan(0);
  expect(rowsOf(directory)).not.toHaveProperty("fetched_sources");
  expect(site.count("/p0")).toBe(1);

  const second = await space.ingest({ ...payload, url: `${site.origin}/p1` });
  for await (const event of second) if (event.type === "crawl.progress" && event.pages.documents > 5) break;
  await space.ingestJobs.delete(second.id);
  await space.ingestJobs.delete(crawl.id);
  await kb.drain();
  expect(rowsOf(directory)).not.toHaveProperty("crawl_pages");
  expect(rowsOf(directory)).not.toHaveProperty("fetched_sources");
});
