import { describe, expect, it } from "vitest";
import { readPage } from "#dist/crawl/read-page.js";
import { parseFile } from "#dist/parse.js";
import type { PageHeaders } from "../../src/crawl/read-page.js";
import { PAGES } from "../support/pages/index.js";

const NO_HEADERS: PageHeaders = { link: null, refresh: null, robots: null, language: null };

const read = (html: string | Uint8Array, headers: Partial<PageHeaders> = {}, charset: string | null = null) =>
  readPage({
    url: "https://example.com/docs/page?x=1",
    bytes: typeof html === "string" ? Buffer.from(html) : html,
    charset,
    headers: { ...NO_HEADERS, ...headers },
  });

describe("links", () => {
  it("are resolved against the URL, without repetitions and fragments", async () => {
    const { links } =
      await read(`<a href="a">a</a><a href=" ../b#x ">b</a><a href="/c?d">c</a><a href="//cdn.example.org/e">e</a>
      <a href="?y=2">q</a><a href="a#again">a</a><map><area href="/area"></map><a href="#only">f</a><a href="">none</a><a>no</a>
      <a href="mailto:x@example.com">m</a><a href="javascript:go()">j</a><a href="https://u:p@example.com/auth">u</a><a href="http://[">bad</a>`);
    expect(links).toEqual([
      ...["https://example.com/docs/a", "https://example.com/b", "https://example.com/c?d"],
      ...["https://cdn.example.org/e", "https://example.com/docs/page?y=2", "https://example.com/area"],
      "https://example.com/auth",
    ]);
  });

  it("are resolved against the first base", async () => {
    const { links } = await read('<base href="/other/"><base href="/last/"><a href="a">a</a>');
    expect(links).toEqual(["https://example.com/other/a"]);
  });

  it("with nofollow are ignored, one by one or for a whole page", async () => {
    const link = '<a href="/a">a</a>';
    expect((await read(`<a rel="ugc NoFollow" href="/b">b</a>${link}`)).links).toEqual(["https://example.com/a"]);
    expect((await read(`<meta name="robots" content="nofollow">${link}`)).links).toEqual([]);
    expect((await read(`<meta name="LOREBASE" content="none">${link}`)).links).toEqual([]);
    expect((await read(`<meta name="otherbot" content="none">${link}`)).links).toHaveLength(1);
    expect((await read(link, { robots: "lorebase: nofollow" })).links).toEqual([]);
  });

  it("end at 10,000", async () => {
    const many = Array.from({ length: 10_100 }, (_, n) => `<a href="/${n}">x</a>`).join("");
    expect((await read(many)).links).toHaveLength(10_000);
  });
});

describe("the metadata of a page", () => {
  it("comes from its head", async () => {
    const facts = await read(`<html lang="de-AT"><head><title> Über
      uns </title><meta name="description" content="Wer wir sind"><link rel="canonical" href="/about"></head><body>Text`);
    expect(facts).toMatchObject({
      title: "Über uns",
      description: "Wer wir sind",
      language: "de-AT",
      canonical: "https://example.com/about",
      noindex: false,
      refresh: null,
    });
  });

  it("comes from headers too", async () => {
    const link = '</style.css>; rel=stylesheet, </about>; rel="canonical"; title="x"';
    const facts = await read("<p>Text", { link, robots: "noindex", language: "fr", refresh: "0;url='/next'" });
    expect(facts).toMatchObject({
      canonical: "https://example.com/about",
      noindex: true,
      language: "fr",
      refresh: "https://example.com/next",
    });
    expect((await read("<p>Text", { language: "de, en" })).language).toBeNull();
  });

  it.each([
    ["0; url=/next", "https://example.com/next"],
    ['3;URL="next"', "https://example.com/docs/next"],
    ["5, /next", "https://example.com/next"],
    ["300; url=/next", null],
    ["5", null],
  ])("treats a refresh of %j as a redirect", async (content, target) => {
    expect((await read(`<meta http-equiv="Refresh" content='${content}'>`)).refresh).toBe(target);
  });

  it("is decoded with the charset of the header, else of the page", async () => {
    const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
    const page = Buffer.concat([Buffer.from("<title>"), cyrillic, Buffer.from("</title>")]);
    expect((await read(page, {}, "windows-1251")).title).toBe("Привет");
    expect((await read(Buffer.concat([Buffer.from('<meta charset="windows-1251">'), page]))).title).toBe("Привет");
  });
});

