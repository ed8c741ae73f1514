import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import type { ParseConfig } from "../../src/interfaces/parser.js";
import { type DocxSettings, makeDocx, sourceFile, wordParagraph } from "../support/make-files.js";
import { barChart } from "../support/make-office.js";

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

const parse = (body: string, settings?: DocxSettings, config: ParseConfig = {}) =>
  parseDocument(sourceFile("a.docx", makeDocx(body, settings)), { config });
const textsOf = async (body: string, settings?: DocxSettings) =>
  (await parse(body, settings)).blocks.map((block) => block.text);

/** Parts and the relationships that lead to them from the document. */
function related(type: string, name: string, xml: string): DocxSettings {
  const relationships = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rIdStyles" Type="${OFFICE}/styles" Target="styles.xml"/><Relationship Id="rIdMore" Type="${OFFICE}/${type}" Target="${name}"/></Relationships>`;
  return { parts: { "word/_rels/document.xml.rels": relationships, [`word/${name}`]: xml } };
}

const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"';

test("text within fields, readings and directions is kept", async () => {
  const body = `<w:p>${run("Figure ")}<w:fldSimple w:instr="SEQ Figure">${run("3")}</w:fldSimple><w:bdo w:val="ltr">${run(" shows ")}</w:bdo><w:r><w:ruby><w:rubyPr><w:lid w:val="ja-JP"/></w:rubyPr><w:rt>${run("かん")}</w:rt><w:rubyBase>${run("漢")}</w:rubyBase></w:ruby></w:r><w:fldSimple w:instr="X"/></w:p>`;
  expect(await textsOf(body)).toEqual(["Figure 3 shows 漢"]);
});

test("inserted text is in, deleted text is out", async () => {
  const body = `<w:p>${run("a ")}<w:ins>${run("new ")}</w:ins><w:del><w:r><w:delText>old </w:delText></w:r></w:del><w:moveFrom>${run("gone ")}</w:moveFrom>${run("b")}</w:p>`;
  expect(await textsOf(body)).toEqual(["a new b"]);
});

describe("text boxes", () => {
  const box = (text: string) => `<w:txbxContent>${wordParagraph(text)}</w:txbxContent>`;
  const drawing = (text: string) =>
    `<w:drawing><wp:inline><a:graphic><a:graphicData>${box(text)}</a:graphicData></a:graphic></wp:inline></w:drawing>`;
  const paragraph = (content: string) => `<w:p>${run("Beside")}<w:r>${content}</w:r></w:p>`;

  test("are read without an older form beside them", async () => {
    expect(await textsOf(paragraph(drawing("In the box")))).toEqual(["Beside", "In the box"]);
  });

  test("are read where the older form is a picture only", async () => {
    const both = `<mc:AlternateContent ${mc}><mc:Choice Requires="wps">${drawing("In the box")}</mc:Choice><mc:Fallback><w:pict/></mc:Fallback></mc:AlternateContent>`;
    expect(await textsOf(paragraph(both))).toEqual(["Beside", "In the box"]);
  });

  test("are read once where both forms have the text", async () => {
    const both = `<mc:AlternateContent ${mc}><mc:Choice Requires="wps">${drawing("In the box")}</mc:Choice><mc:Fallback><w:pict>${box("In the box")}</w:pict></mc:Fallback></mc:AlternateContent>`;
    expect(await textsOf(paragraph(both))).toEqual(["Beside", "In the box"]);
  });

  test("within each other are read once", async () => {
    const outer = `<w:drawing><w:txbxContent><w:p>${run("Outer")}<w:r>${drawing("Inner")}</w:r></w:p></w:txbxContent></w:drawing>`;
    expect(await textsOf(paragraph(outer))).toEqual(["Beside", "Outer", "Inner"]);
  });
});

test("comments follow the text as notes", async () => {
  const comments = `<w:comments xmlns:w="w"><w:comment w:id="0" w:author="Ann"><w:p>${run("Really")}${run("?")}</w:p></w:comment><w:comment w:id="1"><w:p>${run("Yes.")}</w:p></w:comment></w:comments>`;
  const { blocks } = await parse(wordParagraph("Text"), related("comments", "comments.xml", comments));
  expect(blocks.map((block) => [block.kind, block.text])).toEqual([
    ["paragraph", "Text"],
    ["note", "Ann: Really?"],
    ["note", "Yes."],
  ]);
});

describe("charts", () => {
  const reference = `<w:p><w:r><w:drawing><a:graphic><a:graphicData><c:chart xmlns:c="urn:c" r:id="rIdMore"/></a:graphicData></a:graphic></w:drawing></w:r></w:p>`;
  const body = wordParagraph("Before") + reference + wordParagraph("After");
  const settings = related("chart", "charts/chart1.xml", barChart("Sales &amp; more", "2025", { North: 3 }));
  const shown = async (config: ParseConfig) =>
    (await parse(body, settings, config)).blocks.map((block) => [block.kind, block.text]);

  test("are a caption and a table where they stand", async () => {
    expect(await shown({})).toEqual([
      ["paragraph", "Before"],
      ["caption", "Sales & more"],
      ["table", "|  | 2025 |\n| --- | --- |\n| North | 3 |"],
      ["paragraph", "After"],
    ]);
  });

  test("are their title alone where they are not wanted", async () => {
    expect((await shown({ chartUnderstanding: false })).map(([, text]) => text)).toEqual([
      "Before",
      "Sales & more",
      "After",
    ]);
  });

  test("that cannot be read are told", async () => {
    const { warnings } = await parse(body, related("chart", "charts/chart1.xml", "<c:chartSpace/>"));
    expect(warnings).toEqual(["Not read: charts (1)."]);
  });
});

test("files left for Word to take in are told", async () => {
  const { warnings } = await parse(`${wordParagraph("Text")}<w:altChunk r:id="x"/>`);
  expect(warnings).toEqual(["Not read: embedded documents (1)."]);
});
