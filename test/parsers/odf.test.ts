import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { makeOdf, makeZip, type OdfSettings } from "../support/make-archives.js";
import { sourceFile } from "../support/make-files.js";

const text = (content: string, settings?: OdfSettings, config = {}) =>
  parseDocument(sourceFile("a.odt", makeOdf("text", content, settings)), { config });
const lines = async (content: string, settings?: OdfSettings) =>
  (await text(content, settings)).blocks.map(
    ({ kind, level, marker, text }) => `${kind}${level ?? ""}${marker === undefined ? "" : ` ${marker}`}: ${text}`,
  );

const NUMBERS = `<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/></text:list-style>`;

test("headings by level and by style, in a path", async () => {
  const styles = `<style:style style:name="Heading_20_2" style:family="paragraph"/>`;
  const automatic = `<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Heading_20_2"/>`;
  const { blocks } = await text(
    `<text:h text:outline-level="1">One</text:h><text:p text:style-name="P1">Two</text:p><text:p>Text</text:p>`,
    { styles, automatic },
  );
  expect(blocks.map(({ kind, level, headingPath }) => [kind, level, headingPath])).toEqual([
    ["heading", 1, []],
    ["heading", 2, ["One"]],
    ["paragraph", undefined, ["One", "Two"]],
  ]);
});

test("headings carry the numbers of the outline", async () => {
  const level = (n: number) =>
    `<text:outline-level-style text:level="${n}" style:num-format="1" text:display-levels="${n}"/>`;
  const styles = `<text:outline-style>${level(1)}${level(2)}</text:outline-style>`;
  const h = (n: number, title: string) => `<text:h text:outline-level="${n}">${title}</text:h>`;
  expect(await lines(h(1, "A") + h(2, "B") + h(2, "C") + h(1, "D") + h(2, "E"), { styles })).toEqual([
    "heading1: 1 A",
    "heading2: 1.1 B",
    "heading2: 1.2 C",
    "heading1: 2 D",
    "heading2: 2.1 E",
  ]);
});

test("lists are nested, numbered as printed, and go on after other text", async () => {
  const item = (inner: string) => `<text:list-item>${inner}</text:list-item>`;
  const first = `<text:list text:style-name="L1">${item("<text:p>a</text:p>")}${item(
    `<text:p>b</text:p><text:list>${item("<text:p>b1</text:p>")}${item("<text:p>b2</text:p>")}</text:list>`,
  )}</text:list>`;
  const next = `<text:list text:style-name="L1" text:continue-numbering="true">${item("<text:p>c</text:p><text:p>more</text:p>")}</text:list>`;
  expect(await lines(`${first}<text:p>between</text:p>${next}`, { automatic: NUMBERS })).toEqual([
    "list_item1 1.: a",
    "list_item1 2.: b",
    "list_item2 a): b1",
    "list_item2 b): b2",
    "paragraph: between",
    "list_item1 3.: c",
    "paragraph: more",
  ]);
});

test("spaces, tabs, line breaks, links, notes and comments in a line", async () => {
  const content = `<text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d <text:a xlink:href="https://x.org/">link</text:a><text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>Aside.</text:p></text:note-body></text:note><office:annotation><dc:creator>Ann</dc:creator><text:p>Really?</text:p></office:annotation></text:p>`;
  expect(await lines(content)).toEqual([
    "paragraph: a b c\nd [link](https://x.org/)[1]",
    "note: [1] Aside.",
    "note: Ann: Really?",
  ]);
});

test("what was deleted or hidden is left out", async () => {
  const automatic = `<style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style>`;
  const content = `<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes><text:p>kept<text:span text:style-name="T1">secret</text:span></text:p><text:section text:display="none"><text:p>unseen</text:p></text:section>`;
  expect(await lines(content, { automatic })).toEqual(["paragraph: kept"]);
});

