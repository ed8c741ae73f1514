import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PDFDocument, PDFName, type PDFRef, PDFString, StandardFonts } from "pdf-lib";
import type { PDFDocumentProxy } from "pdfjs-dist";
import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { readDrawing } from "#dist/parsers/pdf/page/page-drawing.js";
import { loadPdfjsWithWorker } from "#dist/parsers/pdf/pdfjs/load-pdfjs.js";
import { openPdf } from "#dist/parsers/pdf/pdfjs/open-pdf.js";
import { createTextWorker } from "#dist/parsers/pdf/pdfjs/text-worker.js";
import { pageInk } from "#dist/parsers/pdf/scans/page-ink.js";
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
  const content = context.flateStream(
    "BT /F1 12 Tf 20 100 Td (ABC word of text) Tj 0 -20 Td (SECOND line) Tj ET 20 50 m 300 50 l S",
  );
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
    const page = await document.getPage(1);
    const { items, styles } = await page.getTextContent({ disableNormalization: true });
    const { rules } = await readDrawing(await page.getOperatorList(), page.getViewport({ scale: 1 }).transform);
    await close();
    expect(rules).toEqual([{ isHorizontal: true, at: 150, from: 20, to: 300 }]);
    const expected = await plainItems(bytes);
    expect(expected.length).toBeGreaterThan(1);
    expect(items.map((item) => ({ ...item, fontName: null }))).toEqual(expected);
    expect(Object.values(styles)).toEqual([expect.objectContaining({ name: "ABCDEF+Some-Bold" })]);
  });
});

/** A page with whatever moves, scales, turns or repeats text, and with drawings in all colour spaces. */
const RICH_CONTENT = `q 0.9 0 0 0.9 10 10 cm
BT /F1 12 Tf 20 350 Td (First line of text) Tj /F2 9 Tf ( in another font) Tj /F1 12 Tf 3 Ts (2) Tj 0 Ts ( and on) Tj
80 Tz 0 -20 Td (Narrow letters) Tj 100 Tz 2 Tc 0 -20 Td (Spaced letters) Tj 0 Tc 5 Tw T* (Spaced words here) Tj 0 Tw
14 TL T* [(K) 120 (erned) -400 (wor) -20 (ds)] TJ (Quoted) ' 1 0.5 (Double quoted) "
ET Q
q 1 0 0 1 5 5 cm BT /F1 10 Tf 0 1 -1 0 300 100 Tm (Turned upwards) Tj 0.7 0.7 -0.7 0.7 200 150 Tm (Slanted) Tj ET
q 2 0 0 2 0 0 cm BT /F2 6 Tf 10 40 Td (Enlarged) Tj ET Q Q
/Span << /MCID 0 >> BDC BT /F1 8 Tf 10 20 Td (Marked content) Tj ET EMC
/Form Do
0.5 g 10 10 100 20 re f 1 0 0 rg 10 40 100 20 re f* 0 1 1 0 k 10 70 100 20 re B
/DeviceRGB cs 0 0 1 sc 150 10 m 250 10 l 250 60 l h f 1 1 1 RG 2 w 150 100 m 350 100 l S
q 50 0 0 40 300 20 cm BI /W 4 /H 4 /CS /G /BPC 8 ID abcdefghijklmnop EI Q
20 200 6 6 re f 0 0 400 400 re W n 10 300 200 1 re f
${Array.from({ length: 600 }, (_, i) => `BT /F${(i % 2) + 1} 4 Tf ${(i % 20) * 20} ${Math.floor(i / 20) * 12} Td (w${i}) Tj ET`).join("\n")}`;

async function makeRichPdf(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const page = document.addPage([400, 400]);
  const { context } = document;
  for (const [name, font] of [
    ["F1", StandardFonts.Helvetica],
    ["F2", StandardFonts.TimesRomanBold],
  ] as const)
    page.node.setFontDictionary(PDFName.of(name), (await document.embedFont(font)).ref);
  const form = context.flateStream("0 0 1 rg 0 0 30 30 re f 5 5 m 60 5 l S", {
    Type: "XObject",
    Subtype: "Form",
    BBox: [0, 0, 100, 100],
    Matrix: [1, 0, 0, 1, 250, 250],
  });
  page.node.setXObject(PDFName.of("Form"), context.register(form));
  page.node.set(PDFName.of("Contents"), context.register(context.flateStream(RICH_CONTENT)));
  const uri = context.obj({ Type: "Action", S: "URI", URI: PDFString.of("https://example.com/") });
  const link = context.obj({ Type: "Annot", Subtype: "Link", Rect: [20, 300, 120, 330], Border: [0, 0, 0], A: uri });
  page.node.set(PDFName.of("Annots"), context.obj([context.register(link)]));
  return document.save({ useObjectStreams: false });
}

test("text, drawing, images and links of a page are those that the library's own worker reads", async () => {
  const bytes = await makeRichPdf();
  const read = async (document: PDFDocumentProxy) => {
    const page = await document.getPage(1);
    const { items } = await page.getTextContent({ disableNormalization: true, includeMarkedContent: true });
    const drawing = await readDrawing(await page.getOperatorList(), page.getViewport({ scale: 1 }).transform);
    const links = (await page.getAnnotations()).map(({ url, rect }) => ({ url, rect }));
    return { items: items.map((item) => ({ ...item, fontName: null })), drawing, links, ink: await pageInk(page) };
  };
  const { document, close } = await openPdf("a.pdf", bytes);
  const result = await read(document);
  await close();
  const pdfjs = await loadPdfjsWithWorker();
  const task = pdfjs.getDocument({ data: new Uint8Array(bytes), verbosity: 0 });
  const expected = await read(await task.promise);
  await task.destroy();
  expect(expected.items.length).toBeGreaterThan(1200);
  expect(expected.drawing.fills.length).toBeGreaterThan(3);
  expect(expected.drawing.rules.length).toBeGreaterThan(3);
  expect(expected.drawing.dots.length).toBe(1);
  expect(expected.ink).toEqual({ imageShare: 2000 / 160_000, isBare: false, mayHaveOutlines: false });
  expect(expected.links).toEqual([expect.objectContaining({ url: "https://example.com/" })]);
  expect(result).toEqual(expected);
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

test("a document whose bookmarks are nested too deeply is read without them", async () => {
  const document = await PDFDocument.create();
  document.addPage([300, 300]).drawText("The text of the page.", { x: 30, y: 150 });
  const { context, catalog } = document;
  const refs = Array.from({ length: 3000 }, () => context.nextRef());
  for (const [i, ref] of refs.entries()) {
    const child = refs[i + 1];
    const kind = i === 0 ? { Type: "Outlines" } : { Title: PDFString.of("t"), Parent: refs[i - 1]! };
    context.assign(ref, context.obj({ ...kind, ...(child && { First: child, Last: child }) }));
  }
  catalog.set(PDFName.of("Outlines"), refs[0]!);
  const { blocks } = await parseDocument(sourceFile("a.pdf", await document.save({ useObjectStreams: false })));
  expect(blocks.map(({ text }) => text)).toEqual(["The text of the page."]);
});
