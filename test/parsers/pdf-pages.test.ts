import { PDFDocument, PDFName, type PDFPage, StandardFonts } from "pdf-lib";
import { expect, test } from "vitest";
import { structureChunker } from "#dist/chunkers/structure-chunker.js";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { gridOfTexts, inReadingDirection, textsOfGrid } from "#dist/parsers/pdf/page/table-cells.js";
import { isRightToLeft } from "#dist/parsers/pdf/page/text-direction.js";
import { continuesTable, joinTables } from "#dist/parsers/pdf/tables/continued-tables.js";
import { paragraphsOf } from "#dist/parsers/pdf/text/paragraphs.js";
import type { PageProgress } from "../../src/interfaces/parser.js";
import type { Line } from "../../src/parsers/pdf/text/lines.js";
import type { TablePart } from "../../src/parsers/pdf/text/page-parts.js";
import { sourceFile } from "../support/make-files.js";

type Text = (text: string, x: number, y: number, size?: number) => void;

/** The blocks of a document of A4 pages that functions draw, with places measured from the top. */
async function blocksOf(...pages: readonly ((text: Text, page: PDFPage) => void)[]) {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const draw of pages) {
    const page = document.addPage([595, 842]);
    draw((text, x, y, size = 10) => page.drawText(text, { x, y: 842 - y, size, font }), page);
  }
  return (await parseDocument(sourceFile("a.pdf", await document.save()))).blocks;
}

/** A document of many pages, of which some are missing. */
async function longPdf(pages: number, damaged: readonly number[] = []): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (let page = 1; page <= pages; page++)
    document.addPage([300, 300]).drawText(`The lamp of number${page} is lit.`, { x: 40, y: 150, size: 10, font });
  const { context, catalog } = document;
  const kids = document.getPages().map(({ ref }, index) => {
    if (!damaged.includes(index + 1)) return ref;
    // In a node of its own, so that the pages after it are found.
    const node = context.obj({ Type: "Pages", Count: 1, Kids: [ref], Parent: context.trailerInfo.Root });
    context.delete(ref);
    return context.register(node);
  });
  catalog.Pages().set(PDFName.of("Kids"), context.obj(kids));
  return document.save();
}

const FIRST = Array.from({ length: 50 }, (_, index) => index + 1);

test("pages are counted while they are read, also those that can't be", async () => {
  const counts: PageProgress[] = [];
  const file = sourceFile("a.pdf", await longPdf(9, [7]));
  const { warnings } = await parseDocument(file, { onPages: (pages) => counts.push(pages) });
  expect(warnings).toEqual(["Page 7 could not be read and was skipped."]);
  expect(counts).toEqual(Array.from({ length: 9 }, (_, index) => ({ read: index + 1, total: 9 })));
});

test("the first pages of a long document can be read alone", async () => {
  const counts: PageProgress[] = [];
  const file = sourceFile("a.pdf", await longPdf(300));
  const { blocks, pages, readPages } = await parseDocument(file, {
    firstPages: true,
    onPages: (progress) => counts.push(progress),
  });
  expect({ pages, readPages }).toEqual({ pages: 300, readPages: 50 });
  expect(blocks.map(({ page }) => page)).toEqual(FIRST);
  expect(counts.at(-1)).toEqual({ read: 50, total: 300 });
  const damaged = await parseDocument(sourceFile("a.pdf", await longPdf(300, FIRST)), { firstPages: true });
  expect(damaged).toMatchObject({ blocks: [], readPages: 50 });
});

const HEADER = ["Lamp", "Height", "Since"];
const LAMPS = Array.from({ length: 8 }, (_, i) => [`Rock ${String.fromCharCode(65 + i)}`, `${9 + i} m`, `${1871 + i}`]);

function drawTable(text: Text, page: PDFPage, rows: readonly (readonly string[])[], top: number): void {
  const bottom = top + rows.length * 20;
  const line = (x: number, y: number, u: number, v: number): void =>
    page.drawLine({ start: { x, y: 842 - y }, end: { x: u, y: 842 - v } });
  for (let y = 0; y <= rows.length; y++) line(60, top + y * 20, 360, top + y * 20);
  for (const x of [60, 160, 260, 360]) line(x, top, x, bottom);
  for (const [y, cells] of rows.entries())
    for (const [x, cell] of cells.entries()) text(cell, 65 + 100 * x, top + y * 20 + 14);
}

