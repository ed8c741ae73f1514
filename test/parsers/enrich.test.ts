import { KnowledgeBaseError } from "lorebase";
import { PDFDocument, StandardFonts } from "pdf-lib";
import { describe, expect, test } from "vitest";
import type { ModelSession } from "#dist/parsers/enrich/model-session.js";
import { repairTable } from "#dist/parsers/enrich/repair-table.js";
import { parseDocument } from "#dist/parsers/parse-document.js";
import type { Block } from "../../src/interfaces/block.js";
import type { ParseConfig } from "../../src/interfaces/parser.js";
import { type AskedModel, askedModel, pictureOf } from "../support/asked-model.js";
import { makeEpub, makeOdf } from "../support/make-archives.js";
import { makeDocx, makeNotebook, sourceFile, wordParagraph } from "../support/make-files.js";
import { makeOffice } from "../support/make-office.js";
import { encodePicture, makeScan } from "../support/make-pictures.js";

const data = (bytes: Uint8Array) => `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`;
const BRIDGE = askedModel(() => "A bridge over a river.");

function parse(name: string, bytes: Uint8Array | string, { ask }: Pick<AskedModel, "ask">, config: ParseConfig = {}) {
  return parseDocument(sourceFile(name, bytes), { ask, config: { useLlm: true, ...config } });
}

const page = (...pictures: readonly string[]) =>
  `<h1>Works</h1><p>Before the picture.</p>${pictures.join("")}<p>Behind it.</p>`;
const image = (number: number, alt = "") => `<img alt="${alt}" src="${data(pictureOf(number))}">`;