describe("the hash of a page", () => {
  const hash = async (html: string) => (await read(html)).contentHash;

  it("depends on the content, not on the markup", async () => {
    const page = "<title>T</title><p>One two</p>";
    expect(await hash(`<!-- x --><script>a()</script>${page}<div hidden>3</div><p></p>`)).toBe(await hash(page));
    expect(await hash("<title>T</title><p>One  <span>two</span>\n</p>")).toBe(await hash(page));
    expect(await hash("<title>U</title><p>One two</p>")).not.toBe(await hash(page));
    expect(await hash("<title>T</title><p>One three</p>")).not.toBe(await hash(page));
  });

  it("covers all of the document: collapsed texts, lines of code, links, image descriptions, structure", async () => {
    const around = (part: string) =>
      `<title>T</title><main><h1>Lamps</h1><p>A lamp burns oil, and gives light.</p>${part}</main>`;
    const tabs = (text: string) =>
      around(
        `<a href="#two">Two</a><div id="two" hidden>${text}</div><div role="tabpanel" style="display: none">b</div>`,
      );
    const changes: [string, string][] = [
      [tabs("The wick is trimmed."), tabs("The wick is long.")],
      [around("<pre>if a:\n  b\nc</pre>"), around("<pre>if a:\n  b\n  c</pre>")],
      [
        around("<p>See <a href='https://a.org/1'>this</a>.</p>"),
        around("<p>See <a href='https://a.org/2'>this</a>.</p>"),
      ],
      [around("<img alt='A wick'>"), around("<img alt='A flame'>")],
      [around("<p>One</p><p>two</p>"), around("<p>One two</p>")],
      [around("<h2>Oil</h2>"), around("<p>Oil</p>")],
      [around("<p><img alt='A wick'></p>"), around("<ul><li><img alt='A wick'></ul>")],
      [around("<table><tr><td>a<td>b c</table>"), around("<table><tr><td>a b<td>c</table>")],
    ];
    for (const [before, after] of changes) expect(await hash(before), after).not.toBe(await hash(after));
  });

  it("tells pages apart whose documents differ", { timeout: 30_000 }, async () => {
    let equal = 0;
    for (const { html } of PAGES) {
      const document = async (page: string) => {
        const file = { name: "page.html", mainContent: true };
        const { title, blocks } = await parseFile(Buffer.from(page), file);
        const bare = await parseFile(Buffer.from(page), { ...file, config: { disableImageExtraction: true } });
        return JSON.stringify([title, blocks, bare.blocks]);
      };
      const [own, ownHash] = [await document(html), await hash(html)];
      for (let cut = 0; cut < 8; cut++) {
        const start = Math.floor((html.length * cut) / 8);
        const other = html.slice(0, start) + html.slice(start + 40);
        if ((await hash(other)) !== ownHash) continue;
        equal++;
        expect(await document(other), other).toBe(own);
      }
    }
    expect(equal).toBeGreaterThan(20);
  });

  it("ignores the site's navigation", async () => {
    const page = (menu: string) =>
      `<title>T</title><nav><a href="/1">${menu}</a></nav><main><h1>Lamps</h1><p>A lamp burns oil, and gives light to the house.</p></main>`;
    expect(await hash(page("One"))).toBe(await hash(page("Two")));
  });

  it("exists only for a page with visible text", async () => {
    expect((await read("<title>T</title><script>x</script><div></div>")).isEmpty).toBe(true);
    expect((await read("<img alt='A tide table'>")).isEmpty).toBe(false);
    expect((await read('<div role="tabpanel" hidden>Folded.</div>')).isEmpty).toBe(false);
  });
});