test.each([
  ["repeats its header", [HEADER]],
  ["has no header there", []],
])("a table goes on over a page break where it %s", async (_, repeated) => {
  const blocks = await blocksOf(
    (text, page) => {
      text("The lamps of the coast are in this table, as far as they were lit.", 60, 80);
      drawTable(text, page, [HEADER, ...LAMPS.slice(0, 5)], 600);
      text("Page 1", 280, 810);
    },
    (text, page) => {
      drawTable(text, page, [...repeated, ...LAMPS.slice(5)], 60);
      text("Below the table there is a text again.", 60, 300);
      text("Page 2", 280, 810);
    },
  );
  const tables = blocks.filter(({ kind }) => kind === "table");
  expect(tables.map(({ table }) => table)).toEqual([{ header: HEADER, rows: LAMPS }]);
  const [{ text, rowBoxes, continues, page }] = tables as [(typeof tables)[number]];
  expect(page).toBe(1);
  expect(rowBoxes!.map((row) => row.page)).toEqual([1, 1, 1, 1, 1, 1, 2, 2, 2]);
  expect(rowBoxes!.map(({ from }) => text.slice(from, from + 8))).toEqual([
    "| Lamp |",
    ...LAMPS.map(([name]) => `| ${name}`),
  ]);
  const first = 60 + 20 * repeated.length;
  expect(rowBoxes![6]!.bbox).toEqual([60, first, 360, first + 20]);
  expect(continues).toEqual([{ page: 2, bbox: [60, first, 360, first + 60], from: rowBoxes![6]!.from }]);
});

test("a table with other columns at the top of the next page is one of its own", async () => {
  const others = [["Keeper", "From", "To"], ["Mara Lund", "May", "June"], ["Ole Berg", "July", "August"]]; // biome-ignore format: rows
  const blocks = await blocksOf(
    (text, page) => drawTable(text, page, [HEADER, ...LAMPS], 600),
    (text, page) => drawTable(text, page, others, 60),
  );
  expect(blocks.map(({ table }) => table?.header)).toEqual([HEADER, others[0]]);
});

test("a table that is continued under a caption is one, and a row that the page break divides too", async () => {
  const blocks = await blocksOf(
    (text, page) => {
      text("Table 1: Lamps of the coast", 60, 590);
      drawTable(
        text,
        page,
        [
          ["Lamp", "What it is", "Since"],
          ["Rock A", "a lamp with a", "1871"],
        ],
        600,
      );
    },
    (text, page) => {
      text("Table 1 (continued)", 60, 50);
      drawTable(
        text,
        page,
        [
          ["", "green lens", ""],
          ["Rock B", "a lamp", "1880"],
          ["Rock C", "a bell", "1890"],
        ],
        60,
      );
    },
  );
  expect(blocks.map(({ kind }) => kind)).toEqual(["caption", "table"]);
  expect(blocks[1]!.table!.rows).toEqual([
    ["Rock A", "a lamp with a green lens", "1871"],
    ["Rock B", "a lamp", "1880"],
    ["Rock C", "a bell", "1890"],
  ]);
});

test.each([
  ["Table 2 (continued)", false],
  ["Table 2. Continued from page 1: Lamps", false],
  ["Table 1 (continued), heights above the sea", true],
])("the caption %j doesn't lose words", async (caption, isKept) => {
  const blocks = await blocksOf(
    (text, page) => {
      text("Table 1: Lamps", 60, 590);
      drawTable(text, page, [HEADER, ...LAMPS.slice(0, 5)], 600);
    },
    (text, page) => {
      text(caption, 60, 50);
      drawTable(text, page, [HEADER, ...LAMPS.slice(5)], 60);
    },
  );
  expect(blocks.map(({ table, text }) => table?.rows.length ?? text)).toEqual(
    isKept ? ["Table 1: Lamps", 8, caption] : ["Table 1: Lamps", 5, caption, 3],
  );
});