describe("pictures", () => {
  test("are described in captions behind them", async () => {
    const model = askedModel(() => "  A bridge\nover a river. ");
    const { blocks, warnings } = await parse("a.html", page(image(1, "Bridge")), model);
    expect(blocks.map(({ kind, text, origin }) => [kind, text, origin])).toEqual([
      ["heading", "Works", "native"],
      ["paragraph", "Before the picture.", "native"],
      ["image", "Bridge", "native"],
      ["caption", "A bridge over a river.", "model"],
      ["paragraph", "Behind it.", "native"],
    ]);
    expect(blocks[3]!.headingPath).toEqual(["Works"]);
    expect(blocks.some((block) => "readImage" in block)).toBe(false);
    expect(warnings).toEqual([]);
    const [question] = model.questions;
    expect(Buffer.from(question!.pictures[0]!.bytes)).toEqual(Buffer.from(pictureOf(1)));
    expect(question!.text).toContain('It stands under: "Works"');
    expect(question!.text).toContain('Its author says of it: "Bridge"');
    expect(question!.text).toContain('The text before it ends: "Before the picture."');
  });

  test("that say nothing get none, and those without a text of their own leave nothing behind", async () => {
    const { blocks } = await parse(
      "a.html",
      page(image(1)),
      askedModel(() => "NONE."),
    );
    expect(blocks.map(({ kind }) => kind)).toEqual(["heading", "paragraph", "paragraph"]);
  });

  test("are shown once each, and not where they are as small as bullets", async () => {
    const model = askedModel(() => "A bridge.");
    const small = `<img src="${data(pictureOf(9, 16))}">`;
    const { blocks } = await parse("a.html", page(image(1), small, image(1), image(2)), model);
    expect(model.questions).toHaveLength(2);
    expect(blocks.filter(({ origin }) => origin === "model")).toHaveLength(2);
  });

  test("that are large or of a rare format are redrawn as what every model takes", async () => {
    const model = askedModel(() => "Grey.");
    const grey = (side: number) => ({ width: side, height: side, grey: new Uint8Array(side * side).fill(90) });
    const webp = encodePicture(grey(64), "image/webp").toString("base64");
    const large = encodePicture(grey(2000), "image/jpeg").toString("base64");
    const images = [`<img src="data:image/webp;base64,${webp}">`, `<img src="data:image/jpeg;base64,${large}">`];
    await parse("a.html", page(...images), model);
    const sizes = model.questions.map(({ pictures: [picture] }) => {
      const bytes = Buffer.from(picture!.bytes);
      const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
      return [picture!.mimeType, bytes.readUInt16BE(frame + 5), bytes.readUInt16BE(frame + 7)];
    });
    expect(sizes).toEqual([
      ["image/jpeg", 64, 64],
      ["image/jpeg", 1568, 1568],
    ]);
  });

  test("that cannot be shown are told", async () => {
    const metafile = `<img src="data:image/x-emf;base64,${Buffer.alloc(200, 1).toString("base64")}">`;
    const { warnings, blocks } = await parse("a.html", page(metafile), BRIDGE);
    expect(warnings).toEqual(["An image is damaged or in a format that cannot be shown to a language model."]);
    expect(blocks).toHaveLength(3);
  });

  test.each<[ParseConfig]>([[{ disableImageExtraction: true }], [{ disableImageCaptions: true }]])(
    "are not shown with %j",
    async (config) => {
      const model = askedModel(() => "A bridge.");
      await parse("a.html", page(image(1)), model, config);
      await parse("a.docx", docx(), model, config);
      expect(model.questions).toEqual([]);
    },
  );

  test("that stand within a text, a list or a table are described behind it", async () => {
    const within = [
      `<p>See ${image(1)} here.</p>`,
      `<ul><li>One ${image(2)} item</li></ul>`,
      `<table><tr><th>Port</th><th>Quay</th></tr><tr><td>Ayr ${image(3)}</td><td>North</td></tr></table>`,
      `<h2>Quay ${image(4)}</h2>`,
    ];
    let asked = 0;
    const { blocks } = await parse(
      "a.html",
      within.join(""),
      askedModel(() => `Picture ${++asked}.`),
    );
    const kinds = blocks.map(({ kind, origin }) => (origin === "model" ? "described" : kind));
    expect(kinds).toEqual([
      "paragraph",
      "described",
      "list_item",
      "described",
      "table",
      "described",
      "heading",
      "described",
    ]);
  });

  test("that are damaged are not sent", async () => {
    const model = askedModel(() => "A bridge.");
    const cut = Buffer.from(pictureOf(1).subarray(0, 100)).toString("base64");
    const { warnings } = await parse("a.html", page(`<img src="data:image/png;base64,${cut}">`), model);
    expect(model.questions).toEqual([]);
    expect(warnings).toEqual(["An image is damaged or in a format that cannot be shown to a language model."]);
  });

  test.each(["NONE", "NONE.", '"NONE"', "**NONE** - decoration alone"])(
    "answered by %j get no caption",
    async (answer) => {
      const { blocks } = await parse(
        "a.html",
        page(image(1)),
        askedModel(() => answer),
      );
      expect(blocks).toHaveLength(3);
    },
  );

  test.each(["На кнопке написано «None».", "None of the four lamps is lit."])(
    "answered by %j get one",
    async (answer) => {
      const { blocks } = await parse(
        "a.html",
        page(image(1)),
        askedModel(() => `<think>Is it NONE?</think>\n${answer}`),
      );
      expect(blocks.find(({ origin }) => origin === "model")?.text).toBe(answer);
    },
  );

  test("formulas and the language are asked for as the config says", async () => {
    const model = askedModel(() => "x");
    await parse("a.html", page(image(1)), model, { disableOcrMath: true, languageCode: "de" });
    await parse("a.html", page(image(1)), model);
    const [without, withFormulas] = model.questions.map(({ text }) => text);
    expect(without).toContain("Leave formulas out.");
    expect(without).toContain('Write in the language "de".');
    expect(withFormulas).toContain("Write formulas as LaTeX");
  });
});

const docx = () =>
  makeDocx(
    `${wordParagraph("Before.")}<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="p"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="rIdPicture"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`,
    {
      parts: {
        "word/media/image1.png": pictureOf(1),
        "word/_rels/document.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rIdPicture" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/image1.png"/></Relationships>`,
      },
    },
  );