test("tables repeat what spans or is repeated, and nested ones follow", async () => {
  const cell = (inner: string, attributes = "") =>
    `<table:table-cell ${attributes}><text:p>${inner}</text:p></table:table-cell>`;
  const nested = `<table:table-cell><text:p>y</text:p><table:table><table:table-row>${cell("n1")}${cell("n2")}</table:table-row></table:table></table:table-cell>`;
  const content = `<table:table><table:table-header-rows><table:table-row>${cell("A", 'table:number-columns-spanned="2"')}<table:covered-table-cell/></table:table-row></table:table-header-rows><table:table-row table:number-rows-repeated="2">${cell("x")}${nested}</table:table-row></table:table>`;
  const { blocks } = await text(content);
  expect(blocks.map(({ table }) => table)).toEqual([
    {
      header: ["A", "A"],
      rows: [
        ["x", "y"],
        ["x", "y"],
      ],
      spans: [{ row: 0, column: 0, rows: 1, columns: 2 }],
    },
    { header: ["n1", "n2"], rows: [] },
  ]);
});

test("text boxes, pictures' descriptions and embedded formulas", async () => {
  const math = `<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>a</mi><mn>2</mn></mfrac></math>`;
  const frame = (inner: string) => `<draw:frame>${inner}</draw:frame>`;
  const content = `<text:p>See ${frame('<draw:object xlink:href="./Object 1"/>')}${frame("<draw:text-box><text:p>Boxed</text:p></draw:text-box>")}${frame("<draw:image/><svg:desc>A map</svg:desc>")}${frame("<draw:image/>")}</text:p>`;
  const { blocks, warnings } = await text(content, { parts: { "Object 1/content.xml": math } });
  expect(blocks.map(({ kind, text }) => [kind, text])).toEqual([
    ["paragraph", "See (a)/(2)"],
    ["paragraph", "Boxed"],
    ["image", "A map"],
  ]);
  expect(warnings).toEqual(["An image without a description could not be read."]);
});

test("page headers and footers are there when they are asked for, bare numbers never", async () => {
  const masters = `<style:master-page><style:header><text:p>Secret plan</text:p></style:header><style:footer><text:p><text:page-number>3</text:page-number></text:p></style:footer></style:master-page>`;
  const shown = async (config: object) =>
    (await text("<text:p>Body</text:p>", { masters }, config)).blocks.map((block) => block.text);
  expect(await shown({})).toEqual(["Body"]);
  expect(await shown({ keepPageheaderInOutput: true, keepPagefooterInOutput: true })).toEqual(["Secret plan", "Body"]);
});

test("pages are told where the writer noted all of their breaks", async () => {
  const content =
    "<text:p>One</text:p><text:soft-page-break/><text:p>Two<text:soft-page-break/></text:p><text:p>Three</text:p>";
  const meta = (count: number) => ({ meta: `<meta:document-statistic meta:page-count="${count}"/>` });
  const { blocks, pages } = await text(content, meta(3));
  expect([pages, blocks.map((block) => block.page)]).toEqual([3, [1, 2, 3]]);
  const unsure = await text(content, meta(7));
  expect([unsure.pages, unsure.blocks.map((block) => block.page)]).toEqual([null, [undefined, undefined, undefined]]);
});

test("metadata", async () => {
  const meta =
    "<dc:title>Plan</dc:title><meta:initial-creator>Zoë</meta:initial-creator><dc:creator>Bob</dc:creator><meta:keyword>a</meta:keyword><meta:keyword>b</meta:keyword>";
  const { title, metadata } = await text("<text:p>x</text:p>", { meta });
  expect([title, metadata]).toEqual(["Plan", { author: "Zoë", keywords: "a, b" }]);
});

