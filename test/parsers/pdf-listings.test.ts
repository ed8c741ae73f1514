import { PDFDocument, rgb, StandardFonts } from "pdf-lib";
import { expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { sourceFile } from "../support/make-files.js";

interface PlacedLine {
  readonly text: string;
  readonly x?: number;
  /** From the top of the page. */
  readonly y: number;
  readonly font?: "prose" | "code" | "bold";
  /** @default 10 */
  readonly size?: number;
}

/** The blocks of pages with lines in Helvetica or Courier. */
async function blocksOf(pages: readonly (readonly PlacedLine[])[], { isFramed = false } = {}) {
  const document = await PDFDocument.create();
  const fonts = {
    prose: await document.embedFont(StandardFonts.Helvetica),
    code: await document.embedFont(StandardFonts.Courier),
    bold: await document.embedFont(StandardFonts.CourierBold),
  };
  for (const lines of pages) {
    const page = document.addPage([595, 842]);
    if (isFramed) page.drawRectangle({ x: 50, y: 660, width: 490, height: 70, color: rgb(0.9, 0.9, 0.9) });
    for (const { text, x = 60, y, font = "prose", size = 10 } of lines)
      page.drawText(text, { x, y: 842 - y, size, font: fonts[font] });
  }
  return (await parseDocument(sourceFile("a.pdf", await document.save()))).blocks;
}

const PROSE = [
  "The keeper of the lamp writes a line for each night in the book that lies below the stairs, and",
  "signs it with the hour at which the lamp was lit. In winter the book is read by the harbour office",
  "every week, and in summer only at the end of the season, since the nights are short by then.",
];
const prose = (y: number): PlacedLine[] => PROSE.map((text, i) => ({ text, y: y + 12 * i }));
const code = (lines: readonly string[], y: number): PlacedLine[] =>
  lines.map((text, i) => ({
    text: text.trimStart(),
    x: 72 + 6 * (text.length - text.trimStart().length),
    y: y + 12 * i,
    font: "code",
  }));

const PROGRAM = ["int main(void) {", "  /* Light the", "   * lamp. */", "  light(3);", "}"];

test("a caption below a listing is no text that explains it as a term", async () => {
  const blocks = await blocksOf([
    [...prose(60), ...code(PROGRAM, 120), { text: "Figure 1: A program.", x: 150, y: 210 }, ...prose(240)],
  ]);
  expect(blocks.map(({ kind }) => kind)).toEqual(["paragraph", "code", "caption", "paragraph"]);
});

test("a line of a listing may have a few signs in another font", async () => {
  const [first, ...others] = code(PROGRAM, 120);
  const sign: PlacedLine = { text: "{", x: 72 + 15 * 6, y: 120 };
  const blocks = await blocksOf([
    [...prose(60), { ...first!, text: "int main(void)" }, sign, ...others, ...prose(200)],
  ]);
  expect(blocks.map(({ kind, text }) => [kind, text.split("\n")[0]])).toContainEqual(["code", "int main(void) {"]);
});

test.each([false, true])(
  "lines in a monospaced font are a listing with their indents (on a filled area: %s)",
  async (isFramed) => {
    const blocks = await blocksOf([[...prose(60), ...code(PROGRAM, 120), ...prose(200)]], { isFramed });
    expect(blocks.map(({ kind, text }) => [kind, text])).toEqual([
      ["paragraph", PROSE.join(" ")],
      ["code", PROGRAM.join("\n")],
      ["paragraph", PROSE.join(" ")],
    ]);
  },
);

test("the rows of a table in a monospaced font are no listing", async () => {
  const table = [
    ["Year", "North", "South"],
    ["2019", "120", "98"],
    ["2020", "130", "99"],
  ];
  const cells = table.flatMap((row, y) =>
    row.map((text, x): PlacedLine => ({ text, x: 72 + 100 * x, y: 120 + 12 * y, font: "code" })),
  );
  const blocks = await blocksOf([[...prose(60), ...cells, ...prose(200)]]);
  expect(blocks.map((block) => block.table)).toEqual([
    undefined,
    { header: table[0], rows: table.slice(1) },
    undefined,
  ]);
});

test("words of a listing stay apart where most of its lines are larger", async () => {
  const large = ["int main(void)", "{", "  light(3);", "  light(4);"];
  const small = ["return", "zero;"].map(
    (text, i): PlacedLine => ({ text, x: 72 + 28 * i, y: 168, font: "code", size: 6 }),
  );
  const blocks = await blocksOf([[...prose(60), ...code(large, 120), ...small, ...prose(200)]]);
  expect(blocks[1]).toMatchObject({ kind: "code", text: [...large, "return zero;"].join("\n") });
});

test("comments beside the lines of a listing are no column of a table", async () => {
  const declarations = [
    "DBT key;      /* the key */",
    "int ret;      /* the result */",
    "DB *lamps;    /* the lamps */",
  ];
  const blocks = await blocksOf(
    [
      [
        ...prose(60),
        ...declarations.flatMap((line, i): PlacedLine[] => [
          { text: line.slice(0, 14).trim(), x: 72, y: 120 + 12 * i, font: "code" },
          { text: line.slice(14), x: 72 + 14 * 6, y: 120 + 12 * i, font: "code" },
        ]),
        ...prose(200),
      ],
    ],
    { isFramed: true },
  );
  expect(blocks.map(({ kind, text }) => [kind, text])).toEqual([
    ["paragraph", PROSE.join(" ")],
    ["code", declarations.join("\n")],
    ["paragraph", PROSE.join(" ")],
  ]);
});

test("a bold command is a listing rather than a heading", async () => {
  const blocks = await blocksOf([
    [...prose(60), { text: "# make install", x: 72, y: 114, font: "bold" }, ...prose(140)],
  ]);
  expect(blocks.map(({ kind }) => kind)).toEqual(["paragraph", "code", "paragraph"]);
});

test("a listing goes on at the top of the next page", async () => {
  const [first, second] = [PROGRAM.slice(0, 3), PROGRAM.slice(3)];
  const blocks = await blocksOf([
    [...prose(60), ...code(first, 700)],
    [...code(second, 60), ...prose(120)],
  ]);
  const listing = blocks.find(({ kind }) => kind === "code")!;
  const text = [first.join("\n"), second[0]!.trim(), second[1]].join("\n");
  expect(listing.text.replaceAll("\n  light", "\nlight")).toBe(text);
  expect(listing).toMatchObject({ page: 1, continues: [{ page: 2, from: first.join("\n").length + 1 }] });
});

test("a name in a monospaced font that fills a line belongs to its paragraph", async () => {
  const name = "http://harbour.example/office/books/of/the/lamp/in/winter.html";
  const blocks = await blocksOf([
    [
      ...prose(60),
      { text: `${PROSE[2]!.slice(0, -1)}, as is said at`, y: 120 },
      { text: name, y: 132, font: "code" },
      { text: "and in the book itself.", y: 144 },
      ...prose(180),
    ],
  ]);
  expect(blocks.map(({ kind }) => kind)).toEqual(["paragraph", "paragraph", "paragraph"]);
  expect(blocks[1]!.text).toContain(`said at ${name} and in`);
});

test("a term in a monospaced font above its explanation is no listing", async () => {
  const blocks = await blocksOf([
    [
      ...prose(60),
      { text: "--lamp", y: 120, font: "code" },
      { text: "Lights the lamp at once.", x: 90, y: 132 },
      { text: "--glass", y: 156, font: "code" },
      { text: "Reads the glass and stops.", x: 90, y: 168 },
    ],
  ]);
  expect(blocks.map(({ kind }) => kind)).not.toContain("code");
});

test("a document that is written with a typewriter has no listings", async () => {
  const blocks = await blocksOf([
    [
      ...code(["the lamp was lit by the keeper in the", "evening and put out at sunrise."], 60),
      ...code(["the book was read in winter."], 108),
    ],
  ]);
  expect(blocks.map(({ kind }) => kind)).toEqual(["paragraph", "paragraph"]);
});