const slidePicture = `<p:pic><p:nvPicPr><p:cNvPr id="3" name="p"/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="rIdPicture"/></p:blipFill></p:pic>`;
const pptx = () =>
  makeOffice(
    {
      "ppt/presentation.xml": `<p:presentation xmlns:p="urn:p" xmlns:r="urn:r"><p:sldIdLst><p:sldId id="1" r:id="rId1"/></p:sldIdLst></p:presentation>`,
      "ppt/slides/slide1.xml": `<p:sld xmlns:p="urn:p" xmlns:a="urn:a" xmlns:r="urn:r"><p:cSld><p:spTree>${slidePicture}</p:spTree></p:cSld></p:sld>`,
      "ppt/media/image1.png": pictureOf(1),
    },
    {
      "": { rId1: ["officeDocument", "ppt/presentation.xml"] },
      "ppt/presentation.xml": { rId1: ["slide", "slides/slide1.xml"] },
      "ppt/slides/slide1.xml": { rIdPicture: ["image", "../media/image1.png"] },
    },
  );

const mail = () =>
  [
    "From: a@example.com",
    "Subject: Works",
    "MIME-Version: 1.0",
    'Content-Type: multipart/related; boundary="x"',
    "",
    "--x",
    "Content-Type: text/html",
    "",
    '<p>See <img src="cid:1"></p>',
    "--x",
    "Content-Type: image/png; name=bridge.png",
    "Content-ID: <1>",
    "Content-Disposition: inline",
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from(pictureOf(1)).toString("base64"),
    "--x--",
  ].join("\r\n");

const base64 = Buffer.from(pictureOf(1)).toString("base64");
const FILES: readonly (readonly [name: string, bytes: () => Uint8Array | string])[] = [
  ["a.docx", docx],
  ["a.pptx", pptx],
  ["a.odt", () => odt("Pictures/1.png")],
  [
    "a.fodt",
    () =>
      `<?xml version="1.0"?><office:document xmlns:office="o" xmlns:text="t" xmlns:draw="d" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>Before.<draw:frame><draw:image><office:binary-data>${base64}</office:binary-data></draw:image></draw:frame></text:p></office:text></office:body></office:document>`,
  ],
  [
    "a.epub",
    () =>
      makeEpub(
        { "text/a.xhtml": `<p>Before.</p><p><img src="../i/1.png" alt=""/></p>` },
        { parts: { "OEBPS/i/1.png": pictureOf(1) } },
      ),
  ],
  [
    "a.fb2",
    () =>
      `<FictionBook xmlns:l="x"><body><section><p>Before.</p><image l:href="#1"/></section></body><binary id="1" content-type="image/png">${base64}</binary></FictionBook>`,
  ],
  ["a.md", () => `Before.\n\n![](${data(pictureOf(1))})`],
  ["a.eml", mail],
  [
    "a.ipynb",
    () =>
      makeNotebook([
        {
          cell_type: "code",
          source: "plot()",
          outputs: [{ output_type: "display_data", data: { "image/png": base64, "text/plain": "<Figure>" } }],
        },
      ]),
  ],
  ["a.png", () => pictureOf(1)],
];

function odt(path: string): Uint8Array {
  const content = `<text:p>Before.<draw:frame><draw:image xlink:href="${path}"/></draw:frame></text:p>`;
  return makeOdf("text", content, { parts: { "Pictures/1.png": pictureOf(1) } });
}

describe("the picture in a file of the kind", () => {
  test.each(FILES)("%s", async (name, bytes) => {
    const model = askedModel(() => "A bridge over a river.");
    const { blocks, warnings } = await parse(name, bytes(), model);
    expect(blocks.find(({ origin }) => origin === "model")).toMatchObject({
      kind: "caption",
      text: "A bridge over a river.",
    });
    expect(Buffer.from(model.questions[0]!.pictures[0]!.bytes)).toEqual(Buffer.from(pictureOf(1)));
    expect(warnings).toEqual([]);
  });

  test("is shown by a message in a message, too", async () => {
    const outer = [
      "Subject: Outer",
      "MIME-Version: 1.0",
      'Content-Type: multipart/mixed; boundary="y"',
      "",
      "--y",
      "Content-Type: message/rfc822",
      "",
      mail(),
      "--y--",
    ].join("\r\n");
    const { blocks } = await parse("a.eml", outer, BRIDGE);
    expect(blocks.filter(({ origin }) => origin === "model")).toHaveLength(1);
  });
});

