import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { sourceFile } from "../support/make-files.js";

const parse = (rtf: string, config = {}) => parseDocument(sourceFile("a.rtf", Buffer.from(rtf, "latin1")), { config });
const lines = async (rtf: string, config = {}) =>
  (await parse(`{\\rtf1\\ansi ${rtf}}`, config)).blocks.map(
    ({ kind, level, marker, text }) => `${kind}${level ?? ""}${marker === undefined ? "" : ` ${marker}`}: ${text}`,
  );

describe("characters", () => {
  test("of the document's code page and of each font's", async () => {
    const fonts = "{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset204 B;}{\\f2\\fcharset128 C;}{\\f3 D;}}";
    expect(
      await lines(`\\ansicpg1250\\deff3${fonts}\\'b3 {\\f0 \\'80\\'e9} {\\f1 \\'cf\\'f0} {\\f2 \\'83\\\\\\'83A}`),
    ).toEqual(["paragraph: ł €é Пр ソア"]);
  });

  test("in Unicode, with what stands in for them left out", async () => {
    expect(await lines("\\u8364?\\u-4051?{\\uc2\\u228\\'E8a}{\\uc0\\u252 x}\\u8212\\emdash.")).toEqual([
      "paragraph: €\uf02däüx—.",
    ]);
  });

  test("that have words of their own", async () => {
    expect(await lines("a\\tab b\\line c\\~d\\_e\\-f\\{\\}\\\\\\ldblquote g\\rdblquote\\endash")).toEqual([
      "paragraph: a b\nc\u00a0d-ef{}\\“g”–",
    ]);
  });
});

test("headings by style and by outline level", async () => {
  const styles =
    "{\\stylesheet{\\s0 Normal;}{\\s1\\outlinelevel0 heading 1;}{\\s5\\sbasedon1 Mine;}{\\*\\cs6 heading 3;}}";
  expect(
    await lines(`${styles}\\pard\\s1 One\\par\\pard\\s5 Two\\par\\pard\\outlinelevel1 Three\\par\\pard\\s0 Text\\par`),
  ).toEqual(["heading1: One", "heading1: Two", "heading2: Three", "paragraph: Text"]);
});

test("lists with their printed markers, also where those are typed", async () => {
  const item = (marker: string, level: number, text: string) =>
    `\\pard\\ls1\\ilvl${level}{\\listtext ${marker}\\tab}${text}\\par `;
  const typed =
    "\\pard\\li360\\fi-360 \\bullet \\tx360\\tab typed\\par\\pard\\li720\\fi-360 2.\\tx360\\tab number\\par";
  expect(await lines(item("1.", 0, "a") + item("\\'b7", 1, "b") + typed)).toEqual([
    "list_item1 1.: a",
    "list_item2: b",
    "list_item1: typed",
    "list_item2 2.: number",
  ]);
});

describe("tables", () => {
  test("rows and cells, with what a wide or merged cell covers", async () => {
    const row = (shape: string, cells: readonly string[]) =>
      `\\trowd${shape}\\pard\\intbl ${cells.join("\\cell ")}\\cell\\row `;
    const { blocks } = await parse(
      `{\\rtf1 ${row("\\cellx1000\\cellx2000", ["a", "b"])}${row("\\cellx2000", ["wide"])}${row("\\cellx1000\\clvmrg\\cellx2000", ["c", ""])}\\pard After\\par}`,
    );
    expect(blocks[0]!.table).toEqual({
      header: ["a", "b"],
      rows: [
        ["wide", "wide"],
        ["c", "wide"],
      ],
    });
    expect(blocks[1]!.text).toBe("After");
  });

  test("a nested one follows the table that it is in", async () => {
    const nested =
      "\\pard\\intbl\\itap2 n1\\nestcell n2\\nestcell{\\*\\nesttableprops\\trowd\\cellx1\\cellx2\\nestrow}{\\nonesttables\\par}";
    expect(
      await lines(`\\trowd\\cellx1\\cellx2\\pard\\intbl a\\cell ${nested}\\pard\\intbl b\\cell\\row\\pard x\\par`),
    ).toEqual(["table: | a | b |\n| --- | --- |", "table: | n1 | n2 |\n| --- | --- |", "paragraph: x"]);
  });
});

test("notes, comments, text boxes and links", async () => {
  const content =
    'See{\\super\\chftn}{\\footnote\\pard{\\super\\chftn} Aside.} {\\field{\\*\\fldinst HYPERLINK "https://x.org"}{\\fldrslt here}} {\\field{\\*\\fldinst PAGE}}{\\*\\atnauthor Ann}{\\*\\annotation Why?}{\\shp{\\*\\shpinst{\\sp{\\sn a}{\\sv b}}{\\shptxt Boxed\\par}}{\\shprslt Boxed}}\\par';
  expect(await lines(content)).toEqual([
    "paragraph: See[1] [here](https://x.org)",
    "note: [1] Aside.",
    "note: Ann: Why?",
    "paragraph: Boxed",
  ]);
});

test("what is hidden, deleted, binary or a picture is left out", async () => {
  const content = "a{\\v hidden}{\\deleted gone}{\\pict 89504e}\\bin5 }}}}}b{\\*\\unknown {x} y}{\\xe entry}c";
  const { blocks, warnings } = await parse(`{\\rtf1 ${content}}`);
  expect(blocks.map((block) => block.text)).toEqual(["abc"]);
  expect(warnings).toEqual(["An image without a description could not be read."]);
});

test("headers, footers, title and author", async () => {
  const rtf =
    "{\\info{\\title Plan}{\\author Zo\\'eb}{\\creatim\\yr2024\\mo3\\dy2}}{\\header Top}{\\footerl Bottom}Body";
  expect(await lines(rtf)).toEqual(["paragraph: Body"]);
  expect(await lines(rtf, { keepPageheaderInOutput: true, keepPagefooterInOutput: true })).toEqual([
    "page_header: Top",
    "paragraph: Body",
    "page_footer: Bottom",
  ]);
  const { title, metadata } = await parse(`{\\rtf1\\ansi ${rtf}}`);
  expect([title, metadata]).toEqual(["Plan", { author: "Zoë", created: "2024-03-02T00:00:00" }]);
});

test("one that breaks off is read as far as it goes, with a warning", async () => {
  const { blocks, warnings } = await parse("{\\rtf1 {\\b Text");
  expect([blocks[0]!.text, warnings]).toEqual([
    "Text",
    ["The document is truncated; the missing part could not be read."],
  ]);
});

test("groups without end, fields in one paragraph and notes cost no more than their length", async () => {
  const pieces = [
    "{",
    "{a}",
    '{\\field{\\*\\fldinst HYPERLINK "http://a.b"}{\\fldrslt x}}',
    "{\\footnote x}",
    "\\intbl a\\cell ",
  ];
  for (const piece of pieces) {
    const started = process.cpuUsage().user;
    await parse(`{\\rtf1 ${piece.repeat(1_000_000 / piece.length)}}`);
    expect((process.cpuUsage().user - started) / 1e6, piece).toBeLessThan(20);
  }
}, 120_000);