describe("spreadsheets", () => {
  const row = (cells: readonly string[], attributes = "") =>
    `<table:table-row ${attributes}>${cells.map((cell) => `<table:table-cell>${cell === "" ? "" : `<text:p>${cell}</text:p>`}</table:table-cell>`).join("")}</table:table-row>`;
  const sheets = (content: string) => parseDocument(sourceFile("a.ods", makeOdf("spreadsheet", content)));

  test("each sheet is a page; titles stand before tables; endless blanks cost nothing", async () => {
    const blanks = `<table:table-row table:number-rows-repeated="1048500"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`;
    const { blocks, pages } = await sheets(
      `<table:table table:name="Data">${row(["Ducks"])}${blanks}${row(["Year", "Count"])}${row(["2024", "7"])}${blanks}</table:table><table:table table:name="Empty"/><table:table table:name="More">${row(["a", "b"])}</table:table>`,
    );
    expect(pages).toBe(3);
    expect(blocks.map(({ kind, text, page }) => [kind, text, page])).toEqual([
      ["heading", "Data", 1],
      ["paragraph", "Ducks", 1],
      ["table", "| Year | Count |\n| --- | --- |\n| 2024 | 7 |", 1],
      ["heading", "More", 3],
      ["table", "| a | b |\n| --- | --- |", 3],
    ]);
    expect(blocks.flatMap(({ rowCells }) => rowCells ?? [])).toEqual([
      { sheet: "Data", columns: [1, 2], headerRows: [1_048_502, 1_048_502], rows: [1_048_503] },
      { sheet: "More", columns: [1, 2], headerRows: [1, 1], rows: [] },
    ]);
  });

  test("a table below the last row that a sheet can have is read without its cells", async () => {
    const blanks = (count: number) =>
      `<table:table-row table:number-rows-repeated="${count}"><table:table-cell/></table:table-row>`;
    const table = `${row(["a", "b"])}${row(["c", "d"])}`;
    for (const [count, rows] of [
      [1_048_574, [1_048_576]],
      [1_048_575, undefined],
      [3_000_000_000, undefined],
    ] as const) {
      const { blocks } = await sheets(`<table:table table:name="S">${blanks(count)}${table}</table:table>`);
      expect(blocks[1]).toMatchObject({ kind: "table", text: "| a | b |\n| --- | --- |\n| c | d |" });
      expect(blocks[1]!.rowCells?.rows).toEqual(rows);
    }
  });

  test("cells read as displayed, or as their format says, with the value beside the text", async () => {
    const number = `<number:number number:decimal-places="2" number:min-integer-digits="1" number:grouping="true"/>`;
    const euro = "<number:text> </number:text><number:currency-symbol>€</number:currency-symbol>";
    const styles = [
      `<number:currency-style style:name="NP">${number}${euro}</number:currency-style>`,
      `<number:currency-style style:name="N1" number:language="de"><number:text>-</number:text>${number}${euro}<style:map style:condition="value()&gt;=0" style:apply-style-name="NP"/></number:currency-style>`,
      `<number:percentage-style style:name="N2"><number:number number:decimal-places="1" number:min-integer-digits="1"/><number:text>%</number:text></number:percentage-style>`,
      `<number:date-style style:name="N3"><number:day number:style="long"/><number:text>.</number:text><number:month number:style="long"/><number:text>.</number:text><number:year number:style="long"/></number:date-style>`,
      `<number:time-style style:name="N4" number:truncate-on-overflow="false"><number:text>Uhr hat </number:text><number:hours/><number:text>:</number:text><number:minutes number:style="long"/></number:time-style>`,
      ...[1, 2, 3, 4].map(
        (n) => `<style:style style:name="ce${n}" style:family="table-cell" style:data-style-name="N${n}"/>`,
      ),
    ].join("");
    const cell = (type: string, value: string, style = 0, shown = "") =>
      `<table:table-row><table:table-cell><text:p>${type}</text:p></table:table-cell><table:table-cell office:value-type="${type}" ${value} table:style-name="ce${style}">${shown}</table:table-cell></table:table-row>`;
    const rows = [
      cell("currency", 'office:value="-1234.5"', 1),
      cell("percentage", 'office:value="0.1234"', 2),
      cell("date", 'office:date-value="2024-03-15T00:00:00"', 3),
      cell("time", 'office:time-value="PT30H05M00S"', 4),
      cell("boolean", 'office:boolean-value="true"'),
      cell("percentage", 'office:value="0.5"'),
      cell("currency", 'office:value="5" office:currency="EUR"'),
      cell("float", 'office:value="1234.5678"', 0, "<text:p>1,235</text:p>"),
      cell("float", 'office:value="7"', 0, "<text:p>7</text:p>"),
    ];
    const { blocks } = await parseDocument(
      sourceFile(
        "a.ods",
        makeOdf("spreadsheet", `<table:table table:name="S">${row(["Kind", "Value"])}${rows.join("")}</table:table>`, {
          automatic: styles,
        }),
      ),
    );
    const { rows: texts, values, name } = blocks[1]!.table!;
    expect(name).toBe("S");
    expect(texts.map(([, text], i) => [text, values![i]![1] ?? null])).toEqual([
      ["-1.234,50 €", -1234.5],
      ["12.3%", 0.1234],
      ["15.03.2024", "2024-03-15"],
      ["Uhr hat 30:05", "30:05:00"],
      ["TRUE", true],
      ["50%", 0.5],
      ["5 EUR", 5],
      ["1,235", 1234.5678],
      ["7", null],
    ]);
  });

  test("a cell without shown text gives its value; a row repeated too often is cut, with a warning", async () => {
    const value = `<table:table-row table:number-rows-repeated="9000000"><table:table-cell office:value-type="float" office:value="4.5"/><table:table-cell office:value-type="string" office:string-value="x"/></table:table-row>`;
    const { blocks, warnings } = await sheets(`<table:table table:name="S">${value}</table:table>`);
    expect(blocks[1]!.table!.header).toEqual(["4.5", "x"]);
    expect(blocks[1]!.table!.rows.length).toBeLessThan(5_000_000);
    expect(warnings).toEqual(['The sheet "S" repeats too many cells; its last rows were skipped.']);
  }, 60_000);
});

