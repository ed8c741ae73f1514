import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import type { ParseConfig } from "../../src/interfaces/parser.js";
import { sourceFile } from "../support/make-files.js";
import {
  barChart,
  type Links,
  makeOffice,
  makePptx,
  type SlideSettings,
  slideFrame,
  slidePicture,
  slideShape,
} from "../support/make-office.js";

interface Given {
  readonly parts?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, Links>>;
  readonly config?: ParseConfig;
}

const parse = (slides: readonly (string | SlideSettings)[], { parts, links, config = {} }: Given = {}) =>
  parseDocument(sourceFile("a.pptx", makePptx(slides, parts, links)), { config });

const title = (text: string) => slideShape([text], { placeholder: "title" });

test("slides are pages and their titles headings", async () => {
  const { blocks, pages } = await parse([
    slideShape(["Below"], { at: { x: 0, y: 500 } }) + title("First"),
    title("Second") + slideShape(["More"]),
  ]);
  expect(pages).toBe(2);
  expect(blocks.map(({ kind, text, page, headingPath }) => [kind, text, page, headingPath])).toEqual([
    ["heading", "First", 1, []],
    ["paragraph", "Below", 1, ["First"]],
    ["heading", "Second", 2, []],
    ["paragraph", "More", 2, ["Second"]],
  ]);
});

test("a slide without title stands under no other slide's title", async () => {
  const { blocks } = await parse([title("First"), slideShape(["Loose text that goes on."]), ""]);
  expect(blocks.map((block) => [block.kind, block.text])).toEqual([
    ["heading", "First"],
    ["heading", "Slide 2"],
    ["paragraph", "Loose text that goes on."],
  ]);
});

test("the largest line on top serves as title where none is marked", async () => {
  const large = '<a:p><a:r><a:rPr sz="4000"/><a:t>Plans</a:t></a:r></a:p>';
  const { blocks } = await parse([slideShape([large]) + slideShape(["Text"])]);
  expect(blocks.map((block) => block.kind)).toEqual(["heading", "paragraph"]);
});

test("shapes are read by their place: above before below, left before right, the file's order otherwise", async () => {
  const box = (text: string, x: number, y: number) => slideShape([text], { at: { x, y } });
  const shapes = [
    box("right body", 200, 200),
    box("left body", 0, 200),
    box("right head", 200, 0),
    box("left head", 0, 0),
  ];
  const { blocks } = await parse([shapes.join("")]);
  expect(blocks.map((block) => block.text)).toEqual(["left head", "left body", "right head", "right body"]);
});

test("rows stay together where the file has them so", async () => {
  const box = (text: string, x: number, y: number) => slideShape([text], { at: { x, y } });
  const shapes =
    box("left head", 0, 0) + box("right head", 200, 0) + box("left body", 0, 200) + box("right body", 200, 200);
  const { blocks } = await parse([shapes]);
  expect(blocks.map((block) => block.text)).toEqual(["left head", "right head", "left body", "right body"]);
});

test("bullets come from the paragraph, and from the layout where it says nothing", async () => {
  const paragraph = (properties: string, text: string) =>
    `<a:p><a:pPr ${properties.startsWith("<") ? `>${properties}` : `${properties}>`}</a:pPr><a:r><a:t>${text}</a:t></a:r></a:p>`;
  const numbered = '<a:buAutoNum type="arabicPeriod"/>';
  const body = slideShape(
    [
      "inherited",
      paragraph('lvl="1"', "deeper"),
      paragraph("<a:buNone/>", "plain"),
      paragraph(numbered, "one"),
      paragraph(numbered, "two"),
    ],
    { placeholder: "body" },
  );
  const bullet = '<a:buChar char="•"/>';
  const layout = `<p:sldLayout xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="body" idx="1"/></p:nvPr></p:nvSpPr><p:txBody><a:lstStyle><a:lvl1pPr>${bullet}</a:lvl1pPr><a:lvl2pPr>${bullet}</a:lvl2pPr></a:lstStyle></p:txBody></p:sp></p:spTree></p:cSld></p:sldLayout>`;
  const { blocks } = await parse(
    [{ shapes: body, links: { l: ["slideLayout", "../slideLayouts/slideLayout1.xml"] } }],
    {
      parts: { "ppt/slideLayouts/slideLayout1.xml": layout },
    },
  );
  expect(blocks.map(({ kind, level, marker, text }) => [kind, level, marker, text])).toEqual([
    ["list_item", 1, undefined, "inherited"],
    ["list_item", 2, undefined, "deeper"],
    ["paragraph", undefined, undefined, "plain"],
    ["list_item", 1, "1.", "one"],
    ["list_item", 1, "2.", "two"],
  ]);
});

