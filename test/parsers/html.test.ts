import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import type { ParseConfig } from "../../src/interfaces/parser.js";
import { sourceFile } from "../support/make-files.js";

const parse = (html: string, config: ParseConfig = {}) => parseDocument(sourceFile("a.html", html), { config });
const shown = async (html: string, config?: ParseConfig) =>
  (await parse(html, config)).blocks.map((block) => [block.kind, block.text]);

test("title, language and description are what the page says of itself", async () => {
  const page =
    '<html lang="de"><head><title> A\n title </title><meta name="description" content="About"><meta name="author" content="Zoë"></head><body><h1>H</h1>';
  expect(await parse(page)).toMatchObject({
    title: "A title",
    metadata: { language: "de", description: "About", author: "Zoë" },
  });
  expect((await parse("<h1>Only a heading</h1>")).title).toBe("Only a heading");
});

test("what a reader does not read is left out", async () => {
  const page =
    "<nav><a href=/>Home</a></nav><script>x()</script><style>p{}</style><noscript>no</noscript><p hidden>h</p><p style='display: none'>d</p><p aria-hidden=true>a</p><button>b</button><template>t</template><p>Text</p>";
  expect(await shown(page)).toEqual([["paragraph", "Text"]]);
});

test("the header of an article is content", async () => {
  expect(
    await shown("<article><header><h2>Post</h2><p>By me</header><p>Text</p><footer>Tags</footer></article>"),
  ).toEqual([
    ["heading", "Post"],
    ["paragraph", "By me"],
    ["paragraph", "Text"],
    ["paragraph", "Tags"],
  ]);
});

test("inline markup is one run of text, with code and web links marked", async () => {
  const page =
    '<div>A <b>bold</b>\n  <code>x = 1</code>,<br>a <a href="https://example.com/a b">link</a> and <a href="#x">another</a>.</div>';
  expect(await shown(page)).toEqual([
    ["paragraph", "A bold `x = 1`,\na [link](https://example.com/a%20b) and another."],
  ]);
});

test("lists keep depth and numbers", async () => {
  const { blocks } = await parse(
    "<ol start=3><li>three<ul><li>inner<p>more</p></ul><li value=7><p>seven</p></ol><dl><dt>Term<dd>Meaning</dl>",
  );
  expect(blocks.map(({ kind, text, level, marker }) => ({ kind, text, level, marker }))).toEqual([
    { kind: "list_item", text: "three", level: 1, marker: "3." },
    { kind: "list_item", text: "inner", level: 2 },
    { kind: "paragraph", text: "more" },
    { kind: "list_item", text: "seven", level: 1, marker: "7." },
    { kind: "paragraph", text: "Term" },
    { kind: "list_item", text: "Meaning", level: 1 },
  ]);
});

test("cells that span are repeated where they reach, header rows become one", async () => {
  const page =
    "<table><caption>Sales</caption><thead><tr><th rowspan=2>Area<th colspan=2>Year<tr><th>2024<th>2025</thead><tr><td rowspan=2>North<td>1<td>2<tr><td colspan=2>none</table>";
  const { blocks } = await parse(page);
  expect(blocks.map((block) => block.kind)).toEqual(["caption", "table"]);
  expect(blocks[1]!.table).toEqual({
    name: "Sales",
    header: ["Area", "Year / 2024", "Year / 2025"],
    headerRows: [
      ["Area", "Year", "Year"],
      ["Area", "2024", "2025"],
    ],
    rows: [
      ["North", "1", "2"],
      ["North", "none", "none"],
    ],
    spans: [
      { row: 0, column: 0, rows: 2, columns: 1 },
      { row: 0, column: 1, rows: 1, columns: 2 },
      { row: 2, column: 0, rows: 2, columns: 1 },
      { row: 3, column: 1, rows: 1, columns: 2 },
    ],
  });
});

test("an empty row between header rows is no header row", async () => {
  const { blocks } = await parse(
    "<table><thead><tr><th>Area<th colspan=2>Year<tr><th><th><th><tr><th>Name<th>2024<th>2025</thead><tr><td>North<td>1<td>2</table>",
  );
  expect(blocks[0]!.table).toMatchObject({
    header: ["Area / Name", "Year / 2024", "Year / 2025"],
    rows: [["North", "1", "2"]],
  });
});