test("slides are pages, with title first, placeholders left out and notes last", async () => {
  const frame = (kind: string, inner: string, attributes = "") =>
    `<draw:frame presentation:class="${kind}" ${attributes}><draw:text-box>${inner}</draw:text-box></draw:frame>`;
  const content = `<draw:page>${frame("outline", "<text:list><text:list-item><text:p>Point</text:p></text:list-item></text:list>")}${frame("title", "<text:p>Hello</text:p>")}${frame("subtitle", "<text:p>Click here</text:p>", 'presentation:placeholder="true"')}<presentation:notes>${frame("notes", "<text:p>Speak up.</text:p>")}</presentation:notes></draw:page><draw:page><draw:custom-shape><text:p>Shape</text:p></draw:custom-shape></draw:page>`;
  const { blocks, pages } = await parseDocument(sourceFile("a.odp", makeOdf("presentation", content)));
  expect(pages).toBe(2);
  expect(blocks.map(({ kind, text, page }) => [kind, text, page])).toEqual([
    ["heading", "Hello", 1],
    ["list_item", "Point", 1],
    ["note", "Speak up.", 1],
    ["paragraph", "Shape", 2],
  ]);
});

test("a file without a part for its type is known by its manifest", async () => {
  const type = "application/vnd.oasis.opendocument.spreadsheet";
  const bytes = makeZip({
    "META-INF/manifest.xml": `<!DOCTYPE m SYSTEM "Manifest.dtd"><m><e media-type="${type}" full-path="/"/></m>`,
    "content.xml":
      '<d><office:body><office:spreadsheet><table:table table:name="S"><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></d>',
  });
  const { mimeType, blocks } = await parseDocument(sourceFile("a.ods", bytes));
  expect([mimeType, blocks.map(({ text }) => text)]).toEqual([type, ["S", "x"]]);
});

test("the flat form is read", async () => {
  const xml = `<?xml version="1.0"?><office:document xmlns:office="o" xmlns:text="t" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>Flat</text:p></office:text></office:body></office:document>`;
  const { blocks, mimeType } = await parseDocument(sourceFile("a.fodt", xml));
  expect([blocks[0]!.text, mimeType]).toEqual(["Flat", "application/vnd.oasis.opendocument.text"]);
});

