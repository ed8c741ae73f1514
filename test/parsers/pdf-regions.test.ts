import {
  beginText,
  endText,
  moveText,
  PDFDocument,
  PDFHexString,
  PDFName,
  type PDFPage,
  rgb,
  StandardFonts,
  setFontAndSize,
  showText,
} from "pdf-lib";
import { expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { segmentsOf } from "#dist/parsers/pdf/page/segments.js";
import { nameBullets } from "#dist/parsers/pdf/page/symbol-bullets.js";
import { gridOfTexts } from "#dist/parsers/pdf/page/table-cells.js";
import { continuesTable } from "#dist/parsers/pdf/tables/continued-tables.js";
import { mergedHeader } from "#dist/parsers/pdf/tables/merged-headers.js";
import { ruledTables } from "#dist/parsers/pdf/tables/ruled-tables.js";
import { columnsOf } from "#dist/parsers/pdf/tables/table-columns.js";
import { hasLeader } from "#dist/parsers/pdf/tables/table-evidence.js";
import { tableLines } from "#dist/parsers/pdf/tables/table-rows.js";
import { lineOf } from "#dist/parsers/pdf/text/lines.js";
import type { Run } from "../../src/parsers/pdf/page/runs.js";
import type { Segment } from "../../src/parsers/pdf/page/segments.js";
import type { TablePart } from "../../src/parsers/pdf/text/page-parts.js";
import { sourceFile } from "../support/make-files.js";

type Text = (text: string, x: number, y: number, options?: { readonly size?: number; readonly bold?: boolean }) => void;

/** The blocks of one A4 page that a function draws, with places measured from the top. */
async function blocksOf(draw: (text: Text, page: PDFPage) => void) {
  const document = await PDFDocument.create();
  const plain = await document.embedFont(StandardFonts.Helvetica);
  const bold = await document.embedFont(StandardFonts.HelveticaBold);
  const page = document.addPage([595, 842]);
  draw((text, x, y, options = {}) => {
    page.drawText(text, { x, y: 842 - y, size: options.size ?? 10, font: options.bold ? bold : plain });
  }, page);
  return (await parseDocument(sourceFile("a.pdf", await document.save()))).blocks;
}

const LAMPS = [
  ["Lamp", "Height", "Range", "Since"],
  ["North Head", "31 m", "18 nm", "1871"],
  ["Gull Rock", "12 m", "9 nm", "1902"],
  ["South Pier", "8 m", "6 nm", "1934"],
  ["Old Mole", "6 m", "4 nm", "1880"],
];

test("a table without any line has the columns that white space shows", async () => {
  const blocks = await blocksOf((text) => {
    for (const [row, cells] of LAMPS.entries())
      for (const [column, cell] of cells.entries()) text(cell, 60 + 110 * column, 100 + 16 * row, { bold: row === 0 });
  });
  expect(blocks.map(({ kind }) => kind)).toEqual(["table"]);
  expect(blocks[0]!.table).toEqual({ header: LAMPS[0], rows: LAMPS.slice(1) });
});

test("shaded rows don't multiply the columns of a table", async () => {
  const blocks = await blocksOf((text, page) => {
    for (const [row, cells] of LAMPS.entries()) {
      const y = 842 - (104 + 16 * row);
      if (row % 2 === 0) page.drawRectangle({ x: 55, y, width: 440, height: 16, color: rgb(0.9, 0.9, 0.9) });
      for (const [column, cell] of cells.entries()) text(cell, 60 + 110 * column, 100 + 16 * row);
    }
  });
  expect(blocks[0]!.table?.header).toEqual(LAMPS[0]);
  expect(blocks[0]!.table?.rows).toHaveLength(4);
});

test("the entries of a contents page are no table", async () => {
  const blocks = await blocksOf((text) => {
    text("Contents", 60, 80, { size: 18, bold: true });
    for (const [row, title] of [
      "The lamp",
      "The fog signal",
      "Visitors",
      "Keepers and their duties",
      "Index",
    ].entries()) {
      text(`${title} ${".".repeat(70 - title.length)}`, 60, 120 + 18 * row);
      text(String(3 + 8 * row), 500, 120 + 18 * row);
    }
  });
  expect(blocks.filter(({ kind }) => kind === "table")).toEqual([]);
  expect(blocks.map(({ text }) => text).join("\n")).toMatch(/Keepers and their duties.*27[\s\S]*Index.*35/);
});

test("two columns of prose are read one after the other, and are no table", async () => {
  const left = [
    "The keeper lights the lamp half an hour",
    "before sunset and trims the wick every",
    "four hours until the sun has risen again,",
    "whatever the weather at the station is,",
    "and writes the hour of it into the book.",
  ];
  const right = [
    "In fog the horn sounds twice a minute,",
    "for as long as the harbour light across",
    "the bay cannot be seen from the gallery.",
    "A second keeper then stays at the valve",
    "until the air is clear for a whole hour.",
  ];
  const blocks = await blocksOf((text) => {
    for (const [row, line] of left.entries()) text(line, 50, 100 + 12 * row);
    for (const [row, line] of right.entries()) text(line, 310, 100 + 12 * row);
  });
  expect(blocks.map(({ kind, text }) => [kind, text])).toEqual([
    ["paragraph", left.join(" ")],
    ["paragraph", right.join(" ")],
  ]);
});

test("bold items of a list are no headings, a larger title is one", async () => {
  const blocks = await blocksOf((text) => {
    text("Duties at the station", 60, 80, { size: 16, bold: true });
    text("Everyone on duty reads these rules before the first watch of the season and", 60, 110);
    text("signs the book at the door. The warden keeps the book for ten years.", 60, 122);
    for (const [row, item] of ["Light the lamp", "Wind the clock", "Read the glass"].entries())
      text(`• ${item}`, 70, 150 + 14 * row, { bold: true });
  });
  const headings = blocks.filter(({ kind }) => kind === "heading");
  expect(headings.map(({ text }) => text)).toEqual(["Duties at the station"]);
});

test("a caption beside a paragraph doesn't break into its sentences", async () => {
  const blocks = await blocksOf((text) => {
    for (const [row, line] of [
      "The lamp was lit every evening at sunset, and the keeper",
      "wrote the hour, the wind and the state of the sea into",
      "the book of the station, which was sent to the board",
      "at the end of each month together with the accounts.",
    ].entries())
      text(line, 60, 100 + 14 * row);
    text("Figure 3: The lamp of the station", 360, 114);
    text("as it was drawn in 1871.", 360, 127, { size: 9.5 });
  });
  expect(blocks.map(({ kind, text }) => [kind, text])).toEqual([
    ["paragraph", expect.stringMatching(/^The lamp .* keeper wrote .* sea into the book .* accounts\.$/)],
    ["caption", "Figure 3: The lamp of the station as it was drawn in 1871."],
  ]);
});

test("a caption in the first cell of a row stays in its table", async () => {
  const rows = [
    ["Figure 1", "The lamp of the station", "1871"],
    ["Figure 2", "The house of the keeper", "1874"],
    ["Figure 3", "The boat in its shed", "1902"],
  ];
  const blocks = await blocksOf((text) => {
    for (const [row, cells] of rows.entries())
      for (const [column, cell] of cells.entries()) text(cell, 60 + 160 * column, 100 + 16 * row);
  });
  expect(blocks[0]!.table).toEqual({ header: rows[0], rows: rows.slice(1) });
});

test("the wide spaces of a justified line are no columns", async () => {
  const blocks = await blocksOf((text) => {
    const width = { The: 17, keeper: 32, measured: 44, temperature: 54, visibility: 40, equipment: 47, and: 17 };
    const line = (words: readonly (keyof typeof width)[], gap: number, y: number): void => {
      let x = 60;
      for (const word of words) {
        text(word, x, y);
        x += width[word] + gap;
      }
    };
    line(["The", "keeper", "measured", "temperature"], 16, 100);
    line(["visibility", "and", "equipment", "measured"], 15.6, 114);
    text("on every day.", 60, 128);
  });
  expect(blocks.map(({ kind, text }) => [kind, text])).toEqual([
    ["paragraph", "The keeper measured temperature visibility and equipment measured on every day."],
  ]);
});

test.each([
  ["Lamp", 30_000],
  ["lamp", 200_000],
])("%j many times with equal gaps is read once, however often it stands there", (text, count) => {
  const style = { top: 92, bottom: 102, baseline: 100, size: 10, font: "f" };
  const flags = { isSpaced: false, contentId: null, isArtifact: false };
  const runs = Array.from({ length: count }, (_, i) => ({
    text,
    left: i * 60,
    right: i * 60 + 48,
    ...style,
    ...flags,
  }));
  expect(segmentsOf(runs)).toHaveLength(count);
});

const shown = (blocks: Awaited<ReturnType<typeof blocksOf>>) =>
  blocks.map(({ kind, text, table }) => [kind, table ? [table.header, ...table.rows] : text]);

test("lines with a leader of dots are entries of their own", async () => {
  const blocks = await blocksOf((text) => {
    for (const [row, title] of ["The lamp", "The tower and its stairs", "The boat"].entries())
      text(`${title}${".".repeat(40)}${row + 2}`, 60, 80 + 12 * row);
  });
  expect(shown(blocks)).toEqual([
    ["paragraph", expect.stringMatching(/^The lamp\.+2$/)],
    ["paragraph", expect.stringMatching(/^The tower and its stairs\.+3$/)],
    ["paragraph", expect.stringMatching(/^The boat\.+4$/)],
  ]);
});

test.each([
  ["circles", (page: PDFPage, x: number, y: number) => page.drawCircle({ x, y, size: 2, color: rgb(0, 0, 0) })],
  ["rings", (page: PDFPage, x: number, y: number) => page.drawCircle({ x, y, size: 2, borderColor: rgb(0, 0, 0) })],
  [
    "squares",
    (page: PDFPage, x: number, y: number) =>
      page.drawRectangle({ x: x - 2, y: y - 2, width: 4, height: 4, color: rgb(0, 0, 0) }),
  ],
])("bullets that are drawn as %s make list items", async (_, draw) => {
  const blocks = await blocksOf((text, page) => {
    text("The keeper has to see to these before the season begins:", 60, 80);
    for (const [row, item] of ["Paint the lantern", "Wind the clock", "Read the glass"].entries()) {
      draw(page, 72, 842 - 97 - 12 * row);
      text(item, 82, 100 + 12 * row);
    }
    // Dots in the middle of a line are none.
    draw(page, 100, 842 - 157);
    text("Wind", 60, 160);
    text("North", 110, 160);
  });
  expect(shown(blocks)).toEqual([
    ["paragraph", "The keeper has to see to these before the season begins:"],
    ["list_item", "Paint the lantern"],
    ["list_item", "Wind the clock"],
    ["list_item", "Read the glass"],
    ["paragraph", "Wind North"],
  ]);
});

test.each([
  ["a character for private use", "F0B7"],
  ["a control character", "0088"],
])("a bullet of a symbol font that is %s makes list items", async (_, code) => {
  const symbols = (page: PDFPage) => {
    const { context } = page.doc;
    const map = `1 beginbfchar\n<B7> <${code}>\nendbfchar\n1 begincodespacerange\n<00> <FF>\nendcodespacerange`;
    return context.register(
      context.obj({
        Type: "Font",
        Subtype: "Type1",
        BaseFont: "Helvetica",
        ToUnicode: context.register(context.stream(map)),
      }),
    );
  };
  const items = ["Paint the lantern", "Wind the clock and", "Read the glass"];
  const blocks = await blocksOf((text, page) => {
    page.node.setFontDictionary(PDFName.of("Symbols"), symbols(page));
    text("The keeper has to see to these before the season begins:", 60, 80);
    for (const [row, item] of items.entries()) {
      const y = 842 - 100 - 12 * row;
      page.pushOperators(
        beginText(),
        setFontAndSize("Symbols", 10),
        moveText(72, y),
        showText(PDFHexString.of("B7")),
        endText(),
      );
      text(item, 90, 100 + 12 * row);
    }
  });
  expect(shown(blocks)).toEqual([
    ["paragraph", "The keeper has to see to these before the season begins:"],
    ...items.map((item) => ["list_item", item]),
  ]);
});

test("the first row of a striped table is not joined with the bold names of its columns", async () => {
  const blocks = await blocksOf((text, page) => {
    for (const [row, cells] of LAMPS.entries()) {
      if (row % 2 === 0 && row > 0)
        page.drawRectangle({ x: 55, y: 842 - 104 - 16 * row, width: 440, height: 16, color: rgb(0.9, 0.9, 0.9) });
      for (const [column, cell] of cells.entries()) text(cell, 60 + 110 * column, 100 + 16 * row, { bold: row === 0 });
    }
  });
  expect(shown(blocks)).toEqual([["table", LAMPS]]);
});

test("a title is not joined with the line of the next column beside it", async () => {
  const prose = [
    "the lamp was lit by the keeper in the",
    "evening and put out at sunrise, as the",
    "book of the station says it was in all",
  ];
  const blocks = await blocksOf((text) => {
    text("The keepers of the station", 60, 80, { size: 17 });
    for (const [row, line] of prose.entries()) {
      text(line, 60, 110 + 12 * row);
      text(line, 268, 80 + 12 * row);
      text(line, 268, 116 + 12 * row);
    }
  });
  expect(shown(blocks)[0]).toEqual(["heading", "The keepers of the station"]);
});

test("a line that begins with a raised number goes on with its sentence", async () => {
  const blocks = await blocksOf((text) => {
    text("The glass of the lantern has traces of thorium and", 60, 80);
    text("232", 60, 88, { size: 6 });
    text("Th is what makes it shine at night in the tower.", 71, 92);
  });
  expect(shown(blocks)).toEqual([["paragraph", expect.stringMatching(/^The glass .* and 232 Th is what .*tower\.$/)]]);
});

test("a line with thousands of dots and letters takes no time", () => {
  const cells = "a".repeat(20_000) + ".".repeat(20_000);
  expect([hasLeader(cells), hasLeader(`1. The lamp ${"… ".repeat(9)}12`), hasLeader(`${cells}a7`)]).toEqual([
    false,
    true,
    false,
  ]);
});

const REVENUE = [
  ["North", "120", "131", "km"],
  ["South", "98", "104", "km"],
  ["West", "77", "81", "km"],
  ["East", "64", "70", "km"],
];

/** The header of a table of revenue as in HTML, where the names of single columns have `rowspan` 2. */
const REVENUE_HEADER = {
  header: ["Region", "Revenue / 2022", "Revenue / 2023", "Unit"],
  headerRows: [
    ["Region", "Revenue", "Revenue", "Unit"],
    ["Region", "2022", "2023", "Unit"],
  ],
};
const REVENUE_SPANS = [
  { row: 0, column: 0, rows: 2, columns: 1 },
  { row: 0, column: 1, rows: 1, columns: 2 },
  { row: 0, column: 3, rows: 2, columns: 1 },
];
const COLUMNS = [60, 180, 260, 340];

function drawRow(text: Text, cells: readonly string[], y: number): void {
  for (const [column, cell] of cells.entries()) if (cell !== "") text(cell, COLUMNS[column]!, y);
}

/** Draws rules from one end to the other, measured from the top. */
function drawRules(page: PDFPage, ends: readonly (readonly [x: number, y: number, u: number, v: number])[]): void {
  for (const [x, y, u, v] of ends)
    page.drawLine({ start: { x, y: 842 - y }, end: { x: u, y: 842 - v }, thickness: 0.5 });
}

test.each([
  ["between the lines", 107],
  ["beside the upper name", 100],
])("a name centred over two columns spans them, with the other names %s", async (_, y) => {
  const [block] = await blocksOf((text) => {
    for (const [name, x, at] of [
      ["Revenue", 209, 100],
      ["Region", 60, y],
      ["Unit", 340, y],
      ["2022", 180, 114],
      ["2023", 260, 114],
    ] as const)
      text(name, x, at, { bold: true });
    for (const [row, cells] of REVENUE.entries()) drawRow(text, cells, 128 + 14 * row);
  });
  expect(block!.table).toEqual({ ...REVENUE_HEADER, rows: REVENUE, spans: REVENUE_SPANS });
  expect(block!.text.split("\n")[0]).toBe("| Region | Revenue / 2022 | Revenue / 2023 | Unit |");
  expect(block!.rowBoxes).toHaveLength(5);
});

test("a name spans the columns over which its rule goes, and none if nothing shows it", async () => {
  const tableWith = async (rule: boolean) =>
    blocksOf((text, page) => {
      const line = (y: number, from: number, to: number) =>
        page.drawLine({ start: { x: from, y: 842 - y }, end: { x: to, y: 842 - y }, thickness: 0.5 });
      for (const y of [88, 119, 180]) line(y, 55, 400);
      if (rule) line(104, 178, 290);
      drawRow(text, ["Region", "Revenue", "", "Unit"], 100);
      drawRow(text, ["", "in April", "in May", ""], 114);
      for (const [row, cells] of REVENUE.entries()) drawRow(text, cells, 130 + 14 * row);
    });
  const [[ruled], [plain]] = await Promise.all([tableWith(true), tableWith(false)]);
  expect(ruled!.table?.header).toEqual(["Region", "Revenue / in April", "Revenue / in May", "Unit"]);
  expect(ruled!.table?.spans).toEqual(REVENUE_SPANS);
  expect(plain!.table?.spans).toBeUndefined();
});

test("cells without a rule between them are one cell, unless their texts are apart", async () => {
  const [block] = await blocksOf((text, page) => {
    const line = (x: number, y: number, u: number, v: number) =>
      page.drawLine({ start: { x, y: 842 - y }, end: { x: u, y: 842 - v }, thickness: 0.5 });
    const [left, a, b, right] = [60, 160, 260, 360];
    for (const y of [100, 120, 180]) line(left, y, right, y);
    for (const y of [140, 160]) line(a, y, right, y);
    for (const x of [left, right]) line(x, 100, x, 180);
    line(a, 120, a, 180);
    line(b, 120, b, 180);
    for (const [x, name] of [
      [65, "Coast"],
      [165, "Lamp"],
      [265, "Height"],
    ] as const)
      text(name, x, 114);
    text("North", 65, 154);
    for (const row of [0, 1, 2]) {
      text(`Lamp ${row}`, 165, 134 + 20 * row);
      text(`${row + 5} m`, 265, 134 + 20 * row);
    }
  });
  expect(block!.table).toEqual({
    header: ["Coast", "Lamp", "Height"],
    rows: [0, 1, 2].map((row) => ["North", `Lamp ${row}`, `${row + 5} m`]),
    spans: [{ row: 1, column: 0, rows: 3, columns: 1 }],
  });
});

test("labels at the middle of groups of rows span them, but those beside wrapped cells don't", async () => {
  const tableOf = async (values: readonly (readonly string[])[]) => {
    const [block] = await blocksOf((text) => {
      for (const [column, name] of ["Coast", "Lamp", "Height"].entries())
        text(name, COLUMNS[column]!, 100, { bold: true });
      for (const [row, cells] of values.entries()) drawRow(text, ["", ...cells], 116 + 14 * row);
      text("North", 60, 123);
      text("South", 60, 158);
    });
    return block!.table;
  };
  const values = Array.from({ length: 5 }, (_, row) => [`Lamp ${"abcde"[row]}`, String(row + 10)]);
  expect(await tableOf(values)).toEqual({
    header: ["Coast", "Lamp", "Height"],
    rows: values.map((cells, row) => [row < 2 ? "North" : "South", ...cells]),
    spans: [
      { row: 1, column: 0, rows: 2, columns: 1 },
      { row: 3, column: 0, rows: 3, columns: 1 },
    ],
  });
  const wrapped = await tableOf([
    ["a lamp of", "it stands on"],
    ["the coast", "the cliff"],
  ]);
  expect(wrapped?.spans).toBeUndefined();
});

test("labels beside the middle of their rows are no column of text", async () => {
  const blocks = await blocksOf((text) => {
    for (const [x, name] of [
      [60, "Coast"],
      [250, "Lamp"],
      [340, "Height"],
      [430, "Unit"],
    ] as const)
      text(name, x, 84, { bold: true });
    for (const [row, group] of [
      "Northern coast line",
      "Southern coast line",
      "Western coast lines",
      "Eastern coast lines",
      "Islands of the coast",
    ].entries()) {
      text(group, 60, 107 + 28 * row);
      for (const line of [0, 1])
        for (const [column, cell] of [`lamp of ${row}${line}`, `${row}${line}7`, "metres"].entries())
          text(cell, 250 + 90 * column, 100 + 28 * row + 14 * line);
    }
  });
  expect(blocks.map(({ kind }) => kind)).toEqual(["table"]);
  expect(blocks[0]!.table?.rows.slice(0, 3).map(([label]) => label)).toEqual([
    "Northern coast line",
    "Northern coast line",
    "Southern coast line",
  ]);
});

test("names above the first rule are the header where labels stand between the lines of their rows", async () => {
  const values = Array.from({ length: 5 }, (_, row) => [`lamp ${"abcde"[row]}`, `${row}17`, "metres"]);
  const blocks = await blocksOf((text, page) => {
    for (const [column, name] of ["Coast", "Lamp", "Height", "Unit"].entries())
      text(name, COLUMNS[column]!, 100, { bold: true });
    for (let row = 0; row <= 5; row++) {
      const [left, y] = [row === 1 || row === 4 ? 175 : 55, 737 - 18 * row];
      page.drawLine({ start: { x: left, y }, end: { x: 400, y }, thickness: 0.5 });
    }
    for (const [row, cells] of values.entries()) drawRow(text, ["", ...cells], 118 + 18 * row);
    for (const [label, y] of [
      ["North", 127],
      ["South", 154],
      ["West", 181],
    ] as const)
      text(label, 60, y);
  });
  const labels = ["North", "North", "South", "West", "West"];
  expect(blocks.map(({ kind }) => kind)).toEqual(["table"]);
  expect(blocks[0]!.table?.header).toEqual(["Coast", "Lamp", "Height", "Unit"]);
  expect(blocks[0]!.table?.rows).toEqual(values.map((cells, row) => [labels[row], ...cells]));
});

test("two columns with the same texts in each row are no merged cells", async () => {
  const rows = ["North", "South", "West"].map((name) => [name, "0", "0"]);
  const [block] = await blocksOf((text, page) => {
    for (const y of [100, 120, 140, 160]) drawRules(page, [[55, y, 340, y]]);
    for (const x of [55, 175, 255, 340]) drawRules(page, [[x, 100, x, 160]]);
    for (const [row, cells] of rows.entries()) drawRow(text, cells, 114 + 20 * row);
  });
  expect(block!.table).toEqual({ header: rows[0], rows: rows.slice(1) });
});

test("graph paper is no table, and takes no time", () => {
  const places = Array.from({ length: 1000 }, (_, i) => 4 * i);
  const rules = places.flatMap((at) => [true, false].map((isHorizontal) => ({ isHorizontal, at, from: 0, to: 3996 })));
  const runs = places.slice(0, 60).map((at): Run => {
    const box = { left: at, right: at + 3, top: 400, bottom: 403 };
    const details = { font: "f", isSpaced: false, contentId: null, isArtifact: false };
    return { text: "a", size: 3, baseline: 403, ...details, ...box };
  });
  const start = performance.now();
  expect(ruledTables(rules, runs)).toEqual([]);
  expect(performance.now() - start).toBeLessThan(2000);
});

test("names without rules between them are cells of their own, one of which spans columns", async () => {
  const [block] = await blocksOf((text, page) => {
    drawRules(page, [
      [55, 100, 420, 100],
      [175, 118, 335, 118],
    ]);
    for (const y of [136, 156, 176, 196]) drawRules(page, [[55, y, 420, y]]);
    for (const x of [55, 420]) drawRules(page, [[x, 100, x, 196]]);
    for (const x of [175, 255, 335]) drawRules(page, [[x, 118, x, 196]]);
    drawRow(text, ["Region", "", "", "Unit"], 114);
    text("Revenue", 235, 114);
    drawRow(text, ["", "2022", "2023"], 131);
    for (const [row, cells] of REVENUE.slice(1).entries()) drawRow(text, cells, 150 + 20 * row);
  });
  expect(block!.table).toMatchObject({ header: REVENUE_HEADER.header, rows: REVENUE.slice(1) });
});

test("lines without rules between them are rows, though a rule above their total leaves the names out", async () => {
  const rows = [...REVENUE.map((row) => row.slice(0, 3)), ["Total", "359", "386"]];
  const [block] = await blocksOf((text, page) => {
    for (const y of [100, 120, 202]) drawRules(page, [[55, y, 340, y]]);
    for (const x of [55, 175, 255, 340]) drawRules(page, [[x, 100, x, 202]]);
    drawRules(page, [[175, 182, 340, 182]]);
    drawRow(text, ["Region", "2022", "2023"], 114);
    for (const [row, cells] of rows.entries()) drawRow(text, cells, 134 + 14 * row + (row === 4 ? 6 : 0));
  });
  expect(block!.table).toEqual({ header: ["Region", "2022", "2023"], rows });
});

test("cells of several lines that span rows are not repeated line by line", async () => {
  const [block] = await blocksOf((text, page) => {
    for (const y of [100, 120, 182]) drawRules(page, [[55, y, 340, y]]);
    for (const x of [55, 175, 255, 340]) drawRules(page, [[x, 100, x, 182]]);
    drawRules(page, [[255, 151, 340, 151]]);
    drawRow(text, ["Duty", "Reason", "Keeper"], 114);
    for (const [line, words] of ["light", "the lamp", "of the", "coast"].entries())
      drawRow(text, [words, `reason ${line}`], 134 + 14 * line);
    text("Anna", 260, 138);
    text("Bert", 260, 168);
  });
  const cells = ["light the lamp of the coast", "reason 0 reason 1 reason 2 reason 3"];
  expect(block!.table).toEqual({
    header: ["Duty", "Reason", "Keeper"],
    rows: [
      [...cells, "Anna"],
      [...cells, "Bert"],
    ],
    spans: [
      { row: 1, column: 0, rows: 2, columns: 1 },
      { row: 1, column: 1, rows: 2, columns: 1 },
    ],
  });
});

test("no name is lost beside one that is as wide as columns", async () => {
  const [block] = await blocksOf((text) => {
    const columns = [60, 180, 250, 380];
    text("Revenue", 185, 100, { bold: true });
    text("Range", 300, 100, { bold: true });
    for (const [column, name] of ["Region", "2022", "2023", "nm"].entries())
      text(name, columns[column]!, 114, { bold: true });
    for (let row = 0; row < 4; row++)
      for (const [column, cell] of [`Place ${row}`, `${row}1`, `${row} of them some words`, "km"].entries())
        text(cell, columns[column]!, 130 + 14 * row);
  });
  expect(block!.text).toContain("Range");
});

test("a line of text or a caption above a table is no name of its columns", async () => {
  const kindsBelow = async (line: string, left: number) => {
    const blocks = await blocksOf((text) => {
      text(line, left, 98);
      for (const [row, cells] of [["", "2021", "2022", "2023"], ...REVENUE].entries())
        for (const [column, cell] of cells.entries())
          if (cell !== "") text(cell, [120, 250, 310, 370][column]!, 115 + 14 * row);
    });
    return blocks.map(({ kind, table }) => [kind, table?.header.join()]);
  };
  const table = ["table", ",2021,2022,2023"];
  const text = "The keepers count their visitors by year, as is shown in the small table that follows here below:";
  expect(await kindsBelow(text, 60)).toEqual([["paragraph", undefined], table]);
  expect(await kindsBelow("Table 2: Lamps by year", 210)).toEqual([["caption", undefined], table]);
});

test("names above many short rules take no time", () => {
  const cell = (text: string, left: number, row: number): Segment => {
    const box = { left, right: left + 5, top: 8 * row - 5, bottom: 8 * row };
    return { text, baseline: 8 * row, size: 5, font: "f", row, isArtifact: false, ...box };
  };
  const count = 1200;
  const lines = Array.from({ length: 8 }, (_, row) =>
    lineOf(
      row === 0
        ? Array.from({ length: count }, (_, i) => cell("N", 30 + 60 * i, 1))
        : Array.from({ length: 3 * count }, (_, i) => cell(row > 1 ? "12" : "w", 14 + 20 * i, row + 1)),
    ),
  );
  const rules = Array.from({ length: 3 * count }, (_, i) => ({ at: 10, left: 14 + 20 * i, right: 24 + 20 * i }));
  const table = tableLines(lines, columnsOf(lines));
  const start = performance.now();
  mergedHeader(table, rules);
  expect(performance.now() - start).toBeLessThan(10_000);
});

test("labels in the first row of their groups span nothing, unless a rule shows it", async () => {
  const labelsOf = async (labels: readonly string[], rule?: number) => {
    const [block] = await blocksOf((text, page) => {
      for (const y of rule === undefined ? [] : [88, rule, 104 + 14 * labels.length])
        drawRules(page, [[55, y, 300, y]]);
      drawRow(text, ["Coast", "Lamp", "Height"], 100);
      for (const [row, label] of labels.entries()) drawRow(text, [label, `Lamp ${row}`, `${row}`], 116 + 14 * row);
    });
    return block!.table!.rows.map(([label]) => label);
  };
  const labels = ["North", "", "", "South", "", ""];
  expect(await labelsOf(labels)).toEqual(labels);
  expect(await labelsOf(labels, 120)).toEqual(["North", ...labels.slice(1).map(() => "South")]);
});

test("whether a page goes on with a table of many pages takes no time to tell", () => {
  const partOf = (rows: readonly (readonly string[])[], page: number): TablePart => ({
    kind: "table",
    page,
    rows: gridOfTexts(rows),
    headerRowCount: 1,
    rowPositions: rows.map(() => ({ page, bbox: [50, 50, 500, 60] })),
    box: [50, 50, 500, 800],
  });
  const rows = Array.from({ length: 50_000 }, (_, i) => [`Lamp ${i}`, `${i} m`]);
  const previous = partOf([["Lamp", "Height"], ...rows], 1);
  const next = partOf(rows.slice(0, 50), 2);
  const start = performance.now();
  for (let i = 0; i < 500; i++) expect(continuesTable(previous, next, false)).toBe(true);
  expect(performance.now() - start).toBeLessThan(1000);
});

test("a letter that a font of symbols shows as a bullet begins the items of a list", async () => {
  const items = ["the lamp is lit at dusk,", "the fog signal is sounded,", "the log is written."];
  const blocks = await blocksOf((text) => {
    text("In each watch, the keeper sees to it that", 60, 100);
    for (const [row, item] of items.entries()) {
      text("o", 78, 120 + 16 * row, { bold: true });
      text(item, 96, 120 + 16 * row);
    }
  });
  expect(blocks.filter(({ kind }) => kind === "list_item").map(({ text }) => text)).toEqual(items);
});

test("letters of a font that has others too are ticks, keys or types, and no bullets", async () => {
  const blocks = await blocksOf((text) => {
    for (const [row, answer] of ["o Single", "x Married", "o Employed", "x Retired"].entries()) {
      text(answer.slice(0, 1), 78, 120 + 16 * row, { bold: true });
      text(answer.slice(2), 96, 120 + 16 * row);
    }
  });
  expect(
    blocks
      .map(({ text }) => text)
      .join("\n")
      .match(/[ox](?= )/g),
  ).toEqual(["o", "x", "o", "x"]);
});

test("the marks of a comment before each of its lines are no column", async () => {
  const lines = ["Keep the wick trimmed.", "Wind the clockwork every", "four hours, and at dawn."];
  const blocks = await blocksOf((text) => {
    for (const [row, line] of lines.entries()) {
      text("#", 60, 100 + 16 * row);
      text(line, 90, 100 + 16 * row);
    }
  });
  expect(blocks.filter(({ kind }) => kind === "table")).toEqual([]);
});

test("a section's number and title below a table, apart from each other, are a heading", async () => {
  const blocks = await blocksOf((text) => {
    for (const [row, cells] of LAMPS.entries())
      for (const [column, cell] of cells.entries()) text(cell, 60 + 110 * column, 100 + 16 * row);
    text("2.4", 60, 192, { bold: true });
    text("Signals in fog", 90, 192, { bold: true });
    text("The signals are sounded from the station house, and from the tower if the house is empty.", 60, 212);
  });
  expect(blocks.map(({ kind, text }) => (kind === "table" ? kind : text))).toEqual([
    "table",
    "2.4 Signals in fog",
    expect.stringMatching(/^The signals/),
  ]);
  expect(blocks[1]!.kind).toBe("heading");
  expect(blocks[0]!.table?.rows).toHaveLength(4);
});

test("numbered references are no table", async () => {
  const blocks = await blocksOf((text) => {
    for (const [row, line] of [
      "A. Stone, Lamps of the coast, 1902.",
      "B. Reed, Oil, 1911.",
      "C. Hill, Fog, 1920.",
    ].entries()) {
      text(`[${row + 1}]`, 60, 100 + 16 * row);
      text(line, 90, 100 + 16 * row);
    }
  });
  expect(blocks.filter(({ kind }) => kind === "table")).toEqual([]);
});

test("a bullet of a font of symbols may stand beside the text of another column", async () => {
  const run = (text: string, left: number, baseline: number, font: string): Run => ({
    ...{ text, left, right: left + text.length * 5, top: baseline - 8, bottom: baseline + 2, baseline, size: 10, font },
    ...{ isSpaced: false, contentId: null, isArtifact: false },
  });
  const runs = [100, 112].flatMap((y) => [
    run("the end of a line", 60, y, "text"),
    run("\uf0a7", 170, y, "symbols"),
    run("item", 190, y, "text"),
    run("\uf0e7", 300, y, "brackets"),
    run("1", 310, y, "text"),
  ]);
  nameBullets(runs);
  expect(runs.slice(0, 5).map(({ text }) => text)).toEqual(["the end of a line", "•", "item", "\uf0e7", "1"]);
});

test("a row of wrapped texts between rules is one, though most of its lines have text in most cells", async () => {
  const duties = [
    "Lights the lamp at dusk,",
    "and trims it when the",
    "keeper sleeps, so that",
    "it burns until dawn.",
  ];
  const reasons = ["Since 1902, when a ship", "was lost on the rock.", "The lamp had gone out", "at two in the night."];
  const [block] = await blocksOf((text, page) => {
    const line = (x: number, y: number, u: number, v: number) =>
      page.drawLine({ start: { x, y: 842 - y }, end: { x: u, y: 842 - v }, thickness: 0.5 });
    for (const y of [100, 120, 176, 196]) line(60, y, 440, y);
    for (const x of [60, 230, 400, 440]) line(x, 100, x, 196);
    for (const [row, y] of [114, 132, 190].entries()) text(["No", "1", "2"][row]!, 405, y);
    text("Duty", 65, 114);
    text("Reason", 235, 114);
    text("Oil", 65, 190);
    text("Winter", 235, 190);
    for (const row of duties.keys()) {
      text(duties[row]!, 65, 132 + 12 * row);
      text(reasons[row]!, 235, 132 + 12 * row);
    }
  });
  expect(block!.table?.rows).toEqual([
    [duties.join(" "), reasons.join(" "), "1"],
    ["Oil", "Winter", "2"],
  ]);
});

test("a wide column of text between two rules is no paragraph between tables", async () => {
  const note = [
    "lit from dusk until dawn, and in fog by day as well,",
    "unless the fog signal is sounded from the house or the",
    "keeper of the lower light has seen a ship on the rocks.",
  ];
  const blocks = await blocksOf((text, page) => {
    for (const y of [88, 104, 152, 172, 192])
      page.drawLine({ start: { x: 55, y: 842 - y }, end: { x: 400, y: 842 - y }, thickness: 0.5 });
    text("No", 60, 100);
    text("Rule", 150, 100);
    for (const [row, line] of note.entries()) text(line, 150, 116 + 12 * row);
    text("2", 60, 166);
    text("The wick is trimmed at midnight.", 150, 166);
    text("3", 60, 186);
    text("The log is written at dawn.", 150, 186);
  });
  expect(blocks.map(({ kind }) => kind)).toEqual(["table"]);
  expect(blocks[0]!.table?.header).toEqual(["No", "Rule"]);
});

test("a larger title between two tables ends the first", async () => {
  const blocks = await blocksOf((text) => {
    for (const [row, cells] of [...LAMPS, ...LAMPS].entries())
      for (const [column, cell] of cells.entries())
        text(cell, 60 + 110 * column, 100 + 16 * row + (row < LAMPS.length ? 0 : 38));
    text("Lamps in winter", 60, 196, { size: 12, bold: true });
  });
  expect(blocks.map(({ kind }) => kind)).toEqual(["table", "heading", "table"]);
});

test("a table has all lines of its wrapped cells, however many, and those of its last cell", async () => {
  const duties = [
    [
      "Keeper",
      "lights the lamp at dusk",
      "and trims it at midnight,",
      "winds the clockwork every",
      "four hours,",
      "writes the log.",
    ],
    ["Mate", "sounds the signal."],
    ["Boatman", "brings oil and water, and", "in winter takes the mail", "to the rock."],
  ] as const;
  const blocks = await blocksOf((text) => {
    let y = 100;
    for (const [who, ...lines] of [["Who", "Duty"], ...duties] as const) {
      text(who, 60, y);
      for (const line of lines) {
        text(line, 160, y);
        y += 12;
      }
    }
  });
  expect(blocks.map(({ kind }) => kind)).toEqual(["table"]);
  expect(blocks[0]!.table?.rows).toEqual(duties.map(([who, ...lines]) => [who, lines.join(" ")]));
});