test("a cell that spans to the end of its rows is repeated there, not below", async () => {
  const { blocks } = await parse(
    "<table><tr><th>Area<th>Year<tbody><tr><td rowspan=0>North<td>2024<tr><td>2025</tbody><tbody><tr><td>South<td>2026</tbody></table>",
  );
  expect(blocks[0]!.table!.rows).toEqual([
    ["North", "2024"],
    ["North", "2025"],
    ["South", "2026"],
  ]);
});

test("a table within a table that names its columns follows it", async () => {
  const inner = "<div><table><tr><th>Size<th>Weight<tr><td>10<td>2 kg</table></div>";
  const rows = `<tr><td>Lamp<td>Brass ${inner}<tr><td>Boat<td>Oak`;
  expect(await shown(`<table><tr><th>Product<th>Details${rows}</table>`)).toEqual([
    ["table", "| Product | Details |\n| --- | --- |\n| Lamp | Brass |\n| Boat | Oak |"],
    ["table", "| Size | Weight |\n| --- | --- |\n| 10 | 2 kg |"],
  ]);
  expect(await shown(`<table><tr><td>Product<td>Details${rows}</table>`)).toContainEqual([
    "table",
    "| Size | Weight |\n| --- | --- |\n| 10 | 2 kg |",
  ]);
});

test("nothing hidden is shown with a table, and nothing of it twice", async () => {
  const nested = (text: string) => `<table><tr><th>s<th>t<tr><td>${text}<td>u</table>`;
  const hidden = `<tbody hidden><tr><td>${nested("one")}<td>two</tbody><tr hidden><td>x<td>${nested("three")}<tr><td>1<td style="display:none">four${nested("five")}`;
  expect(await shown(`<table><tr><th>A<th>B<tr><td>1<td>2${hidden}</table>`)).toEqual([
    ["table", "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 1 |  |"],
  ]);
  const inCaption = `<table><caption>Sizes ${nested("six")}</caption><tr><th>A<th>B<tr><td>1<td>2</table>`;
  expect(await shown(inCaption)).toEqual([
    ["caption", "Sizes"],
    ["table", "| s | t |\n| --- | --- |\n| six | u |"],
    ["table", "| A | B |\n| --- | --- |\n| 1 | 2 |"],
  ]);
});

test("a caption below a figure or table doesn't name the table after it", async () => {
  const table = (caption = "") => `<table>${caption}<tr><th>A<th>B<tr><td>1<td>2</table>`;
  const page = `<figure><img src=a.png alt="A chart"><figcaption>Figure 1</figcaption></figure><figure>${table()}<figcaption>Table 1</figcaption></figure>${table()}${table("<caption>Sums</caption>")}`;
  const { blocks } = await parse(page);
  const names = blocks.filter(({ kind }) => kind === "table").map((block) => block.table!.name);
  expect(names).toEqual([undefined, undefined, "Sums"]);
});

test("a table that only places blocks is no table", async () => {
  expect(await shown("<table><tr><td><h2>Left</h2><p>Text</td><td><p>Right</td></tr></table>")).toEqual([
    ["heading", "Left"],
    ["paragraph", "Text"],
    ["paragraph", "Right"],
  ]);
});

test("a table whose cells are headings is a table", async () => {
  expect((await shown("<table><tr><td><h3>A</h3><td><h3>B</h3><tr><td>1<td>2</table>"))[0]![1]).toBe(
    "| A | B |\n| --- | --- |\n| 1 | 2 |",
  );
});

test("code keeps its lines and language", async () => {
  const { blocks } = await parse('<pre><code class="language-py">def f():\n    return 1\n</code></pre>');
  expect(blocks[0]).toMatchObject({ kind: "code", text: "def f():\n    return 1", language: "py" });
});

test("images are their descriptions, unless they are not wanted", async () => {
  const page = '<figure><img src=a.png alt="A chart"><figcaption>Figure 1</figcaption></figure><p>Text</p>';
  expect(await shown(page)).toEqual([
    ["image", "A chart"],
    ["caption", "Figure 1"],
    ["paragraph", "Text"],
  ]);
  expect((await shown(page, { disableImageExtraction: true })).map(([kind]) => kind)).not.toContain("image");
});