describe("a PDF", () => {
  async function figures() {
    const pdf = await PDFDocument.create();
    const font = await pdf.embedFont(StandardFonts.Helvetica);
    const sheet = pdf.addPage([595, 842]);
    const write = (text: string, y: number) => sheet.drawText(text, { x: 60, y: 842 - y, size: 11, font });
    write("Before the figure there is a line of text.", 80);
    sheet.drawImage(await pdf.embedPng(pictureOf(1)), { x: 60, y: 842 - 300, width: 200, height: 180 });
    sheet.drawImage(await pdf.embedPng(pictureOf(2)), { x: 500, y: 800, width: 10, height: 10 });
    write("Below the figure there is another line of text.", 340);
    return pdf.save();
  }

  test("has its figures described where they stand", async () => {
    const model = askedModel(() => "A bridge over a river.");
    const { blocks, warnings } = await parse("a.pdf", await figures(), model);
    expect(blocks.map(({ text }) => text)).toEqual([
      "Before the figure there is a line of text.",
      "A bridge over a river.",
      "Below the figure there is another line of text.",
    ]);
    expect(blocks[1]).toMatchObject({ kind: "caption", origin: "model", page: 1, bbox: [60, 120, 260, 300] });
    expect(warnings).toEqual([]);
    expect(model.questions).toHaveLength(1);
    expect(model.questions[0]!.pictures[0]!.mimeType).toBe("image/jpeg");
  });

  test("has its figures described on a ground that covers the page, too", async () => {
    const pdf = await PDFDocument.create();
    const sheet = pdf.addPage([400, 300]);
    sheet.drawImage(await pdf.embedPng(pictureOf(9)), { x: 0, y: 0, width: 400, height: 300 });
    for (const [number, x] of [40, 220].entries())
      sheet.drawImage(await pdf.embedPng(pictureOf(number)), { x, y: 80, width: 120, height: 120 });
    sheet.drawText("A slide with two figures on a ground.", { x: 40, y: 250, size: 12 });
    const model = askedModel(({ text }) => text.slice(0, 8));
    const { blocks } = await parse("a.pdf", await pdf.save(), model, { mode: "fast" });
    expect(blocks.filter(({ origin }) => origin === "model").map(({ bbox }) => bbox)).toEqual([
      [40, 100, 160, 220],
      [220, 100, 340, 220],
    ]);
  });

  test("that was scanned is read, and not described page by page", async () => {
    const model = askedModel(() => "x");
    const scan = await makeScan([{ width: 1240, height: 400, grey: new Uint8Array(1240 * 400).fill(255) }]);
    await parse("a.pdf", scan, model);
    expect(model.questions).toEqual([]);
  });

  async function table(cells: readonly (readonly string[])[]) {
    const pdf = await PDFDocument.create();
    const font = await pdf.embedFont(StandardFonts.Helvetica);
    const sheet = pdf.addPage([595, 842]);
    for (const [row, texts] of cells.entries()) {
      for (const [column, text] of texts.entries())
        sheet.drawText(text, { x: 60 + column * 150, y: 742 - row * 16, size: 11, font });
    }
    return pdf.save();
  }
  const CELLS = [
    ["Port", "Depth", "Lights"],
    ["Ayr", "4 m", "2"],
    ["Bude", "3 m", "1"],
    ["Cork", "11 m", "6"],
  ];
  const ANSWER =
    "```markdown\n| Port | Depth | | Lights |\n|---|---|---|---|\n| Ayr | 4 | m | 2 |\n| Bude | 3 | m | 1 |\n| Cork | 11 | m | 6 |\n```";

  test("keeps a table that goes on over a page, of which a model sees one", async () => {
    const rows = { header: ["Port", "Depth"], rows: [["Ayr", "4 m"]] };
    const bbox = [0, 0, 10, 10] as const;
    const block: Block = {
      kind: "table",
      text: "Port Depth",
      headingPath: [],
      origin: "native",
      table: rows,
      bbox,
      continues: [{ page: 2, bbox, from: 5 }],
    };
    const session = { ask: () => expect.unreachable("the model was asked") } as unknown as ModelSession;
    expect(await repairTable(block, session)).toBe(block);
  });

  test("has the words of a table moved where a model sees them", async () => {
    const { blocks, warnings } = await parse(
      "a.pdf",
      await table(CELLS),
      askedModel(() => ANSWER),
    );
    expect(blocks.find(({ kind }) => kind === "table")?.table).toEqual({
      header: ["Port", "Depth", "", "Lights"],
      rows: [
        ["Ayr", "4", "m", "2"],
        ["Bude", "3", "m", "1"],
        ["Cork", "11", "m", "6"],
      ],
    });
    expect(blocks.find(({ kind }) => kind === "table")?.text).toContain("| Port | Depth |  | Lights |");
    expect(warnings).toEqual([]);
  });

  test.each([
    ["another number", ANSWER.replace("| 6 |", "| 9 |")],
    ["a word more", ANSWER.replace("| 6 |", "| 6 big |")],
    ["a word less", ANSWER.replace("| 6 |", "| |")],
    ["no table", "I cannot see a table."],
  ])("keeps its table where the answer has %s", async (_, answer) => {
    const plain = await parseDocument(sourceFile("a.pdf", await table(CELLS)));
    const { blocks, warnings } = await parse(
      "a.pdf",
      await table(CELLS),
      askedModel(() => answer),
    );
    expect(blocks).toEqual(plain.blocks);
    expect(warnings).toEqual([
      "A table was kept as read because the language model's version changes words or their order.",
    ]);
  });
});

