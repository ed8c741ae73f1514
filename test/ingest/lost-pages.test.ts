import { expect, it } from "vitest";
import { crawledSite } from "../support/crawled-site.js";
import { type SmallPage, smallSite } from "../support/small-site.js";

/** A page with a text of its own that leads to others. */
const page = (name: string, ...links: string[]): SmallPage => ({
  body: `All about ${name}.${links.map((link) => ` <a href="${link}">more</a>`).join("")}`,
});

/** A start page and as many others as are named. */
const siteOf = (...names: string[]) =>
  smallSite({
    "/": page("lamps", ...names.map((name) => `/${name}`)),
    ...Object.fromEntries(names.map((name) => [`/${name}`, page(name)])),
  });

it("moves the document of a permanently moved page to the new URL", async () => {
  const site = await siteOf("oil", "gas");
  const { again, documents } = await crawledSite(site);
  site.pages["/oil"] = { status: 301, headers: { location: "/oils" } };
  site.pages["/oils"] = page("oil");
  expect(await again()).toMatchObject({ status: "COMPLETED", counts: { documents: { total: 3, completed: 3 } } });
  expect(await documents()).toEqual(["/", "/gas", "/oils"]);
});

it("keeps the document of a page that moved to an unavailable one", async () => {
  const site = await siteOf("oil", "gas");
  const { again, documents } = await crawledSite(site);
  site.pages["/oil"] = { status: 301, headers: { location: "/oils" } };
  site.pages["/oils"] = { status: 403 };
  expect((await again()).status).toBe("COMPLETED");
  expect(await documents()).toEqual(["/", "/gas", "/oil"]);
  site.pages["/oils"] = { status: 404 };
  expect((await again()).status).toBe("COMPLETED");
  expect(await documents()).toEqual(["/", "/gas"]);
});

it.each([302, 303, 307])("keeps the documents of pages that answer %i to a login", async (status) => {
  const site = await siteOf("oil", "gas", "wax");
  const { again, documents } = await crawledSite(site);
  for (const name of ["oil", "gas"]) site.pages[`/${name}`] = { status, headers: { location: `/login?next=/${name}` } };
  for (const name of ["oil", "gas"]) site.pages[`/login?next=/${name}`] = page(`the login before ${name}`);
  for (let round = 0; round < 2; round++) {
    expect((await again()).status).toBe("COMPLETED");
    expect(await documents()).toEqual(["/", "/gas", "/login?next=/gas", "/login?next=/oil", "/oil", "/wax"]);
  }
  for (const name of ["oil", "gas"]) site.pages[`/${name}`] = page(name);
  expect((await again()).status).toBe("COMPLETED");
  expect(await documents()).toEqual(["/", "/gas", "/oil", "/wax"]);
});

it("treats one page that redirects to a page of its own as moved, with any status", async () => {
  const site = await siteOf("oil", "gas");
  const { again, documents } = await crawledSite(site);
  site.pages["/oil"] = { status: 302, headers: { location: "/oils" } };
  site.pages["/oils"] = page("oil");
  await again();
  expect(await documents()).toEqual(["/", "/gas", "/oils"]);
  site.pages["/gas"] = { status: 302, headers: { location: "/missing" } };
  await again();
  expect(await documents()).toEqual(["/", "/oils"]);
});

it("keeps all of a site that redirects every page to a maintenance page", async () => {
  const site = await siteOf("oil", "gas", "wax");
  site.pages["/oil"] = page("oil", "/wicks");
  site.pages["/wicks"] = page("wicks");
  const { again, documents, space } = await crawledSite(site);
  const pages = { ...site.pages };
  for (const path of Object.keys(pages)) site.pages[path] = { status: 302, headers: { location: "/repair" } };
  site.pages["/repair"] = page("the repair");
  expect((await again()).status).toBe("COMPLETED");
  expect(await documents()).toEqual(["/", "/gas", "/oil", "/repair", "/wax", "/wicks"]);
  expect(await space.search("wicks", { mode: "keyword" })).toHaveLength(1);
  Object.assign(site.pages, pages);
  expect((await again()).status).toBe("COMPLETED");
  expect(await documents()).toEqual(["/", "/gas", "/oil", "/wax", "/wicks"]);
});