test("merged cells of a table are repeated", async () => {
  const cell = (text: string, attributes = "") =>
    `<a:tc ${attributes}><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
  const table = `<a:tbl><a:tr>${cell("Wide", 'gridSpan="2"')}${cell("", 'hMerge="1"')}</a:tr><a:tr>${cell("a", 'rowSpan="2"')}${cell("b")}</a:tr><a:tr>${cell("", 'vMerge="1"')}${cell("c")}</a:tr></a:tbl>`;
  const { blocks } = await parse([slideFrame(table)]);
  expect(blocks[0]!.table).toEqual({
    header: ["Wide", "Wide"],
    rows: [
      ["a", "b"],
      ["a", "c"],
    ],
    spans: [
      { row: 0, column: 0, rows: 1, columns: 2 },
      { row: 1, column: 0, rows: 2, columns: 1 },
    ],
  });
});

describe("charts", () => {
  const slide = {
    shapes: slideFrame('<c:chart r:id="c1"/>'),
    links: { c1: ["chart", "../charts/chart1.xml"] },
  } as const;
  const parts = { "ppt/charts/chart1.xml": barChart("Sales", "2025", { North: 3, South: 4 }) };
  test("are a caption and a table", async () => {
    const { blocks } = await parse([slide], { parts });
    expect(blocks.map((block) => [block.kind, block.text])).toEqual([
      ["caption", "Sales"],
      ["table", "|  | 2025 |\n| --- | --- |\n| North | 3 |\n| South | 4 |"],
    ]);
  });
  test("are their title alone where they are not wanted", async () => {
    const { blocks } = await parse([slide], { parts, config: { chartUnderstanding: false } });
    expect(blocks.map((block) => block.text)).toEqual(["Sales"]);
  });
  test("that are missing are told", async () => {
    const { warnings } = await parse([{ ...slide, shapes: slide.shapes + title("T") }]);
    expect(warnings).toEqual(["A chart could not be read."]);
  });
});

test("diagrams are lists in the order of their outline", async () => {
  const point = (id: string, text: string, type = "node") =>
    `<dgm:pt modelId="${id}" type="${type}"><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
  const under = (source: string, target: string, order: number) =>
    `<dgm:cxn srcId="${source}" destId="${target}" srcOrd="${order}"/>`;
  const model = `<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:ptLst>${point("0", "", "doc")}${point("2", "Second")}${point("1", "First")}${point("3", "Part")}</dgm:ptLst><dgm:cxnLst>${under("0", "2", 1)}${under("0", "1", 0)}${under("1", "3", 0)}</dgm:cxnLst></dgm:dataModel>`;
  const { blocks } = await parse(
    [{ shapes: slideFrame('<dgm:relIds r:dm="d1"/>'), links: { d1: ["diagramData", "../diagrams/data1.xml"] } }],
    { parts: { "ppt/diagrams/data1.xml": model } },
  );
  expect(blocks.map((block) => [block.text, block.level])).toEqual([
    ["First", 1],
    ["Part", 2],
    ["Second", 1],
  ]);
});

test("notes and comments are notes of their slide", async () => {
  const notes = `<p:notes xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>${slideShape(["Say hello"], { placeholder: "body" })}${slideShape(["7"], { placeholder: "sldNum" })}</p:spTree></p:cSld></p:notes>`;
  const comments = '<p:cmLst xmlns:p="p"><p:cm authorId="0"><p:text>Too long</p:text></p:cm></p:cmLst>';
  const links = { n: ["notesSlide", "../notesSlides/n1.xml"], c: ["comments", "../comments/c1.xml"] } as const;
  const { blocks } = await parse([{ shapes: title("T"), links }], {
    parts: { "ppt/notesSlides/n1.xml": notes, "ppt/comments/c1.xml": comments },
  });
  expect(blocks.slice(1).map((block) => [block.kind, block.text, block.page])).toEqual([
    ["note", "Say hello", 1],
    ["note", "Too long", 1],
  ]);
});