describe("documents that are refused", () => {
  const refusal = (bytes: Uint8Array) => expect(parseDocument(sourceFile("a.odt", bytes))).rejects;

  test("encrypted ones", async () => {
    const manifest = { "META-INF/manifest.xml": "<manifest:manifest><manifest:encryption-data/></manifest:manifest>" };
    await refusal(makeOdf("text", "", { parts: manifest })).toMatchObject({
      code: "invalid_input",
      message: '"a.odt" is password-protected.',
    });
  });

  test("those that declare entities", async () => {
    const content = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "boom">]><office:document-content><office:body><office:text><text:p>&b;</text:p></office:text></office:body></office:document-content>`;
    await refusal(makeOdf("text", "", { parts: { "content.xml": content } })).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("DOCTYPE"),
    });
  });

  test("those nested beyond all measure", async () => {
    await refusal(makeOdf("text", "<text:section>".repeat(200_000))).toMatchObject({ code: "invalid_input" });
    const deep = `${"<text:section>".repeat(4_900)}<text:p>x</text:p>${"</text:section>".repeat(4_900)}`;
    const outcome = await parseDocument(sourceFile("a.odt", makeOdf("text", deep))).catch((error) => error.code);
    expect(outcome === "invalid_input" || outcome.blocks.length === 1).toBe(true);
  });

  test("those without content, and those with broken XML", async () => {
    await refusal(makeOdf("text", "", { parts: { "content.xml": "<a><b></a>" } })).toMatchObject({
      code: "invalid_input",
    });
    await refusal(makeOdf("text", "", { parts: { "content.xml": "<a/>" } })).toMatchObject({ code: "invalid_input" });
  });
});

describe("presentations with charts and masters", () => {
  const cell = (value: string) => `<table:table-cell><text:p>${value}</text:p></table:table-cell>`;
  const row = (...cells: string[]) => `<table:table-row>${cells.map(cell).join("")}</table:table-row>`;
  const chart = `<office:document-content><office:body><office:chart><chart:chart><chart:title><text:p>Sales</text:p></chart:title><chart:plot-area><chart:axis chart:dimension="x"><chart:title><text:p>Year</text:p></chart:title></chart:axis></chart:plot-area><table:table><table:table-header-rows>${row("", "EMEA", "APAC")}</table:table-header-rows><table:table-rows>${row("2023", "12.5", "7")}</table:table-rows></table:table></chart:chart></office:chart></office:body></office:document-content>`;
  const box = (inner: string, attributes = "") =>
    `<draw:frame ${attributes}><draw:text-box><text:p>${inner}</text:p></draw:text-box></draw:frame>`;
  const slide = `draw:master-page-name="Plain" presentation:use-footer-name="f1"`;
  const content = `<presentation:footer-decl presentation:name="f1">Board meeting</presentation:footer-decl><draw:page ${slide}><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></draw:page><draw:page ${slide}>${box("Second")}</draw:page>`;
  const masters = `<style:master-page style:name="Plain">${box("Confidential")}${box("Click to add a title", 'presentation:class="title"')}${box("12")}</style:master-page>`;
  const shown = async (config: object) => {
    const bytes = makeOdf("presentation", content, { masters, parts: { "Object 1/content.xml": chart } });
    const { blocks } = await parseDocument(sourceFile("a.odp", bytes), { config });
    return blocks.map(({ kind, text, page }) => [kind, text, page]);
  };

  test("a chart is its title and a table of its values", async () => {
    expect(await shown({})).toEqual([
      ["caption", "Sales", 1],
      ["table", "| Year | EMEA | APAC |\n| --- | --- | --- |\n| 2023 | 12.5 | 7 |", 1],
      ["paragraph", "Second", 2],
    ]);
    expect(await shown({ chartUnderstanding: false })).toEqual([
      ["caption", "Sales", 1],
      ["paragraph", "Second", 2],
    ]);
  });

  test("footers and texts of masters are there once when they are asked for, prompts and numbers never", async () => {
    const footers = (await shown({ keepPagefooterInOutput: true })).filter(([kind]) => kind === "page_footer");
    expect(footers).toEqual([
      ["page_footer", "Board meeting", 1],
      ["page_footer", "Confidential", 1],
    ]);
  });
});
