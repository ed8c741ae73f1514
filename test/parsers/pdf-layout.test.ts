import { degrees, PDFDocument, type PDFFont, type PDFPage, PDFString, StandardFonts } from "pdf-lib";
import { expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { LINE_HYPHEN, LineHyphens } from "#dist/parsers/pdf/text/line-hyphens.js";
import type { PageText } from "../../src/parsers/pdf/page/page-model.js";
import { makePdf, pdfLines, sourceFile } from "../support/make-files.js";

/** A document of one A4 page that a function draws, with places measured from the top. */
async function drawn(
  draw: (page: PDFPage, text: (text: string, x: number, y: number, size?: number) => void, font: PDFFont) => void,
) {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const page = document.addPage([595, 842]);
  draw(page, (text, x, y, size = 10) => page.drawText(text, { x, y: 842 - y, size, font }), font);
  return parsed(document);
}

async function parsed(document: PDFDocument) {
  return parseDocument(sourceFile("a.pdf", await document.save()));
}

test("a table with rules keeps the lines of its cells together, and repeats a cell that spans columns", async () => {
  const { blocks } = await drawn((page, text) => {
    const line = (x: number, y: number, u: number, v: number) =>
      page.drawLine({ start: { x, y: 842 - y }, end: { x: u, y: 842 - v } });
    for (const y of [100, 120, 140, 180, 200]) line(50, y, 450, y);
    for (const x of [50, 150, 450]) line(x, 100, x, 200);
    line(350, 120, 350, 200);
    text("Region", 55, 114);
    text("Figures of the year", 240, 114);
    text("Name", 55, 134);
    text("What it is", 155, 134);
    text("Count", 355, 134);
    text("North", 55, 152);
    text("Something that is wrapped over", 155, 152);
    text("more than one line of the de-", 155, 163);
    text("scription", 155, 174);
    text("12", 355, 152);
    text("South", 55, 194);
    text("Short", 155, 194);
    text("7", 355, 194);
    text("Below the table a paragraph follows.", 50, 240);
  });
  expect(blocks.map(({ kind, bbox }) => ({ kind, bbox }))).toMatchObject([
    { kind: "table", bbox: [50, 100, 450, 200] },
    { kind: "paragraph" },
  ]);
  expect(blocks[0]!.table).toEqual({
    header: ["Region", "Figures of the year", "Figures of the year"],
    rows: [
      ["Name", "What it is", "Count"],
      ["North", "Something that is wrapped over more than one line of the description", "12"],
      ["South", "Short", "7"],
    ],
    spans: [{ row: 0, column: 1, rows: 1, columns: 2 }],
  });
});

test("places are measured from the upper left corner of the page as it is shown", async () => {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const turned = document.addPage([842, 595]);
  turned.setRotation(degrees(90));
  turned.drawText("Turned with its page", { x: 60, y: 40, size: 10, font, rotate: degrees(90) });
  const cropped = document.addPage([595, 842]);
  cropped.setCropBox(100, 100, 300, 400);
  cropped.drawText("Within the crop box", { x: 120, y: 480, size: 10, font });
  const boxes = (await parsed(document)).blocks.map(({ bbox }) => bbox!.map(Math.round));
  expect(boxes[0]!.toSpliced(2, 1)).toEqual([40, 52, 62]);
  expect(boxes[0]![2]! - 40).toBeCloseTo(font.widthOfTextAtSize("Turned with its page", 10), -1);
  expect(boxes[1]!.slice(0, 2)).toEqual([20, 12]);
});

test("text that runs up the page has its place there", async () => {
  const { blocks } = await drawn((page, text, font) => {
    text("The text of the page runs to the right as it does everywhere.", 50, 100);
    page.drawText("arXiv stamp", { x: 30, y: 400, size: 10, font, rotate: degrees(90) });
  });
  const [left, top, right, bottom] = blocks.find(({ text }) => text === "arXiv stamp")!.bbox!;
  expect([left, right, bottom].map(Math.round)).toEqual([22, 32, 442]);
  expect(top).toBeLessThan(392);
});

test("links, values of fields and notes are read", async () => {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.TimesRoman);
  const page = document.addPage([595, 842]);
  const draw = (text: string, y: number) => page.drawText(text, { x: 50, y, size: 10, font });
  draw("Name:", 700);
  const field = document.getForm().createTextField("name");
  field.setText("Ada Lovelace");
  field.addToPage(page, { x: 90, y: 699, width: 200, height: 16 });
  draw("See the project page for details of it.", 620);
  const at = (text: string) => 50 + font.widthOfTextAtSize(text, 10);
  const annotation = (fields: object) =>
    page.node.addAnnot(document.context.register(document.context.obj({ Type: "Annot", ...fields })));
  annotation({
    Subtype: "Link",
    Rect: [at("See the "), 616, at("See the project page"), 630],
    A: { S: "URI", URI: PDFString.of("https://example.org/a(b)") },
  });
  annotation({ Subtype: "Text", Rect: [300, 600, 320, 620], Contents: PDFString.of("Check this") });
  const { blocks } = await parsed(document);
  expect(blocks.map(({ kind, text }) => [kind, text])).toEqual([
    ["paragraph", "Name: Ada Lovelace"],
    ["paragraph", "See the [project page](https://example.org/a%28b%29) for details of it."],
    ["note", "Check this"],
  ]);
});