it("keeps the document of a page that temporarily redirects to another site", async () => {
  const site = await siteOf("oil", "gas");
  const { again, documents } = await crawledSite(site);
  site.pages["/oil"] = { status: 302, headers: { location: "https://login.example.com/" } };
  await again();
  expect(await documents()).toEqual(["/", "/gas", "/oil"]);
  site.pages["/oil"] = { status: 308, headers: { location: "https://elsewhere.example.com/" } };
  await again();
  expect(await documents()).toEqual(["/", "/gas"]);
});

it("fetches pages linked only from an unavailable page, and removes others", async () => {
  const site = await siteOf("members", "oil");
  site.pages["/members"] = page("members", "/members/a", "/members/b");
  site.pages["/members/a"] = page("Ann", "/members/a/more");
  site.pages["/members/a/more"] = page("more of Ann");
  site.pages["/members/b"] = page("Bob");
  const { again, documents } = await crawledSite(site);
  expect(await documents()).toEqual(["/", "/members", "/members/a", "/members/a/more", "/members/b", "/oil"]);
  site.pages["/"] = page("lamps", "/members");
  site.pages["/members"] = { status: 401 };
  site.pages["/members/a"] = { status: 403 };
  site.pages["/members/b"] = { status: 410 };
  for (let round = 0; round < 2; round++) {
    expect((await again()).status).toBe("COMPLETED");
    // Nobody leads to the oil any more, which was read; Bob's page says that it is gone.
    expect(await documents()).toEqual(["/", "/members", "/members/a", "/members/a/more"]);
  }
});

it("removes nothing if most pages suddenly have the same content, and reports it", async () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const site = await siteOf(...names);
  const { again, documents } = await crawledSite(site);
  const pages = { ...site.pages };
  for (const name of names) site.pages[`/${name}`] = page("our database, which is away");
  expect(await again()).toMatchObject({
    status: "FAILED",
    error: expect.stringMatching(
      /5 are no longer linked or have lost their content, and 2 are intact.*No document was removed/s,
    ),
  });
  expect(await documents()).toEqual(["/", ...names.map((name) => `/${name}`)]);
  Object.assign(site.pages, pages);
  expect((await again()).status).toBe("COMPLETED");
  // A few may well do.
  for (const name of names.slice(0, 3)) site.pages[`/${name}`] = page("our old pages");
  expect((await again()).status).toBe("COMPLETED");
  expect(await documents()).toEqual(["/", "/a", "/d", "/e", "/f"]);
});

it("has no more documents than the limit, whatever changes on the site", async () => {
  const site = await siteOf("a", "b", "c", "d");
  const { again, ended, documents } = await crawledSite(site, { limit: 4 });
  expect(await documents()).toEqual(["/", "/a", "/b", "/c"]);
  site.pages["/"] = page("lamps", "/new", "/a", "/b", "/c", "/d");
  site.pages["/new"] = page("new");
  expect((await again()).counts.documents).toEqual({ total: 4, completed: 4, failed: 0 });
  expect(await documents()).toEqual(["/", "/a", "/b", "/new"]);
  site.pages["/a"] = { status: 404 };
  await again();
  expect(await documents()).toEqual(["/", "/b", "/c", "/new"]);
  // Those that fail keep their place, and what they were.
  site.pages["/b"] = { status: 500 };
  await again();
  expect(await documents()).toEqual(["/", "/b", "/c", "/new"]);
  site.pages["/"] = page("lamps", "/new", "/b", "/c");
  site.pages["/b"] = page("b");
  await again();
  // As many as are wanted, and none is left.
  expect(await ended()).toEqual(["limit", "limit", "limit", "limit", "done"]);
});

