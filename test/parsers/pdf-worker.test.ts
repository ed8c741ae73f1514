import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PDFDocument, PDFName, type PDFRef, StandardFonts } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { loadPdfjsWithWorker } from "#dist/parsers/pdf/load-pdfjs.js";
import { openPdf } from "#dist/parsers/pdf/open-pdf.js";
import { createTextWorker } from "#dist/parsers/pdf/text-worker.js";
import { sourceFile } from "../support/make-files.js";

const FONTS = join(dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json")), "standard_fonts");

/** What a font of the document says of its letters, beside the font's own file. */
type Encoding = "WinAnsiEncoding" | "ToUnicode" | "Differences" | "nothing";

const TO_UNICODE = `/CIDInit /ProcSet findresource begin begincmap
1 begincodespacerange <00> <ff> endcodespacerange
1 beginbfrange <41> <5a> <0391> endbfrange
endcmap end`;

/** A PDF with one line in a font that it embeds. */
async function makePdfWithFont(file: string, encoding: Encoding): Promise<Uint8Array> {
  const isTrueType = file.endsWith(".ttf");
  const document = await PDFDocument.create();
  const page = document.addPage([400, 200]);
  const { context } = document;
  const key = isTrueType ? "FontFile2" : "FontFile3";
  const bytes = await readFile(join(FONTS, file));
  const descriptor = {
    Type: "FontDescriptor",
    FontName: "ABCDEF+Some-Bold",
    Flags: encoding === "nothing" ? 4 : 32,
    FontBBox: [0, 0, 1000, 1000],
    ItalicAngle: 0,
    Ascent: 800,
    Descent: -200,
    CapHeight: 700,
    StemV: 80,
    [key]: context.register(context.flateStream(bytes, isTrueType ? {} : { Subtype: "Type1C" })),
  };
  const encodings: Readonly<Record<Encoding, object>> = {
    WinAnsiEncoding: { Encoding: "WinAnsiEncoding" },
    ToUnicode: { ToUnicode: context.register(context.flateStream(TO_UNICODE)) },
    Differences: { Encoding: context.obj({ Type: "Encoding", Differences: [65, PDFName.of("B"), PDFName.of("C")] }) },
    nothing: {},
  };
  const font = context.obj({
    Type: "Font",
    Subtype: isTrueType ? "TrueType" : "Type1",
    BaseFont: "ABCDEF+Some-Bold",
    FirstChar: 32,
    LastChar: 126,
    Widths: Array.from({ length: 95 }, (_, i) => 500 + i),
    FontDescriptor: context.register(context.obj(descriptor)),
    ...encodings[encoding],
  });
  page.node.setFontDictionary(PDFName.of("F1"), context.register(font) as PDFRef);
  const content = context.flateStream("BT /F1 12 Tf 20 100 Td (ABC word of text) Tj 0 -20 Td (SECOND line) Tj ET");
  page.node.set(PDFName.of("Contents"), context.register(content));
  return document.save({ useObjectStreams: false });
}

/** The text as the library's own worker reads it. */
async function plainItems(bytes: Uint8Array) {
  const pdfjs = await loadPdfjsWithWorker();
  const task = pdfjs.getDocument({ data: new Uint8Array(bytes), verbosity: 0 });
  const page = await (await task.promise).getPage(1);
  const { items } = await page.getTextContent({ disableNormalization: true });
  await task.destroy();
  return items.map((item) => ({ ...item, fontName: null }));
}

describe("the worker that reads text", () => {
  test("is of the installed version of the library", async () => {
    const worker = await createTextWorker();
    expect(worker).not.toBeNull();
    worker!.destroy();
  });

  test.each(
    ["LiberationSans-Bold.ttf", "FoxitSerif.pfb"].flatMap((file) =>
      (["WinAnsiEncoding", "ToUnicode", "Differences", "nothing"] as const).map(
        (encoding) => [file, encoding] as const,
      ),
    ),
  )("reads %s with %s as the library's own does", async (file, encoding) => {
    const bytes = await makePdfWithFont(file, encoding);
    const { document, close } = await openPdf("a.pdf", bytes);
    const { items, styles } = await (await document.getPage(1)).getTextContent({ disableNormalization: true });
    await close();
    const expected = await plainItems(bytes);
    expect(expected.length).toBeGreaterThan(1);
    expect(items.map((item) => ({ ...item, fontName: null }))).toEqual(expected);
    expect(Object.values(styles)).toEqual([expect.objectContaining({ name: "ABCDEF+Some-Bold" })]);
  });
});

test("a page of nothing but lines has no text to recognise, and no warning", async () => {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  document.addPage([300, 300]).drawText("The one page with text on it.", { x: 30, y: 150, size: 12, font });
  const empty = document.addPage([300, 300]);
  for (const y of [20, 280]) empty.drawLine({ start: { x: 0, y }, end: { x: 300, y } });
  const { blocks, warnings } = await parseDocument(
    sourceFile("a.pdf", await document.save({ useObjectStreams: false })),
    {},
  );
  expect(blocks.map(({ text }) => text)).toEqual(["The one page with text on it."]);
  expect(warnings).toEqual([]);
});