test("raised digits stay apart, and a drop cap opens its paragraph", async () => {
  const { blocks } = await drawn((_, text, font) => {
    text("An area of 12 m", 50, 100);
    text("2", 50 + font.widthOfTextAtSize("An area of 12 m", 10), 96, 6);
    text("O", 50, 230, 40);
    const beside = [
      "nce upon a time there was a document",
      "with a letter that was three lines high,",
      "and it was read.",
    ];
    for (const [i, line] of beside.entries()) text(line, 84, 206 + i * 12);
  });
  expect(blocks.map(({ text }) => text)).toEqual([
    "An area of 12 m²",
    "Once upon a time there was a document with a letter that was three lines high, and it was read.",
  ]);
});

test("columns are read band by band where the page is blank from edge to edge", async () => {
  const block = (name: string, y: number) => [
    ...pdfLines(
      Array.from({ length: 6 }, (_, i) => `left ${name} line ${i} with words up to the edge`),
      50,
      y,
    ),
    ...pdfLines(
      Array.from({ length: 6 }, (_, i) => `right ${name} line ${i} with words up to the edge`),
      310,
      y,
    ),
  ];
  const pdf = await makePdf([[...block("upper", 100), ...block("lower", 300)]]);
  const text = (await parseDocument(sourceFile("a.pdf", pdf))).blocks.map((block) => block.text).join("\n");
  const order = ["left upper line 0", "right upper line 5", "left lower line 0", "right lower line 0"].map((line) =>
    text.indexOf(line),
  );
  expect(order).toEqual([...order].sort((a, b) => a - b));
});

test("a file whose end marker is missing is read", async () => {
  const pdf = Buffer.from(await makePdf([pdfLines(["All of it is there."], 50, 100)]));
  const { blocks } = await parseDocument(sourceFile("a.pdf", pdf.subarray(0, pdf.lastIndexOf("%%EOF"))));
  expect(blocks.map(({ text }) => text)).toEqual(["All of it is there."]);
});

test("reading a PDF leaves the natives of the process as they were", async () => {
  const natives = [Array.prototype.push, JSON.parse, JSON.stringify];
  await parseDocument(sourceFile("a.pdf", await makePdf([pdfLines(["Text"], 50, 100)])));
  expect([Array.prototype.push, JSON.parse, JSON.stringify]).toEqual(natives);
});

/** A tagged PDF: content is named by its number, and elements name the content that they are made of. */
function makeTaggedPdf(content: string, elements: readonly string[], parents: string): Uint8Array {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 6 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /StructParents 0 /Resources << /Font << /F 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    `<< /Type /StructTreeRoot /K 8 0 R /ParentTree 7 0 R >>`,
    `<< /Nums [0 [${parents}]] >>`,
    ...elements,
  ];
  const body = objects.map((object, i) => `${i + 1} 0 obj\n${object}\nendobj\n`).join("");
  return Buffer.from(`%PDF-1.7\n${body}trailer\n<< /Root 1 0 R /Size ${objects.length + 1} >>\nstartxref\n0\n%%EOF`);
}

