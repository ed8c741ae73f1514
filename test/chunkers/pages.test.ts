import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cite } from "#dist/answer/cite.js";
import { BlockIndex } from "#dist/chunkers/block-index.js";
import { pack } from "#dist/chunkers/pack.js";
import { structureChunker } from "#dist/chunkers/structure-chunker.js";
import { locateHighlights } from "#dist/search/locate-highlights.js";
import { parsePositions, positionsToJson, publicPositions } from "#dist/storage/chunk-positions.js";
import type { Block } from "../../src/interfaces/block.js";
import type { ChunkDraft, ChunkOptions } from "../../src/interfaces/chunker.js";

const chunk = (blocks: readonly Block[], options: Partial<ChunkOptions> = {}) =>
  structureChunker.chunk(blocks, {
    chunkSize: 200,
    chunkOverlap: 0,
    maxChunkSize: 400,
    delimiter: null,
    maxTokens: null,
    countTokens: async (texts) => texts.map(({ length }) => Math.ceil(length / 4)),
    ...options,
  });

function block(text: string, page: number, more: Partial<Block> = {}): Block {
  return { kind: "paragraph", text, headingPath: [], origin: "native", page, ...more };
}

/** A sentence of so many characters. */
const sentence = (length: number) => `${"word ".repeat(length / 5).slice(0, length - 1)}.`;
const pagesOf = ({ page, pages }: ChunkDraft) => [...new Set(pages?.map(({ page }) => page) ?? [page])];

describe("a chunk ends with its page", () => {
  test("where the next chunk has room for what it has of the next page", async () => {
    const blocks = [block(sentence(80), 1), block(sentence(40), 1), block(sentence(50), 2), block(sentence(90), 2)];
    expect((await chunk(blocks)).map(pagesOf)).toEqual([[1], [2]]);
  });

  test("and not where that would take one chunk more, or put two sections together", async () => {
    const full = [block(sentence(80), 1), block(sentence(40), 1), block(sentence(50), 2), block(sentence(180), 2)];
    expect((await chunk(full)).map(pagesOf)).toEqual([[1, 2], [2]]);
    const heading = { kind: "heading", level: 1 } as const;
    const sections = [
      block("One", 1, heading),
      block(sentence(80), 1, { headingPath: ["One"] }),
      block(sentence(50), 2, { headingPath: ["One"] }),
      block("Two", 2, heading),
      block(sentence(60), 2, { headingPath: ["Two"] }),
    ];
    expect((await chunk(sections)).map(pagesOf)).toEqual([[1, 2], [2]]);
  });

  test("never by more chunks or larger ones", async () => {
    const paragraphs = fc.array(fc.record({ length: fc.integer({ min: 5, max: 190 }), turn: fc.boolean() }), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(paragraphs, async (drawn) => {
        let page = 1;
        const blocks = drawn.map(({ length, turn }) => block(sentence(length), turn ? ++page : page));
        const source = new BlockIndex(blocks);
        const packed = pack(
          source,
          blocks.flatMap((_, i) => source.part(i) ?? []),
          { target: 200, max: 400, overlap: 0 },
        );
        const drafts = await chunk(blocks);
        expect(drafts.length).toBe(packed.length);
        for (const { text } of drafts) expect(text.length).toBeLessThanOrEqual(200);
        const spanning = packed.filter(({ newParts }) => {
          return blocks[newParts[0]!.block]!.page !== blocks[newParts.at(-1)!.block]!.page;
        });
        expect(drafts.filter((draft) => pagesOf(draft).length > 1).length).toBeLessThanOrEqual(spanning.length);
      }),
      { numRuns: 500 },
    );
  });
});

test("a chunk has the cells of its own rows, and of a header only where that is not repeated", async () => {
  const row = (number: number) => `| row ${number} | ${"x".repeat(40)} |`;
  const numbers = [4, 5, 7, 9, 10, 11];
  const text = ["| name | text |", "| --- | --- |", ...numbers.map(row)].join("\n");
  const rowCells = { sheet: "Stock", columns: [1, 2], headerRows: [1, 3], rows: numbers } as const;
  const drafts = await chunk([block("Lead.", 1), block(text, 1, { kind: "table", rowCells })], { maxChunkSize: 220 });
  expect(
    drafts.map(({ text, cells = [] }) => cells.map(({ rows, range }) => [rows, text.slice(range.start, range.end)])),
  ).toEqual([
    [
      [[1, 3], "| name | text |"],
      [[4, 5], [4, 5].map(row).join("\n")],
      [[7, 7], row(7)],
    ],
    [[[9, 11], [9, 10, 11].map(row).join("\n")]],
  ]);
});