test("a formula is its TeX where the page has it", async () => {
  const page = '<p>So <math><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></math>.</p>';
  expect(await shown(page)).toEqual([["paragraph", "So $x^2$."]]);
});

test("the charset of a meta tag is believed where the bytes are not UTF-8", async () => {
  const bytes = Buffer.concat([Buffer.from("<meta charset=shift_jis><p>"), Buffer.from([0x93, 0xfa, 0x96, 0x7b])]);
  expect((await parseDocument(sourceFile("a.html", bytes))).blocks[0]!.text).toBe("日本");
});

test("bytes that are not the UTF-8 that a page declares are read as windows-1252", async () => {
  const page = Buffer.from("<meta charset=utf-8><p>caf\xe9", "latin1");
  expect((await parseDocument(sourceFile("a.html", page))).blocks[0]!.text).toBe("café");
});

describe("hostile pages", () => {
  test("a million nested elements", async () => {
    const { blocks } = await parse(
      `<!doctype html>${"<div>".repeat(1_000_000)}deep${"</div>".repeat(1_000_000)}<p>After`,
    );
    expect(blocks.map((block) => block.text)).toEqual(["deep", "After"]);
  });

  test("tables nested more deeply than elements are kept: no cell is lost, joined or out of order", async () => {
    const levels = Array.from({ length: 200 }, (_, level) => level);
    const opening = levels.map((level) => `<table><tr><td>a${level}<td>`);
    const closing = levels.toReversed().map((level) => `<td>z${level}</table>`);
    const { blocks } = await parse(`<!doctype html>${opening.join("")}core${closing.join("")}<p>After`);
    const words = blocks.flatMap(({ text }) => text.split(/\s+/));
    const expected = [
      ...levels.map((level) => `a${level}`),
      "core",
      ...levels.toReversed().map((level) => `z${level}`),
    ];
    expect(words).toEqual([...expected, "After"]);
  });

  test("deep inline markup and lists", async () => {
    const page = `${"<b><i><font color=red>".repeat(50_000)}inline<p>${"<ul><li>".repeat(50_000)}item`;
    const text = (await parse(page)).blocks.map((block) => block.text).join("\n");
    expect(text).toContain("inline");
    expect(text).toContain("item");
  });

  test("spans that would fill the memory", async () => {
    const { blocks } = await parse(
      `<table><tr>${"<td colspan=100000 rowspan=100000>x</td>".repeat(3)}<tr><td>y</table>`,
    );
    expect(blocks[0]!.table!.header.length).toBeLessThan(1000);
  });
});

describe("navigation", () => {
  const page = (nav: string) => `<body><nav>${nav}</nav><main><h1>Title</h1><p>Text.</p></main></body>`;
  const texts = async (html: string) => (await parse(html)).blocks.map((block) => block.text);

  test("a menu is left out", async () => {
    const menu = '<a href="/">Home</a> <a href="/shop">Shop</a> <a href="/about">About us</a> <a href="/x">Blog</a>';
    expect(await texts(page(menu))).toEqual(["Title", "Text."]);
  });

  test("a table of contents and a list of titles are kept", async () => {
    const contents =
      '<h2>Contents</h2><ul><li><a href="#a">One</a><li><a href="#b">Two</a><li><a href="#c">Three</a></ul>';
    expect(await texts(page(contents))).toEqual(["Contents", "One", "Two", "Three", "Title", "Text."]);
  });
});

test("a title across a table stands above it, and only grouped headers are joined", async () => {
  const { blocks } = await parse(
    "<table><tr><th colspan=3>Climate<tr><th>Month<th>Jan<th>Feb<tr><th>High<td>3<td>4</table>" +
      "<table><thead><tr><th rowspan=2>Name<th colspan=2>Size<tr><th>w<th>h</thead><tr><td>a<td>1<td>2</table>",
  );
  expect(blocks.map((block) => [block.kind, block.table?.header ?? block.text])).toEqual([
    ["caption", "Climate"],
    ["table", ["Month", "Jan", "Feb"]],
    ["table", ["Name", "Size / w", "Size / h"]],
  ]);
});