test("tags give headings and the cells of tables", async () => {
  const at = (id: number, x: number, y: number, text: string, tag = "P") =>
    `/${tag} << /MCID ${id} >> BDC BT /F 10 Tf ${x} ${y} Td (${text}) Tj ET EMC`;
  const content = [
    at(0, 50, 780, "about our stores", "H2"),
    at(1, 50, 760, "A paragraph in the same font and size as the title above it has.", "P"),
    at(2, 50, 720, "Place", "TH"),
    at(3, 200, 720, "What is there", "TH"),
    at(4, 50, 700, "Harbour", "TD"),
    at(5, 200, 700, "Lanterns, ropes and a", "TD"),
    at(6, 200, 688, "good many nets", "TD"),
  ].join("\n");
  const element = (role: string, parent: number, kids: string) =>
    `<< /Type /StructElem /S /${role} /P ${parent} 0 R /Pg 3 0 R /K [${kids}] >>`;
  const elements = [
    element("Document", 6, "9 0 R 10 0 R 11 0 R"),
    element("H2", 8, "0"),
    element("P", 8, "1"),
    element("Table", 8, "12 0 R 13 0 R"),
    element("TR", 11, "14 0 R 15 0 R"),
    element("TR", 11, "16 0 R 17 0 R"),
    element("TH", 12, "2"),
    element("TH", 12, "3"),
    element("TD", 13, "4"),
    element("TD", 13, "5 6"),
  ];
  const parents = "9 0 R 10 0 R 14 0 R 15 0 R 16 0 R 17 0 R 17 0 R";
  const { blocks } = await parseDocument(sourceFile("a.pdf", makeTaggedPdf(content, elements, parents)));
  expect(blocks.map(({ kind, level, text }) => ({ kind, level, text }))).toMatchObject([
    { kind: "heading", level: 2, text: "about our stores" },
    { kind: "paragraph" },
    { kind: "table" },
  ]);
  expect(blocks[2]!.table).toEqual({
    header: ["Place", "What is there"],
    rows: [["Harbour", "Lanterns, ropes and a good many nets"]],
  });
});

test("tags say which cells span rows and columns", async () => {
  const at = (id: number, x: number, y: number, text: string) =>
    `/TD << /MCID ${id} >> BDC BT /F 10 Tf ${x} ${y} Td (${text}) Tj ET EMC`;
  const content = [
    at(0, 50, 710, "Region"),
    at(1, 150, 720, "Revenue"),
    at(2, 150, 700, "2022"),
    at(3, 250, 700, "2023"),
    at(4, 50, 680, "North"),
    at(5, 150, 680, "120"),
    at(6, 250, 680, "131"),
  ].join("\n");
  const element = (role: string, parent: number, kids: string, attributes = "") =>
    `<< /Type /StructElem /S /${role} /P ${parent} 0 R /Pg 3 0 R /K [${kids}] ${attributes} >>`;
  const elements = [
    element("Table", 6, "9 0 R 10 0 R 11 0 R"),
    element("TR", 8, "12 0 R 13 0 R"),
    element("TR", 8, "14 0 R 15 0 R"),
    element("TR", 8, "16 0 R 17 0 R 18 0 R"),
    element("TH", 9, "0", "/A << /O /Table /RowSpan 2 >>"),
    element("TH", 9, "1", "/A [<< /O /Layout /Height 20 >> << /O /Table /ColSpan 2 >>]"),
    element("TH", 10, "2"),
    element("TH", 10, "3"),
    element("TD", 11, "4"),
    element("TD", 11, "5"),
    element("TD", 11, "6"),
  ];
  const parents = [12, 13, 14, 15, 16, 17, 18].map((object) => `${object} 0 R`).join(" ");
  const { blocks } = await parseDocument(sourceFile("a.pdf", makeTaggedPdf(content, elements, parents)));
  expect(blocks[0]!.table).toEqual({
    header: ["Region", "Revenue / 2022", "Revenue / 2023"],
    headerRows: [
      ["Region", "Revenue", "Revenue"],
      ["Region", "2022", "2023"],
    ],
    rows: [["North", "120", "131"]],
    spans: [
      { row: 0, column: 0, rows: 2, columns: 1 },
      { row: 0, column: 1, rows: 1, columns: 2 },
    ],
  });
});