test("a citation of a row that equals the repeated header has the place of that row", async () => {
  const header = "| name | text |";
  const numbers = Array.from({ length: 30 }, (_, i) => i + 2);
  const rows = numbers.map((number) => (number % 3 === 0 ? header : `| row ${number} | ${"x".repeat(20)} |`));
  const text = [header, "| --- | --- |", ...rows].join("\n");
  const starts = [0, ...rows.map((_, i) => text.split("\n", i + 2).join("\n").length + 1)];
  const rowBoxes = starts.map((from, i) => ({ page: 1, bbox: [0, i + 1, 9, i + 2] as const, from }));
  const rowCells = { sheet: "Stock", columns: [1, 2], headerRows: [1, 1], rows: numbers } as const;
  const title = block("Stock of the year", 1, { kind: "caption" });
  const drafts = await chunk([title, block(text, 1, { kind: "table", rowBoxes, rowCells })], { maxChunkSize: 250 });
  expect(drafts.length).toBeGreaterThan(3);
  const document = `${title.text}\n\n${text}`;
  const places = drafts.flatMap((draft, ordinal) => {
    const stored = { ...draft, ordinal, documentId: "doc_1", metadata: "{}", boxes: positionsToJson(draft) };
    const storedText = document.slice(draft.start, draft.end);
    return [...storedText.matchAll(/\| name \| text \|/g)].map(({ index: start }) => {
      const quote = { text: header, start, end: start + header.length };
      // As a language model is shown a passage of which only the beginning fits.
      const passage = { stored, text: storedText.slice(0, quote.end), wholeText: storedText };
      const { boxes, cells } = cite(passage as unknown as Parameters<typeof cite>[0], quote);
      return [cells?.[0]?.range, boxes?.[0]?.bbox[1]];
    });
  });
  expect(places).toEqual([1, ...numbers.filter((n) => n % 3 === 0)].map((n) => [`A${n}:B${n}`, n]));
});

/** A table with a blank row of the sheet above each of its rows. */
function spacedTable(sheet: string, count: number): Block {
  const numbers = Array.from({ length: count }, (_, i) => 2 * i + 3);
  const text = ["| a | b |", "| --- | --- |", ...numbers.map((number) => `| ${sheet} | ${number} |`)].join("\n");
  const rowCells = { sheet, columns: [1, 2], headerRows: [1, 1], rows: numbers } as const;
  return block(text, 1, { kind: "table", rowCells });
}

test("a row keeps its own cells where blank rows stand between rows; more rows are merged for each table", async () => {
  const cellsOf = async (blocks: readonly Block[], quote: string) => {
    const [draft] = await chunk(blocks, { chunkSize: 60_000, maxChunkSize: 60_000 });
    const positions = parsePositions(positionsToJson(draft!));
    const start = draft!.text.indexOf(quote);
    const [highlight] = locateHighlights([{ start, end: start + quote.length }], draft!.text, 1, positions);
    return highlight!.cells;
  };
  expect(await cellsOf([spacedTable("S", 250)], "| S | 403 |")).toEqual([{ sheet: "S", range: "A403:B403" }]);
  const tables = [spacedTable("S", 250), spacedTable("T", 250)];
  expect(await cellsOf(tables, "| T | 403 |")).toEqual([{ sheet: "T", range: "A1:B501" }]);
  const small = Array.from({ length: 300 }, (_, i) => spacedTable(i < 150 ? "S" : "T", 1));
  expect(await cellsOf(small, "| T | 3 |")).toEqual([{ sheet: "T", range: "A1:B3" }]);
});

test("merged rows are not told apart by lines, though their range has as many", () => {
  const cells = { sheet: "S", columns: [1, 2], rows: [1, 3], range: { start: 0, end: 5 } } as const;
  const cellsOf = (isMerged: boolean) => {
    const positions = parsePositions(positionsToJson({ cells: [{ ...cells, isMerged }] }));
    return locateHighlights([{ start: 2, end: 3 }], "a\nb\nc", 1, positions)[0]!.cells;
  };
  expect([cellsOf(false), cellsOf(true)].map((found) => found![0]!.range)).toEqual(["A2:B2", "A1:B3"]);
});