test("a table that goes on below the same caption is one", async () => {
  const blocks = await blocksOf(
    (text, page) => {
      text("Table 1: Lamps", 60, 590);
      drawTable(text, page, [HEADER, ...LAMPS.slice(0, 5)], 600);
    },
    (text, page) => {
      text("Table 1: Lamps", 60, 50);
      drawTable(text, page, [HEADER, ...LAMPS.slice(5)], 60);
    },
  );
  expect(blocks.map(({ table, text }) => table?.rows.length ?? text)).toEqual(["Table 1: Lamps", LAMPS.length]);
});

test("tables of other words, or under a caption of their own, aren't continued", async () => {
  const programs = [["Program", "Made by", "Used for"], ["Chart", "Ole Berg", "maps"], ["Tide", "Mara Lund", "water"]]; // biome-ignore format: rows
  const keepers = [["Keeper", "Came from", "Went to"], ["Jon Dahl", "Ayr", "Bude"], ["Eva Holm", "Cork", "Ayr"]]; // biome-ignore format: rows
  for (const caption of [
    "",
    "Table 5. Components of the software suite",
    "Table 5. Keepers of the continued service",
  ]) {
    const blocks = await blocksOf(
      (text, page) => drawTable(text, page, programs, 600),
      (text, page) => {
        text(caption, 60, 50);
        drawTable(text, page, keepers, 60);
      },
    );
    expect(blocks.flatMap(({ table }) => (table ? [[table.header, ...table.rows]] : []))).toEqual([programs, keepers]);
    expect(blocks.flatMap(({ table, text }) => (table ? [] : [text]))).toEqual(caption === "" ? [] : [caption]);
  }
});

test("the parts of a row that a page divides may have different numbers of cells", () => {
  const lower = [["", "green lens"], ["Rock B"]];
  const part = (page: number, rows: readonly (readonly string[])[]): TablePart => {
    const box = [60, 60, 360, 100] as const;
    return {
      kind: "table",
      page,
      box,
      rows: gridOfTexts(rows),
      headerRowCount: 1,
      rowPositions: rows.map(() => ({ page, bbox: box })),
    };
  };
  const rowsOf = (table: TablePart) => textsOfGrid(table.rows);
  expect(rowsOf(joinTables(part(1, [HEADER, ["Rock A", "with a", "1871"]]), part(2, lower)))).toEqual([
    HEADER,
    ["Rock A", "with a green lens", "1871"],
    ["Rock B"],
  ]);
  expect(rowsOf(joinTables(part(1, [HEADER, ["Rock A"]]), part(2, lower)))).toEqual([
    HEADER,
    ["Rock A", "green lens"],
    ["Rock B"],
  ]);
});

test("both header rows of a table are left out where the next page repeats them", () => {
  const box = [60, 60, 360, 100] as const;
  const revenue = { text: "Revenue" };
  const part = (page: number, row: readonly string[]): TablePart => {
    const rows = [[{ text: "Region" }, revenue, revenue], ...gridOfTexts([["", "2022", "2023"], row])];
    return { kind: "table", page, box, rows, headerRowCount: 2, rowPositions: rows.map(() => ({ page, bbox: box })) };
  };
  const [first, next] = [part(1, ["North", "120", "131"]), part(2, ["South", "98", "104"])];
  expect(continuesTable(first, next, false)).toBe(true);
  const joined = joinTables(first, next);
  expect(textsOfGrid(joined.rows).slice(2)).toEqual([
    ["North", "120", "131"],
    ["South", "98", "104"],
  ]);
  expect(joined.rowPositions.map(({ page }) => page)).toEqual([1, 1, 1, 2]);
});

test("each chunk of a table has its header, its caption, and the boxes of its rows", async () => {
  const blocks = await blocksOf((text, page) => {
    text("Table 1: Lamps of the coast", 60, 590);
    drawTable(text, page, [HEADER, ...LAMPS], 600);
  });
  const drafts = await structureChunker.chunk(blocks, {
    ...{ chunkSize: 190, maxChunkSize: 190, chunkOverlap: 0, delimiter: null, maxTokens: null },
    countTokens: async (texts) => texts.map(() => 1),
  });
  expect(drafts.length).toBeGreaterThan(1);
  for (const { text, headings, boxes } of drafts) {
    expect(text).toContain("| Lamp | Height | Since |");
    expect(headings).toEqual(["Table 1: Lamps of the coast"]);
    for (const { bbox, range } of boxes!.filter(({ bbox }) => bbox[1] >= 620)) {
      const row = LAMPS[Math.round((bbox[1] - 620) / 20)]!;
      expect(text.slice(range!.start, range!.end).trim()).toBe(`| ${row.join(" | ")} |`);
    }
  }
  expect(
    drafts.flatMap(({ boxes }) => boxes).filter(({ bbox } = { bbox: [0, 0, 0, 0], page: 0 }) => bbox[1] >= 620),
  ).toHaveLength(8);
});

