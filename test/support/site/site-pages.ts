import { gzipSync } from "node:zlib";
import { makeDocx, makePdf, pdfLines, wordParagraph } from "../make-files.js";
import { type HtmlPage, html, prose } from "./html.js";

/** What the site answers at one address. */
export interface SiteAnswer {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface SitePages {
  /** By path and query. */
  readonly answers: ReadonlyMap<string, SiteAnswer>;
  /** Paths and queries of the documents that a crawl of depth {@link SITE_DEPTH} brings, sorted. */
  readonly documents: readonly string[];
}

/** The depth of which {@link SitePages.documents} speaks. */
export const SITE_DEPTH = 6;

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** The pages of the site that stand still. `origin` is its own, `elsewhere` another site's. */
export async function sitePages(origin: string, elsewhere: string): Promise<SitePages> {
  const answers = new Map<string, SiteAnswer>();
  const documents: string[] = [];
  const host = new URL(origin).host;
  const answer = (path: string, given: SiteAnswer) => answers.set(path, given);
  /** A page that isn't a document, or isn't one under this address. */
  const page = (path: string, given: HtmlPage, more: SiteAnswer = {}) => answer(path, { ...more, body: html(given) });
  const document = (path: string, given: Partial<HtmlPage> = {}, more: SiteAnswer = {}) => {
    page(path, { title: `About ${path}`, ...given }, more);
    documents.push(path);
  };
  const file = (path: string, type: string, body: string | Uint8Array, headers = {}) => {
    answer(path, { type, body, headers });
    documents.push(path);
  };
  const moved = (path: string, to: string, status = 301) => answer(path, { status, headers: { location: to } });

  document("/", {
    title: "The harbour museum",
    links: [
      ...["guide", "/blog/?utm_source=home&utm_medium=web", `//${host}/base/`, `${origin}/old/1`, "./files#list"],
      ...["/canonical/", "/robots/", "/errors/", "/traps/", "/odd/", "/heavy/", `${elsewhere}/other`, "/notes"],
    ],
  });

  // Loops: each page leads to the next and the one before, and to the whole.
  document("/guide", { links: range(10).map((chapter) => `/guide/chapter-${chapter}`) });
  moved("/guide/", "/guide", 308);
  for (const chapter of range(10)) {
    const own = `/guide/chapter-${chapter}`;
    document(own, {
      links: [...range(5).map((n) => `chapter-${chapter}/page-${n}`), `chapter-${(chapter % 10) + 1}`, "."],
    });
    for (const n of range(5)) {
      const links = [`page-${(n % 5) + 1}`, "../chapter-1", "page-1?gclid=abc", "page-1/", "./../../guide/chapter-2#x"];
      document(`${own}/page-${n}`, { links });
    }
  }

  // One list under several addresses; posts with parameters that mean nothing, in another order, with a fragment.
  for (const list of range(4)) {
    const posts = range(10).map((n) => `/blog/post-${(list - 1) * 10 + n}`);
    const next = list < 4 ? [`?page=${list + 1}&`] : [];
    document(list === 1 ? "/blog" : `/blog?page=${list}`, { links: [...posts, `${posts[0]}?fbclid=1#c`, ...next] });
  }
  moved("/blog/", "/blog", 302);
  for (const n of range(40)) {
    document(`/blog/post-${n}`, { title: `Post ${n}`, links: [`/print/post-${n}`, `/blog/post-${n}?mc_cid=9`] });
    page(`/print/post-${n}`, { title: `Post ${n}`, links: ["#print", "#copy"], head: "<meta name=print>" });
  }

  document("/base", {
    head: '<base href="/base/deep/er/">',
    links: ["one.html", "../two.html", "/base/three.html", "?four"],
  });
  moved("/base/", "/base");
  for (const path of ["/base/deep/er/one.html", "/base/deep/two.html", "/base/three.html", "/base/deep/er?four"])
    document(path);
  moved("/base/deep/er/?four", "/base/deep/er?four");

  for (const n of range(4)) moved(`/old/${n}`, `/old/${n + 1}`, [301, 302, 303, 307][n - 1]!);
  moved("/old/5", `${origin}/new`, 308);
  document("/new", { links: ["/old/3", "/old/loop-a", "/old/away", "/old/hop", "/old/header-hop", "/old/endless/1"] });
  moved("/old/loop-a", "/old/loop-b");
  moved("/old/loop-b", "/old/loop-a");
  moved("/old/away", `${elsewhere}/away`);
  page("/old/hop", { title: "Moved", head: '<meta http-equiv="refresh" content="0; URL=/landing">' });
  page("/old/header-hop", { title: "Moved as well" }, { headers: { refresh: `1;url=${origin}/landing` } });
  document("/landing");
  for (const n of range(12)) moved(`/old/endless/${n}`, `/old/endless/${n + 1}`);

  document("/files", {
    links: ["a.pdf", "b", "/files/minutes.docx", "notes.txt", "table.csv", "hidden.pdf", "x.jpg", "y.zip", "get"],
  });
  const pdf = async (text: string) => makePdf([pdfLines([text, `The text of ${text}.`], 50, 80)], { title: text });
  file("/a.pdf", "application/pdf", await pdf("Annual report"));
  file("/b", "application/octet-stream", await pdf("Balance"), {
    "content-disposition": 'attachment; filename="balance.pdf"',
  });
  const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  file("/files/minutes.docx", docx, makeDocx(wordParagraph("Minutes of the harbour committee.")));
  file("/notes.txt", "text/plain; charset=utf-8", "Notes on the tide, in plain text.");
  file("/table.csv", "text/csv", "name,year\nAda,1843\nGrace,1952\n");
  answer("/hidden.pdf", { type: "application/pdf", body: await pdf("Hidden"), headers: { "x-robots-tag": "noindex" } });
  answer("/x.jpg", { type: "image/jpeg", body: "never asked for" });
  answer("/y.zip", { type: "application/zip", body: "never asked for" });
  answer("/get", { type: "application/zip", body: Buffer.alloc(1000) });

  const variants = range(3).map((n) => `/canonical/article?style=${n}`);
  document("/canonical", {
    links: [...variants, "/canonical/header", "/canonical/lonely", "/canonical/to-home", "/canonical/a"],
  });
  moved("/canonical/", "/canonical");
  document("/canonical/article");
  for (const [index, path] of variants.entries()) {
    page(path, {
      title: `Style ${index}`,
      head: `<link rel="canonical" href="http://www.${host}/canonical/article">`.replace("www.", ""),
    });
  }
  page(
    "/canonical/header",
    { title: "In the header" },
    { headers: { link: '</canonical/article/>; rel="canonical"' } },
  );
  document("/canonical/lonely", { head: '<link rel="canonical" href="/canonical/gone">' });
  answer("/canonical/gone", { status: 404, body: html({ title: "Gone" }) });
  document("/canonical/to-home", { head: '<link rel="canonical" href="/">' });
  page("/canonical/a", { title: "One of two", head: '<link rel="canonical" href="/canonical/b">' });
  document("/canonical/b", { head: '<link rel="canonical" href="/canonical/a">' });

  answer("/robots.txt", {
    type: "text/plain",
    body: [
      ...["User-agent: *", "Disallow: /", "", "User-agent: Lorebase", "Disallow: /private/", "Allow: /private/open$"],
      ...["Disallow: /*?secret=", `Sitemap: ${origin}/sitemaps/index.xml`],
    ].join("\n"),
  });
  document("/robots", {
    links: [
      "/private/closed",
      "/private/open",
      "/robots/all?secret=1",
      "/robots/noindex",
      "/robots/nofollow",
      "/robots/header",
    ],
    body: `${prose("robots")}<a rel="nofollow noopener" href="/robots/never-by-rel">No</a>`,
  });
  moved("/robots/", "/robots");
  document("/private/open");
  page("/robots/noindex", {
    title: "Not to keep",
    head: '<meta name="Robots" content="NoIndex">',
    links: ["/robots/from-noindex"],
  });
  document("/robots/from-noindex");
  document("/robots/nofollow", { head: '<meta name="lorebase" content="nofollow">', links: ["/robots/never-by-page"] });
  page(
    "/robots/header",
    { title: "For others only", links: ["/robots/never-by-header"] },
    {
      headers: { "x-robots-tag": "otherbot: all, lorebase: none" },
    },
  );
  for (const path of ["/private/closed", "/robots/never-by-rel", "/robots/never-by-page", "/robots/never-by-header"]) {
    page(path, { title: `Never ${path}` });
  }

  const inSitemap = (paths: readonly string[]) => {
    const urls = paths.map(
      (path) => `<url><loc>${path}</loc><image:image><image:loc>${origin}/pic</image:loc></image:image></url>`,
    );
    return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("\n")}</urlset>`;
  };
  const index = ["a.xml", "b.xml.gz", "c.txt", "index.xml", "missing.xml"].map(
    (name) => `<sitemap><loc>${origin}/sitemaps/${name}</loc></sitemap>`,
  );
  answer("/sitemaps/index.xml", { type: "text/xml", body: `<sitemapindex>${index.join("")}</sitemapindex>` });
  const orphans = range(10).map((n) => `/orphans/a-${n}`);
  const packed = range(10).map((n) => `/orphans/b-${n}`);
  const plain = range(5).map((n) => `/orphans/c-${n}`);
  for (const path of [...orphans, ...packed, ...plain]) document(path);
  const outside = [`${elsewhere}/listed`, `${origin}/`, `${origin}/blog?utm_campaign=x&amp;utm_source=map`];
  answer("/sitemaps/a.xml", {
    type: "application/xml",
    body: inSitemap([...orphans.map((path) => origin + path), ...outside]),
  });
  const gzipped = gzipSync(inSitemap(packed.map((path) => origin + path)));
  answer("/sitemaps/b.xml.gz", { type: "application/gzip", body: gzipped });
  answer("/sitemaps/c.txt", {
    type: "text/plain",
    body: `\ufeff${plain.map((path) => origin + path).join("\r\n")}\r\n`,
  });

  document("/errors", {
    links: [
      "/errors/gone",
      "/errors/soft",
      "/shop/gone-1",
      "/shop/gone-2",
      "/errors/login",
      "/errors/500",
      "/errors/empty",
    ],
  });
  moved("/errors/", "/errors");
  answer("/errors/gone", { status: 410, body: "gone" });
  page("/errors/soft", { title: "Page not found – The harbour museum", body: "<p>Sorry.</p>" });
  answer("/errors/login", { status: 403, body: html({ title: "Log in" }) });
  answer("/errors/500", { status: 500, body: html({ title: "Failure" }) });
  answer("/errors/empty", { body: "" });

  document("/odd", {
    links: ["/odd/café", "/odd/ca%66%C3%A9", "/odd/CAFE", "/odd/latin", "/odd/flaky", "/odd/?a=2&b=1", "/odd/?b=1&a=2"],
  });
  moved("/odd/", "/odd");
  document("/odd/caf%C3%A9", { language: "fr" });
  document("/odd/CAFE");
  answer("/odd/latin", {
    type: "text/html; charset=iso-8859-1",
    body: Buffer.from(html({ title: "Grüße" }), "latin1"),
  });
  documents.push("/odd/latin", "/odd/flaky");
  document("/odd?a=2&b=1");
  moved("/odd/?a=2&b=1", "/odd?a=2&b=1");

  document("/heavy", { links: ["/heavy/slow", "/heavy/huge", "/heavy/huge.pdf", "/heavy/silent"] });
  moved("/heavy/", "/heavy");
  document("/traps", {
    links: [
      "/traps/calendar?month=1",
      "/traps/session?sid=0",
      "/traps/loop/",
      ...range(150).map((n) => `/traps/list?sort=${n}&view=a`),
    ],
  });
  moved("/traps/", "/traps");
  documents.push(...[-2, -1, 0, 1, 2, 3, 4].map((month) => `/traps/calendar?month=${month}`));
  documents.push("/traps/session?sid=0", "/traps/list?sort=1&view=a");
  documents.push("/traps/loop/", "/traps/loop/loop/", "/traps/loop/loop/loop/");

  const notes = range(25).map((n) => `/notes/${n}`);
  document("/notes", { links: notes });
  for (const path of notes) document(path);
  return { answers, documents: documents.sort() };
}