test("links to the web stay, and the pieces of one link are one", async () => {
  const run = (text: string) => `<a:r><a:rPr><a:hlinkClick r:id="h"/></a:rPr><a:t>${text}</a:t></a:r>`;
  const { blocks } = await parse([
    {
      shapes: slideShape([`<a:p><a:r><a:t>See </a:t></a:r>${run("the ")}${run("site")}</a:p>`]),
      links: { h: ["hyperlink", "https://example.org/"] },
    },
  ]);
  expect(blocks[0]!.text).toBe("See [the site](https://example.org/)");
});

test("hidden slides are read and told", async () => {
  const { blocks, warnings } = await parse([title("One"), { shapes: title("Two"), hidden: true }]);
  expect(blocks.map((block) => block.text)).toEqual(["One", "Two"]);
  expect(warnings).toEqual(["Slide 2 is hidden in the presentation, but included."]);
});

test("footers, dates and numbers are page footers", async () => {
  const shapes =
    title("T") + slideShape(["Imprint"], { placeholder: "ftr" }) + slideShape(["4"], { placeholder: "sldNum" });
  expect((await parse([shapes])).blocks.map((block) => block.text)).toEqual(["T"]);
  const { blocks } = await parse([shapes], { config: { keepPagefooterInOutput: true } });
  expect(blocks.map((block) => [block.kind, block.text])).toEqual([
    ["heading", "T"],
    ["page_footer", "Imprint"],
    ["page_footer", "4"],
  ]);
});

test("an image is its description, and a warning counts those without one", async () => {
  const shapes = title("T") + slidePicture("A bridge") + slidePicture("image1.png") + slidePicture("");
  const { blocks, warnings } = await parse([shapes]);
  expect(blocks.filter((block) => block.kind === "image").map((block) => block.text)).toEqual(["A bridge"]);
  expect(warnings).toEqual(["2 images without a description could not be read."]);
  for (const config of [{ disableImageExtraction: true }, { disableImageCaptions: true }]) {
    const without = await parse([shapes], { config });
    expect(without.blocks.map((block) => block.text)).toEqual(["T"]);
    expect(without.warnings).toEqual([]);
  }
});

test("content for newer readers is taken once", async () => {
  const choice = `<mc:AlternateContent><mc:Choice Requires="x">${slideShape(["New"])}</mc:Choice><mc:Fallback>${slideShape(["Old"])}</mc:Fallback></mc:AlternateContent>`;
  expect((await parse([choice])).blocks.map((block) => block.text)).toEqual(["New"]);
});

describe("hostile presentations", () => {
  test("entities are never expanded", async () => {
    const part = '<!DOCTYPE x [<!ENTITY a "boom">]><p:notes xmlns:p="p">&a;</p:notes>';
    const links = { n: ["notesSlide", "../notesSlides/n1.xml"] } as const;
    await expect(
      parse([{ shapes: title("T"), links }], { parts: { "ppt/notesSlides/n1.xml": part } }),
    ).rejects.toMatchObject({ code: "invalid_input", message: expect.stringMatching(/DOCTYPE/) });
  });

  test("groups nested without end are refused or read, and end", async () => {
    const shapes = "<p:grpSp>".repeat(20_000) + slideShape(["deep"]) + "</p:grpSp>".repeat(20_000);
    await expect(parse([shapes])).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/nested deeper than 5000 elements/),
    });
  });

  test("a slide that is not there is told", async () => {
    const presentation =
      '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="s"/></p:sldIdLst></p:presentation>';
    const bytes = makeOffice(
      { "ppt/presentation.xml": presentation },
      { "ppt/presentation.xml": { s: ["slide", "slides/gone.xml"] } },
    );
    const { warnings } = await parseDocument(sourceFile("a.pptx", bytes));
    expect(warnings).toEqual(["A slide is missing from the file.", "The document has no text."]);
  });
});