test("a sentence goes on over a page break past the footnote of its page", async () => {
  const blocks = await blocksOf(
    (text) => {
      for (const [i, line] of ["The lamp was lit by the keeper", "who lived in the tower", "and had a boat"].entries())
        text(line, 60, 100 + 12 * i);
      text("1", 154.5, 108, 6);
      text("1 The tower was built in 1871 by the harbour board.", 60, 760, 8);
    },
    (text) => text("with two oars and a sail.", 60, 60),
  );
  expect(blocks.map(({ kind, text }) => [kind, text])).toEqual([
    ["paragraph", "The lamp was lit by the keeper who lived in the tower¹ and had a boat with two oars and a sail."],
    ["note", "1 The tower was built in 1871 by the harbour board."],
  ]);
});

test("footnotes follow the text that refers to them, and are no part of the table above them", async () => {
  const blocks = await blocksOf((text, page) => {
    text("The tower was built by the harbour board", 60, 80);
    text("3", 242, 76, 6);
    text("The lamp came later", 60, 110);
    text("4", 150, 106, 6);
    text("A text at the end of the page, to which no note belongs", 60, 640);
    drawTable(text, page, [HEADER, ...LAMPS.slice(0, 2)], 660);
    for (const [i, note] of ["In 1871, as its stone says.", "It was lit in 1874."].entries()) {
      text(String(3 + i), 60, 740 + 11 * i, 8);
      text(note, 70, 740 + 11 * i, 8);
    }
    text("And it was gilded then.", 70, 774, 8);
  });
  expect(blocks.map(({ kind, text, table }) => [kind, table?.rows ?? text])).toEqual([
    ["paragraph", "The tower was built by the harbour board³"],
    ["note", "3 In 1871, as its stone says."],
    ["paragraph", "The lamp came later⁴"],
    ["note", "4 It was lit in 1874."],
    ["note", "And it was gilded then."],
    ["paragraph", "A text at the end of the page, to which no note belongs"],
    ["table", LAMPS.slice(0, 2)],
  ]);
});

test("tables at the top of several pages are no page headers", async () => {
  const draw = (from: number) => (text: Text, page: PDFPage) => {
    drawTable(text, page, [HEADER, ...LAMPS.slice(from, from + 2)], 60);
    text(`A text about the lamps ${from}.`, 60, 300);
  };
  const blocks = await blocksOf(draw(0), draw(2), draw(4), draw(6));
  expect(blocks.flatMap(({ table }) => table?.rows ?? [])).toEqual(LAMPS);
});

test("text that runs to the left has its paragraphs and columns from the right", () => {
  const line = (text: string, left: number, baseline: number): Line => ({
    ...{ text, left, right: 500, top: baseline - 8, bottom: baseline + 2, baseline, size: 10, font: "f", cells: [] },
  });
  const ragged = [
    line("המנורה נדלקת לפני השקיעה", 300, 100),
    line("והיא בוערת עד", 315, 114),
    line("הזריחה", 340, 128),
  ];
  expect(
    paragraphsOf([...ragged, line("מגדל האור בנוי מאבן", 310, 142)], {
      isHeadingFont: () => false,
      isListed: () => false,
    }),
  ).toEqual([
    {
      text: "המנורה נדלקת לפני השקיעה והיא בוערת עד הזריחה מגדל האור בנוי מאבן",
      lines: expect.arrayContaining(ragged),
    },
  ]);
  expect(textsOfGrid(inReadingDirection(gridOfTexts([["31", "מגדל"]])))).toEqual([["מגדל", "31"]]);
});

test.each([
  ["свет маяка מגדל", false],
  ["ο φάρος מגדל", false],
  ["灯塔的光照 מגדל", false],
  ["мир מגדל האור", true],
])("whether %j runs to the left is told by most of its letters", (text, expected) => {
  expect(isRightToLeft([text])).toBe(expected);
});