/** A document with a tagged table: for each cell its text, its place and its attributes. */
function makeTaggedTable(
  rows: readonly (readonly (readonly [text: string, x: number, y: number, attributes?: string])[])[],
): Uint8Array {
  const cells = rows.flatMap((row, index) => row.map((cell) => ({ cell, index })));
  const content = cells.map(
    ({ cell: [text, x, y] }, id) => `/TD << /MCID ${id} >> BDC BT /F 10 Tf ${x} ${y} Td (${text}) Tj ET EMC`,
  );
  const element = (role: string, parent: number, kids: readonly (number | string)[], attributes = "") =>
    `<< /Type /StructElem /S /${role} /P ${parent} 0 R /Pg 3 0 R /K [${kids.join(" ")}] ${attributes} >>`;
  const firstCell = 9 + rows.length;
  const references = cells.map((_, id) => `${firstCell + id} 0 R`);
  const kidsOf = (row: number) => references.filter((_, id) => cells[id]!.index === row);
  const elements = [
    element(
      "Table",
      6,
      [...rows.keys()].map((row) => `${9 + row} 0 R`),
    ),
    ...rows.map((_, row) => element("TR", 8, kidsOf(row))),
    ...cells.map(({ cell, index }, id) => element("TD", 9 + index, [id], cell[3])),
  ];
  return makeTaggedPdf(content.join("\n"), elements, references.join(" "));
}

test("a cell that spans rows doesn't belong to the place of the first", async () => {
  const file = makeTaggedTable([
    [
      ["Coast", 50, 720],
      ["Lamp", 150, 720],
    ],
    [
      ["North", 50, 693, "/A << /O /Table /RowSpan 2 >>"],
      ["Gull Rock", 150, 700],
    ],
    [["Old Mole", 150, 686]],
  ]);
  const { blocks } = await parseDocument(sourceFile("a.pdf", file));
  const [, first, second] = blocks[0]!.rowBoxes!.map(({ bbox }) => bbox);
  expect(blocks[0]!.table?.spans).toEqual([{ row: 1, column: 0, rows: 2, columns: 1 }]);
  expect(first![3]).toBeLessThan(second![1]);
});

test("a cell of a tagged table is repeated within limits", async () => {
  const wide = ["a long text ".repeat(80), 50, 720, "/A << /O /Table /RowSpan 200 /ColSpan 200 >>"] as const;
  const rows = Array.from({ length: 60 }, (_, row) => [["text", 150, 700 - 11 * row]] as const);
  const file = makeTaggedTable([[wide, ["text", 150, 720]], ...rows]);
  const { blocks } = await parseDocument(sourceFile("a.pdf", file));
  expect(blocks[0]!.table?.rows).toHaveLength(60);
  expect(blocks[0]!.text.length).toBeLessThan(1_000_000);
});

test.each([
  ["a fisheries-independent survey", "the fisheries-|independent data", "the fisheries-independent data"],
  ["surveys that are fisheries and independent", "new fisheries-|independent data", "new fisheries-independent data"],
  ["nothing of the kind", "a community-|based survey", "a community-based survey"],
  ["nothing of the kind", "a state-of-|the-art survey", "a state-of-the-art survey"],
  ["nothing of the kind", "short-|and long-term surveys", "short- and long-term surveys"],
  ["nothing of the kind", "after COVID-|19 began", "after COVID-19 began"],
  ["nothing of the kind", "the descrip-|tion of lamps", "the description of lamps"],
  ["the name and a description of lamps", "the descrip-|tion of lamps", "the description of lamps"],
  ["we under stand and stand under", "they under-|stand lamps", "they understand lamps"],
  ["nothing of the kind", "an inter-|related set of lamps", "an interrelated set of lamps"],
])("in a document with %j, %j is read as %j", async (elsewhere, lines, expected) => {
  const { blocks } = await drawn((_, text) => {
    text(`On a page with ${elsewhere} we say little.`, 60, 80);
    for (const [i, line] of lines.split("|").entries()) text(line, 60, 120 + 12 * i);
  });
  expect(blocks.at(-1)!.text).toBe(expected);
});

test("a long text without spaces is read once to decide about its hyphens", () => {
  const letters = "灯".repeat(60_000);
  const main = { segments: [{ text: letters }, { text: "A self-made" }] };
  const hyphens = new LineHyphens([{ main }] as unknown as readonly PageText[]);
  expect(hyphens.resolve(`${letters} self${LINE_HYPHEN}made`)).toBe(`${letters} self-made`);
});
