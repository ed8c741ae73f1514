import { PDFDocument, PDFName } from "pdf-lib";
import { expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { sourceFile } from "../support/make-files.js";

/**
 * A page of text in a Type 3 font whose characters have no names, as TeX makes them of bitmaps.
 *
 * @param hyphen What the font maps hyphens to, in UTF-16 as hexadecimal digits. @default no mapping
 */
async function typeThreePdf(lines: readonly string[], hyphen?: string): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const page = document.addPage([595, 842]);
  const { context } = document;
  const codes = [...new Set(lines.flatMap((line) => [...Buffer.from(line, "latin1")]))].sort((a, b) => a - b);
  const glyph = context.register(context.stream("50 0 5 0 45 70 d1 5 0 40 70 re f"));
  const font = context.obj({
    Type: "Font",
    Subtype: "Type3",
    FontBBox: [0, 0, 0, 0],
    FontMatrix: [0.01, 0, 0, 0.01, 0, 0],
    CharProcs: Object.fromEntries(codes.map((code) => [`a${code}`, glyph])),
    Encoding: { Type: "Encoding", Differences: codes.flatMap((code) => [code, PDFName.of(`a${code}`)]) },
    FirstChar: 0,
    LastChar: 255,
    Widths: Array(256).fill(50),
    ...(hyphen === undefined
      ? {}
      : { ToUnicode: context.register(context.stream(`1 beginbfchar <2d> <${hyphen}> endbfchar`)) }),
  });
  page.node.setFontDictionary(PDFName.of("T3"), context.register(font));
  const shown = lines.map((line) => `<${Buffer.from(line, "latin1").toString("hex")}> Tj 0 -9 Td`).join("\n");
  page.node.set(PDFName.of("Contents"), context.register(context.stream(`BT /T3 10 Tf 60 700 Td\n${shown}\nET`)));
  return document.save();
}

const textOf = async (lines: readonly string[], hyphen?: string) => {
  const { blocks, warnings } = await parseDocument(sourceFile("a.pdf", await typeThreePdf(lines, hyphen)));
  return { texts: blocks.map(({ text }) => text), warnings };
};

test("text in a font whose box is empty has a size, and needs no text recognition", async () => {
  expect(await textOf(["The lamps burn oil.", "The boats come in."])).toEqual({
    texts: ["The lamps burn oil. The boats come in."],
    warnings: [],
  });
});

const REST = "which have none of them, as most words of a page do, so that they are text.";

test.each([
  ["T1", ["The \x1crst o\x1ece \x10burns\x11 oil \x15 at \x1dood", "and a\x1bords \x1fuent words,", REST]],
  ["OT1", ['The \x0crst o\x0ece \\burns" oil { at \x0dood', "and a\x0bords \x0fuent words,", REST]],
])("ligatures, quotation marks and dashes of TeX's encoding %s", async (_, lines) => {
  const { texts } = await textOf(lines);
  expect(texts).toEqual([`The first office “burns” oil – at flood and affords ffluent words, ${REST}`]);
});

test("control characters that are much of a text are none of TeX's", async () => {
  const { texts } = await textOf(["\x1c\x1d\x1e a \x1c\x1d\x1e\x1b\x1c"]);
  expect(texts.join("")).not.toMatch(/f[fil]/);
});

test.each([
  ["a soft hyphen", "00ad"],
  ["three characters", "002d00ad2010"],
])("a hyphen that the file maps to %s is one", async (_, hyphen) => {
  const { texts } = await textOf(["turn -1 and set --all of the eight-", "bit words and the COVID-", "19 --"], hyphen);
  expect(texts).toEqual(["turn -1 and set --all of the eightbit words and the COVID-19 --"]);
});

test("control characters in other fonts are white space", async () => {
  const document = await PDFDocument.create();
  const page = document.addPage([595, 842]);
  const { context } = document;
  const font = context.obj({
    Type: "Font",
    Subtype: "Type1",
    BaseFont: "Helvetica",
    ToUnicode: context.register(context.stream("1 beginbfrange <00> <7f> <0000> endbfrange")),
  });
  page.node.setFontDictionary(PDFName.of("F"), context.register(font));
  const text = 'The keeper says "trim the {lamps}" and then the next\rline of the book, or\u001bthe last one.';
  const shown = Buffer.from(text, "latin1").toString("hex");
  page.node.set(PDFName.of("Contents"), context.register(context.stream(`BT /F 10 Tf 60 700 Td <${shown}> Tj ET`)));
  const { blocks } = await parseDocument(sourceFile("a.pdf", await document.save()));
  expect(blocks[0]!.text).toMatch(/^The keeper says "trim the \{lamps\}" and then the next ?line of the book/);
  expect(blocks[0]!.text).not.toMatch(/f[fl]/);
});