describe("a language model", () => {
  const pictures = (count: number) => page(...Array.from({ length: count }, (_, i) => image(i)));

  test("that is not there is told", async () => {
    const parsed = await parseDocument(sourceFile("a.html", page(image(1))), { config: { useLlm: true } });
    expect(parsed.warnings).toEqual(["useLlm has no effect: no language model is configured."]);
  });

  test("is not asked without useLlm", async () => {
    const model = askedModel(() => "x");
    await parse("a.html", page(image(1)), model, { useLlm: false });
    expect(model.questions).toEqual([]);
  });

  test("that refuses everything is asked a few times only, with its reason in a warning", async () => {
    const model = askedModel(() => new KnowledgeBaseError("provider_failed", "it sees no pictures"));
    const { warnings } = await parse("a.html", pictures(20), model);
    expect(model.questions.length).toBeLessThanOrEqual(8);
    expect(warnings).toEqual([
      "The language model did not answer 20 questions about images and tables: it sees no pictures",
    ]);
  });

  test("that withholds some answers, or breaks them off, costs these alone", async () => {
    let asked = 0;
    const model = askedModel(() => {
      asked++;
      if (asked === 2) return { text: "A br", finish: "length" };
      return asked === 3 ? { text: "", finish: "content-filter" } : "A bridge.";
    });
    const { warnings, blocks } = await parse("a.html", pictures(8), model);
    expect(blocks.filter(({ origin }) => origin === "model").map(({ text }) => text)).toEqual(
      Array(6).fill("A bridge."),
    );
    expect(warnings).toEqual([
      "The language model did not answer 2 questions about images and tables: the answer is longer than 8000 tokens",
    ]);
  });

  test("that is busy fails the parsing, so that it is tried again", async () => {
    const busy = new KnowledgeBaseError("provider_failed", "busy", { retryable: true });
    await expect(
      parse(
        "a.html",
        page(image(1)),
        askedModel(() => busy),
      ),
    ).rejects.toBe(busy);
  });

  test("is asked no more than 200 questions about a document, and the rest is told", async () => {
    const model = askedModel(() => "A bridge.");
    const { warnings } = await parse("a.html", pictures(203), model);
    expect(model.questions).toHaveLength(200);
    expect(warnings).toEqual([
      "The language model was asked 200 questions about images and tables; 3 more were not asked.",
    ]);
  });
});
