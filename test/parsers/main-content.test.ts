import { describe, expect, it } from "vitest";
import { parseFile } from "#dist/parse.js";
import { PAGES } from "../support/pages/index.js";
import { keptOf, plain } from "../support/pages/kept-share.js";
import type { Page } from "../support/pages/page.js";

const parsed = (html: string, mainContent = true) => parseFile(Buffer.from(html), { name: "page.html", mainContent });

async function judged(page: Page) {
  const { lost, left } = keptOf(page, (await parsed(page.html)).markdown);
  return { article: page.article.length, navigation: page.navigation.length, lost, left };
}

describe("the text of pages in the styles of common sites", () => {
  it("has its sentences in the markup", () => {
    for (const { name, article, navigation, html } of PAGES) {
      const text = plain(html.replace(/<[^<>]*>/g, ""));
      expect({ name, missing: [...article, ...navigation].filter((said) => !text.includes(plain(said))) }).toEqual({
        name,
        missing: [],
      });
    }
    expect(PAGES.length).toBeGreaterThanOrEqual(30);
  });

  it.each(PAGES.map((page) => [page.name, page] as const))("is told from the rest of a %s", async (_, page) => {
    const { article, navigation, lost, left } = await judged(page);
    expect({ isEnough: lost.length <= article * 0.15, lost }).toMatchObject({ isEnough: true });
    expect({ isEnough: left.length <= navigation * 0.15, left }).toMatchObject({ isEnough: true });
  });

  it("is kept to 95 % and the navigation left out to 95 %", async () => {
    const sum = { article: 0, navigation: 0, lost: 0, left: 0 };
    for (const page of PAGES) {
      const { article, navigation, lost, left } = await judged(page);
      sum.article += article;
      sum.navigation += navigation;
      sum.lost += lost.length;
      sum.left += left.length;
    }
    expect(sum.lost / sum.article).toBeLessThanOrEqual(0.05);
    expect(sum.left / sum.navigation).toBeLessThanOrEqual(0.05);
  });

  it("is not looked for unless it is asked for", async () => {
    for (const { html } of PAGES) {
      const [whole, asked] = await Promise.all([
        parseFile(Buffer.from(html), { name: "page.html" }),
        parsed(html, false),
      ]);
      expect(asked.blocks).toEqual(whole.blocks);
    }
  });
});

describe("the structure of a text", () => {
  const menu = '<nav><a href="/a">One</a> <a href="/b">Two</a> <a href="/c">Three</a></nav>';
  const sentence = "This is a sentence of the text that a reader came for.";

  it("keeps headings, lists, tables, code and captions", async () => {
    const { blocks } = await parsed(
      `<body>${menu}<div id="text"><h1>Title</h1><p>${sentence}</p><h2>Part</h2><ul><li>First</li><li>Second</li></ul>
      <table><tr><th>Key</th><th>Value</th></tr><tr><td>a</td><td>1</td></tr></table><pre>code()</pre>
      <figure><img src="p.png" alt="A chart"><figcaption>Figure 1</figcaption></figure><p>${sentence}</p></div></body>`,
    );
    expect(blocks.map(({ kind }) => kind)).toEqual([
      "heading",
      "paragraph",
      "heading",
      "list_item",
      "list_item",
      "table",
      "code",
      "image",
      "caption",
      "paragraph",
    ]);
  });

  it("keeps the title that stands outside of the text", async () => {
    const { markdown } = await parsed(
      `<body>${menu}<div class="head"><h1>The title</h1></div><main><p>${sentence}</p><p>${sentence}</p></main></body>`,
    );
    expect(markdown).toContain("# The title");
    expect(markdown).not.toContain("Two");
  });

  it("keeps a thread whose posts are called comments", async () => {
    const posts = Array.from({ length: 8 }, (_, i) => `<div class="comment"><p>Post ${i}: ${sentence}</p></div>`);
    const { markdown } = await parsed(`<body>${menu}<div class="comments">${posts.join("")}</div></body>`);
    for (let i = 0; i < 8; i++) expect(markdown).toContain(`Post ${i}:`);
  });

  it("is found under a notice that is longer", async () => {
    const notice = `<div class="cookie-banner">${`<p>We use cookies. ${sentence}</p>`.repeat(5)}</div>`;
    const side = `<div class="sidebar"><p>Our letters come every month, ask for them here.</p></div>`;
    const { markdown } = await parsed(
      `<body>${side}<div class="text"><h1>Title</h1><p>${sentence}</p><p>${sentence}</p></div>${notice}
      <footer><p>${"We are a company of that name. ".repeat(20)}</p></footer></body>`,
    );
    expect(markdown).toContain(sentence);
    expect(markdown).not.toMatch(/cookies|letters|company/);
  });

  it("keeps a chapter that is called like a banner", async () => {
    const { markdown } = await parsed(
      `<body><article><h1>Policy</h1><p>${sentence}</p><h2 id="cookies">Cookies</h2><p class="cookies">We set one.</p>
      <p>${sentence}</p></article></body>`,
    );
    expect(markdown).toContain("We set one.");
  });

  it("shows what tabs and folds open, and not what nothing opens", async () => {
    const { markdown } = await parsed(
      `<body><main><p>${sentence}</p><ul role="tablist"><li role="tab">A</li><li role="tab">B</li></ul>
      <div role="tabpanel">In tab A.</div><div role="tabpanel" hidden>In tab B.</div>
      <a href="#fold">More</a><div id="fold" style="display:none">In the fold.</div><div hidden>Never shown.</div></main></body>`,
    );
    expect(markdown).toContain("In tab B.");
    expect(markdown).toContain("In the fold.");
    expect(markdown).not.toContain("Never shown.");
  });

  it.each([
    ["a list of links alone", `<body><ul>${'<li><a href="/x">A page of this site</a></li>'.repeat(20)}</ul></body>`],
    ["a menu alone", `<body><div class="sidebar">Home</div>${menu}</body>`],
    ["a form alone", `<body><form class="login"><p>Your name</p></form></body>`],
    ["a few words", "<p>Hello</p>"],
    ["a dialog alone", '<body><div role="dialog" class="cookie-consent"><p>We use cookies.</p></div></body>'],
  ])("never empties a page: %s", async (_, html) => {
    const whole = await parsed(html, false);
    const main = await parsed(html);
    expect(main.blocks.length > 0).toBe(whole.blocks.length > 0);
  });

  it("reads deep markup within a multiple of what reading it whole takes", async () => {
    const deep = `<body>${"<div class='a'><span>".repeat(2000)}${sentence}${"x ".repeat(20_000)}</body>`;
    const { markdown } = await parsed(deep);
    expect(markdown).toContain(sentence);
  });
});