test("the cells of a chunk are joined where they have a row in common; long names of sheets are cut", () => {
  const cellsOf = (sheet: string, rows: readonly (readonly [number, number])[]) =>
    publicPositions(
      1,
      parsePositions(
        positionsToJson({
          cells: rows.map((each) => ({ sheet, columns: [1, 2], rows: each, range: { start: 0, end: 5 } })),
        }),
      ),
    ).cells!;
  const overlapping = [
    [1, 4],
    [4, 4],
    [3, 3],
    [5, 6],
    [8, 8],
    [2, 2],
  ] as const;
  expect(cellsOf("S", overlapping).map(({ range }) => range)).toEqual(["A1:B6", "A8:B8", "A2:B2"]);
  expect(cellsOf("x".repeat(5000), [[1, 1]])[0]!.sheet).toBe("x".repeat(100));
});

test("a row keeps its own box in a chunk with many, which shows one for each page", async () => {
  const rows = Array.from({ length: 100 }, (_, i) => `| ${i} | ${i} |`);
  const text = ["| a | b |", "| --- | --- |", ...rows].join("\n");
  const starts = [0, ...rows.map((_, i) => text.split("\n", i + 2).join("\n").length + 1)];
  const rowBoxes = starts.map((from, i) => ({
    page: i < 60 ? 1 : 2,
    bbox: [50, (i % 60) * 10, 500, (i % 60) * 10 + 10] as const,
    from,
  }));
  const [draft] = await chunk([block(text, 1, { kind: "table", rowBoxes })], { chunkSize: 2000, maxChunkSize: 2000 });
  const positions = parsePositions(positionsToJson(draft!));
  const at = draft!.text.indexOf("| 70 |");
  const [highlight] = locateHighlights([{ start: at, end: at + 4 }], draft!.text, 1, positions);
  expect(highlight!.boxes).toEqual([{ page: 2, bbox: [50, 110, 500, 120] }]);
  expect(publicPositions(1, positions).boxes).toEqual([
    { page: 1, bbox: [50, 0, 500, 600] },
    { page: 2, bbox: [50, 0, 500, 410] },
  ]);
});

describe("where a chunk stands", () => {
  const first = [50, 700, 500, 800] as const;
  const second = [50, 60, 500, 160] as const;
  const text = [sentence(100), sentence(100), sentence(100), sentence(100)].join(" ");

  test("is said of the pages of a paragraph that goes on over a page break", async () => {
    const blocks = [block(text, 3, { bbox: first, continues: [{ page: 4, bbox: second, from: 150 }] })];
    const drafts = await chunk(blocks, { chunkSize: 110, maxChunkSize: 110 });
    expect(drafts.map(({ page, pages }) => ({ page, pages }))).toEqual([
      { page: 3, pages: undefined },
      {
        page: 3,
        pages: [
          { page: 3, from: 0 },
          { page: 4, from: 150 - drafts[1]!.start },
        ],
      },
      { page: 4, pages: undefined },
      { page: 4, pages: undefined },
    ]);
    expect(drafts.map(({ boxes }) => boxes!.map(({ page, bbox }) => [page, bbox]))).toEqual([
      [[3, first]],
      [
        [3, first],
        [4, second],
      ],
      [[4, second]],
      [[4, second]],
    ]);
    for (const { text, boxes } of drafts) {
      expect([boxes![0]!.range!.start, boxes!.at(-1)!.range!.end]).toEqual([0, text.length]);
    }
  });

  test("is said of both pages where the place of the page break is not known", async () => {
    const blocks = [block(text, 3, { bbox: first, continues: [{ page: 4, bbox: second }] })];
    const [draft] = await chunk(blocks, { chunkSize: 110, maxChunkSize: 110 });
    expect(draft!.boxes!.map(({ page, range }) => [page, range])).toEqual([
      [3, { start: 0, end: draft!.text.length }],
      [4, { start: 0, end: draft!.text.length }],
    ]);
    expect(draft!.pages).toBeUndefined();
  });

  test("counts the markers that a chunk shows and its file has not", async () => {
    const blocks = [
      block("Title", 1, { kind: "heading", level: 2, bbox: first }),
      block("an item", 1, { kind: "list_item", bbox: first }),
      block("a paragraph", 2, { bbox: second }),
    ];
    const [draft] = await chunk(blocks);
    expect(draft!.boxes!.map(({ range }) => draft!.text.slice(range!.start, range!.end))).toEqual([
      "Title",
      "an item",
      "a paragraph",
    ]);
    expect(draft!.pages!.map(({ page, from }) => [page, draft!.text.slice(from, from + 7)])).toEqual([
      [1, "Title\n\n"],
      [2, "a parag"],
    ]);
  });
});