it("removes nothing if the pages that link to most others are empty", async () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const site = await siteOf(...names);
  const { again, documents } = await crawledSite(site);
  const all = ["/", ...names.map((name) => `/${name}`)];
  for (const start of [{ raw: Buffer.from("") }, page("the repair")]) {
    site.pages["/"] = start;
    expect(await again()).toMatchObject({
      status: "FAILED",
      error: expect.stringContaining("No document was removed"),
    });
    expect(await documents()).toEqual(all);
  }
  // What was led to is not forgotten by it.
  site.pages["/"] = page("lamps", ...names.slice(0, 5).map((name) => `/${name}`));
  site.pages["/a"] = { status: 404 };
  expect((await again()).status).toBe("COMPLETED");
  expect(await documents()).toEqual(["/", "/b", "/c", "/d", "/e"]);
});

it("keeps the documents of a site of three pages that are all empty", async () => {
  const site = await siteOf("a", "b");
  const { again, documents } = await crawledSite(site);
  site.pages["/"] = { raw: Buffer.from("") };
  expect((await again()).status).toBe("FAILED");
  expect(await documents()).toEqual(["/", "/a", "/b"]);
});

it.each<[string, (name: string) => Readonly<Record<string, SmallPage>>]>([
  [
    "by way of a page of their own each",
    (name) => ({
      [`/${name}`]: { status: 302, headers: { location: `/sso/${name}` } },
      [`/sso/${name}`]: { status: 302, headers: { location: "/login" } },
    }),
  ],
  [
    "for good and then for now",
    (name) => ({
      [`/${name}`]: { status: 301, headers: { location: `/en/${name}` } },
      [`/en/${name}`]: { status: 302, headers: { location: "/login" } },
    }),
  ],
  ["by their own word", (name) => ({ [`/${name}`]: { head: '<meta http-equiv="refresh" content="0; url=/login">' } })],
  [
    "out of the site",
    (name) => ({
      [`/${name}`]: { status: 301, headers: { location: `/en/${name}` } },
      [`/en/${name}`]: { status: 302, headers: { location: "https://login.example.com/" } },
    }),
  ],
  [
    "with a query",
    (name) => ({
      [`/${name}`]: { status: 302, headers: { location: `/${name}?auth=1` } },
      [`/${name}?auth=1`]: page(`the login before ${name}`),
    }),
  ],
  [
    "in a circle",
    (name) => ({
      [`/${name}`]: { status: 301, headers: { location: `/cookie/${name}` } },
      [`/cookie/${name}`]: { status: 301, headers: { location: `/${name}` } },
    }),
  ],
])("keeps the documents of pages that lead to a login %s", async (_, pagesOf) => {
  const site = await siteOf("oil", "gas", "wax");
  const { again, documents } = await crawledSite(site);
  site.pages["/login"] = page("the login");
  for (const name of ["oil", "gas"]) Object.assign(site.pages, pagesOf(name));
  await again();
  expect(await documents()).toEqual(expect.arrayContaining(["/", "/gas", "/oil", "/wax"]));
});

it("keeps a page whose canonical URL redirects back to it, or to a missing page", async () => {
  const canonical = (address: string) => `<link rel="canonical" href="${address}">`;
  const site = await smallSite({
    "/": page("lamps", "/Oil", "/Gas"),
    "/Oil": { head: canonical("/oil"), body: "All about oil." },
    "/oil": { status: 301, headers: { location: "/Oil" } },
    "/Gas": { head: canonical("/gas"), body: "All about gas." },
    "/gas": { status: 301, headers: { location: "/gone" } },
  });
  const { again, documents } = await crawledSite(site);
  expect(await documents()).toEqual(["/", "/Gas", "/Oil"]);
  await again();
  expect(await documents()).toEqual(["/", "/Gas", "/Oil"]);
});

it("remembers a page's links through a round that removed nothing", async () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const site = await siteOf(...names, "hub");
  site.pages["/hub"] = page("a hub", "/child");
  site.pages["/child"] = page("a child");
  const { again, documents } = await crawledSite(site);
  const pages = { ...site.pages };
  const all = await documents();
  for (const path of Object.keys(pages)) if (path !== "/") site.pages[path] = page("our database, which is away");
  expect((await again()).status).toBe("FAILED");
  Object.assign(site.pages, pages);
  site.pages["/hub"] = { status: 403 };
  expect((await again()).status).toBe("COMPLETED");
  expect(await documents()).toEqual(all);
});
