import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { makePdf, type PdfSettings, type PdfText, pdfLines, sourceFile } from "../support/make-files.js";

const parse = async (pages: readonly (readonly PdfText[])[], config = {}, settings?: PdfSettings) =>
  parseDocument(sourceFile("a.pdf", await makePdf(pages, settings)), { config });
const shown = async (pages: readonly (readonly PdfText[])[], config?: object) =>
  (await parse(pages, config)).blocks.map((block) => [block.kind, block.text]);

const BODY = [
  "The first lines of this page are a paragraph that runs over",
  "several lines, as paragraphs in most documents do, so that it",
  "can be told what size and font the text is set in here.",
];

test("headings by size and weight, with levels, pages and places", async () => {
  const { blocks, pages, title, metadata } = await parse(
    [
      [
        { text: "Annual report", x: 50, y: 90, size: 22 },
        { text: "Results", x: 50, y: 140, size: 10, bold: true },
        ...pdfLines(BODY, 50, 160),
      ],
      [{ text: "Outlook", x: 50, y: 140, size: 10, bold: true }, ...pdfLines(BODY, 50, 160)],
    ],
    {},
    { title: "The title", author: "Zoë" },
  );
  expect(blocks.map(({ kind, text, level, page, headingPath }) => ({ kind, text, level, page, headingPath }))).toEqual([
    { kind: "heading", text: "Annual report", level: 1, page: 1, headingPath: [] },
    { kind: "heading", text: "Results", level: 2, page: 1, headingPath: ["Annual report"] },
    { kind: "paragraph", text: BODY.join(" "), page: 1, headingPath: ["Annual report", "Results"] },
    { kind: "heading", text: "Outlook", level: 2, page: 2, headingPath: ["Annual report"] },
    { kind: "paragraph", text: BODY.join(" "), page: 2, headingPath: ["Annual report", "Outlook"] },
  ]);
  expect(blocks[0]!.bbox![0]).toBeCloseTo(50, 0);
  expect({ pages, title, author: metadata.author }).toEqual({ pages: 2, title: "The title", author: "Zoë" });
});

test("two columns are read one after the other, below what spans them", async () => {
  const column = (name: string) =>
    Array.from({ length: 12 }, (_, i) => `${name} column line ${i} with words to the edge`);
  const page = [
    { text: "A title across both of the columns of this page here", x: 50, y: 90, size: 18 },
    ...pdfLines(column("left"), 50, 140),
    ...pdfLines(column("right"), 310, 140),
  ];
  const text = (await shown([page])).map(([, block]) => block).join("\n");
  expect(text.indexOf("A title")).toBe(0);
  expect(text.indexOf("left column line 11")).toBeLessThan(text.indexOf("right column line 0"));
});

test("a page's header, footer and number are told apart from its text", async () => {
  const page = (i: number) => [
    { text: "Company handbook", x: 50, y: 40 },
    ...pdfLines([`Page ${i} begins here and is about number ${i}.`, ...BODY], 50, 120),
    { text: `Page ${i} of 4`, x: 280, y: 810 },
  ];
  const pages = [1, 2, 3, 4].map(page);
  expect((await shown(pages)).flat().join(" ")).not.toMatch(/Company handbook|of 4/);
  const kept = await shown(pages, { keepPageheaderInOutput: true, keepPagefooterInOutput: true });
  expect(kept.filter(([kind]) => kind === "page_header")).toEqual(Array(4).fill(["page_header", "Company handbook"]));
  expect(kept.filter(([kind]) => kind === "page_footer").map(([, text]) => text)).toEqual([
    "Page 1 of 4",
    "Page 2 of 4",
    "Page 3 of 4",
    "Page 4 of 4",
  ]);
});

test.each([
  ["a numbered title", (i: number, title: string) => [{ text: `${i} ${title}`, x: 50, y: 80, bold: true }]],
  [
    "a number apart from its title",
    (i: number, title: string) => [
      { text: String(i), x: 50, y: 80, bold: true },
      { text: title, x: 90, y: 80, bold: true },
    ],
  ],
  [
    "a sentence that ends with a number",
    (i: number, title: string) => pdfLines([`${title} are shown on chart ${i}`], 50, 80),
  ],
  [
    "the first line of a text",
    (i: number, title: string) => [
      { text: title, x: 50, y: 80 },
      { text: String(i), x: 500, y: 80 },
      ...pdfLines(["and goes on below"], 50, 92),
    ],
  ],
])("%s at the top of each page is no running title, though it counts the pages", async (_, lines) => {
  const titles = ["Towers", "Lamps", "Wicks", "Boats", "Storms", "Tides"];
  const pages = titles.map((title, i) => [...lines(i + 1, title), ...pdfLines(BODY, 50, 140)]);
  const text = (await shown(pages)).map(([, own]) => own).join(" ");
  expect(titles.filter((title) => !text.includes(title))).toEqual([]);
});

test("a line at the top of some pages of many is a header only if those are near each other", async () => {
  const label = { text: "Note", x: 50, y: 60 };
  const pagesWith = (labelled: readonly number[]) =>
    Array.from({ length: 44 }, (_, i) => [
      ...(labelled.includes(i) ? [label] : []),
      ...pdfLines([`The tide was low on day ${i} and the boats lay dry, says the log`, ...BODY], 50, 120),
    ]);
  const countOf = async (labelled: readonly number[]) =>
    (await shown(pagesWith(labelled))).filter(([, text]) => text === "Note").length;
  expect(await countOf([3, 20, 40])).toBe(3);
  expect(await countOf([10, 12, 14])).toBe(0);
});

describe("a title beside the number of the page", () => {
  const titles = ["Towers", "Lamps", "Wicks", "Boats", "Storms", "Tides"];
  const pagesWith = (labels: readonly string[], size = 10) =>
    titles.map((title, i) => [
      ...(i % 2 === 0
        ? [
            { text: title, x: 300, y: 40, size },
            { text: labels[i]!, x: 530, y: 40, size },
          ]
        : [
            { text: labels[i]!, x: 50, y: 40, size },
            { text: title, x: 300, y: 40, size },
          ]),
      ...pdfLines(BODY, 50, 120),
    ]);
  const countOf = async (labels: readonly string[], size?: number) => {
    const texts = (await shown(pagesWith(labels, size))).map(([, text]) => text);
    return titles.filter((title) => texts.some((text) => text!.includes(title))).length;
  };

  test.each([
    ["is no text of the page, though it is another on each page", ["8", "9", "10", "11", "12", "13"], 10, 0],
    ["may have a Roman numeral", ["i", "ii", "iii", "iv", "v", "vi"], 10, 0],
    ["is kept where the numbers don't count the pages", ["8", "19", "3", "51", "30", "6"], 10, 6],
    ["is kept if it is a title of the text", ["8", "9", "10", "11", "12", "13"], 16, 6],
  ])("%s", async (_, labels, size, count) => {
    expect(await countOf(labels, size)).toBe(count);
  });
});

test("text in columns with short rows is a table", async () => {
  const rows = [
    ["Item", "Count", "Price"],
    ["Apples", "12", "3.40"],
    ["Pears", "7", "2.10"],
    ["Plums", "30", "4.00"],
  ];
  const page = [
    ...pdfLines(BODY, 50, 80),
    ...rows.flatMap((row, i) => row.map((text, j) => ({ text, x: 50 + j * 120, y: 160 + i * 16 }))),
  ];
  const { blocks } = await parse([page]);
  expect(blocks.at(-1)).toMatchObject({ kind: "table", page: 1, table: { header: rows[0], rows: rows.slice(1) } });
});

test("list items lose their bullet and keep their number", async () => {
  const page = [
    ...pdfLines(BODY, 50, 80),
    ...pdfLines(["• first thing", "• second thing", "1. one", "2. two"], 50, 130),
  ];
  const { blocks } = await parse([page]);
  expect(blocks.slice(1).map(({ kind, text, marker }) => ({ kind, text, marker }))).toEqual([
    { kind: "list_item", text: "first thing" },
    { kind: "list_item", text: "second thing" },
    { kind: "list_item", text: "one", marker: "1." },
    { kind: "list_item", text: "two", marker: "2." },
  ]);
});

test("a word parted at a line's end is made whole, a paragraph goes on over pages", async () => {
  const first = pdfLines(
    ["The quick brown fox jumps over the lazy dog and pro-", "ceeds to the next of the pages of this document,"],
    50,
    700,
  );
  const second = pdfLines(["where the sentence goes on and then ends."], 50, 100);
  expect(await shown([first, second])).toEqual([
    [
      "paragraph",
      "The quick brown fox jumps over the lazy dog and proceeds to the next of the pages of this document, where the sentence goes on and then ends.",
    ],
  ]);
  const [block] = (await parse([first, second])).blocks;
  expect([block!.page, ...block!.continues!.map(({ page }) => page)]).toEqual([1, 2]);
  expect(block!.bbox![1]).toBeCloseTo(692, 0);
  expect(block!.continues![0]!.bbox[1]).toBeCloseTo(92, 0);
  expect(block!.text.slice(block!.continues![0]!.from)).toBe("where the sentence goes on and then ends.");
});

test.each([
  [
    "goes on where its last line is full and has no full stop",
    "the harbour, among them the one of the tower called",
    1,
  ],
  ["ends at a full stop", "the harbour, among them the one of the tower there.", 2],
  ["ends in a short line", "the harbour and its tower", 2],
])("a paragraph at the end of a page %s", async (_, last, count) => {
  const first = pdfLines(["The keeper of the light trims the lamps of all towers of", last], 50, 700);
  const second = pdfLines(["Eastern Light, where the boats come in."], 50, 100);
  expect(await shown([first, second])).toHaveLength(count);
});

test("only the first paragraph of a page goes on with a sentence of the page before", async () => {
  const first = pdfLines(
    ["The keeper of the light trims the lamps of all towers of", "the harbour, among them the one of"],
    50,
    700,
  );
  const second = ["the light of the keepers and also these lamps", "Lamp one", "Lamp two"].flatMap((line, i) =>
    pdfLines([line], 50, 100 + 40 * i),
  );
  expect((await shown([first, second])).slice(1)).toEqual([
    ["paragraph", "Lamp one"],
    ["paragraph", "Lamp two"],
  ]);
});

test("a list item at the end of a page takes no paragraph of the next", async () => {
  const first = pdfLines(
    ["1. The keeper of the light trims the lamps of all towers of", "   the harbour, among them the one of the east"],
    50,
    700,
  );
  expect(await shown([first, pdfLines(["Another paragraph starts here."], 50, 100)])).toHaveLength(2);
});

test("a list goes on at the top of a page with the rest of an item", async () => {
  const page = [
    ...pdfLines(["which is seen from the boats, as well as the wicks of lamps"], 70, 100),
    { text: "2. The oil of the lamps", x: 50, y: 112 },
    { text: "3. The glass", x: 50, y: 124 },
  ];
  expect((await shown([page])).slice(1)).toEqual([
    ["list_item", "The oil of the lamps"],
    ["list_item", "The glass"],
  ]);
});

test.each([
  ["an initial", ["The light was described by a keeper of that time, Mary", "J. Burns, in a book of hers."], 1],
  ["a number", ["The light was described by a keeper of that time, in part", "3. It had a lens by then."], 1],
  ["a letter with a bracket", ["The light was described by a keeper of that time, in part", "c) It had a lens."], 2],
  [
    "an initial below a marker",
    ["1. The light was described by a keeper of that time, by", "   J. Burns, in a book."],
    1,
  ],
  ["an item below a full line", ["1. The light was described by a keeper of that time, but", "2. the lens wasn't."], 2],
  [
    "the first item of a list",
    ["The light was described by a keeper of that time who says", "a. that it had a lens"],
    2,
  ],
  [
    "an item after a sentence",
    ["The light was described by a keeper of that old time here.", "C. There is a lens."],
    2,
  ],
  ["an item after a short line", ["The light was described then", "C. There is a lens"], 2],
])("the beginning of a line as %s", async (_, lines, count) => {
  const indent = (line: string) => line.length - line.trimStart().length;
  const page = lines.map((line, i) => ({ text: line.trim(), x: 50 + 5 * indent(line), y: 200 + 14 * i }));
  const others = pdfLines(["The boats come in when they see the light of the tower at"], 50, 300);
  expect(await shown([[...page, ...others]])).toHaveLength(count + 1);
});

test.each([
  ["the names of columns are no heading", ["Mode", "Lamp", "Comment"], 0],
  ["a number and a title are", ["2", "Lamps and wicks"], 1],
])("of bold texts in one line, %s", async (_, texts, count) => {
  const line = texts.map((text, i) => ({ text, x: 50 + 150 * i, y: 150, bold: true }));
  const kinds = (await shown([[...line, ...pdfLines(BODY, 50, 200)]])).map(([kind]) => kind);
  expect(kinds.filter((kind) => kind === "heading")).toHaveLength(count);
});

test("the term of a definition begins a paragraph below a description that is further to the right", async () => {
  const page = [
    { text: "None no light", x: 80, y: 200 },
    { text: "Fixed a light that burns", x: 50, y: 214 },
    ...pdfLines(["An indented line is the first of its paragraph if it is full, and", "the next goes on."], 50, 300),
  ];
  page[2] = { ...page[2]!, x: 65 };
  expect((await shown([page])).map(([, text]) => text)).toEqual([
    "None no light",
    "Fixed a light that burns",
    "An indented line is the first of its paragraph if it is full, and the next goes on.",
  ]);
});

test("a bold word at the end of a paragraph belongs to it, but not one that may be a title", async () => {
  const lines = (last: string) => [
    ...pdfLines(
      ["The keeper of the light reads the glass, and writes the time in", "the log of the light or in the"],
      50,
      200,
    ),
    { text: last, x: 50, y: 228, bold: true },
    ...pdfLines(["The boats come in when they see the light of the tower there at"], 50, 300),
  ];
  const full = [{ text: "the log of the light, or if there is none at the tower then in the", x: 50, y: 214 }];
  const withFull = (last: string) => lines(last).map((line, i) => (i === 1 ? full[0]! : line));
  expect((await shown([withFull("book of hours")]))[0]![1]).toMatch(/ in the book of hours$/);
  expect((await shown([withFull("Book of hours")]))[1]).toEqual(["heading", "Book of hours"]);
  expect((await shown([lines("book of hours")]))[0]![1]).toMatch(/ or in the$/);
});

test("a paragraph with words in a smaller font is whole, however its lines are spaced", async () => {
  const words = ["not", "wanted,", "say", "SMALLCAPITALS", "at", "the", "top"];
  const spaced = words.map((text, i) => ({ text, x: 50 + 50 * i, y: 214, size: text === "SMALLCAPITALS" ? 6 : 10 }));
  const page = [
    ...pdfLines(["The keeper of the light trims the lamps of all towers there. If this is"], 50, 200),
    ...spaced,
    ...pdfLines(["of the log."], 50, 228),
  ];
  expect(await shown([page])).toEqual([
    ["paragraph", expect.stringMatching(/If this is not wanted, say SMALLCAPITALS at the top of the log\.$/)],
  ]);
});

test("a list item that goes on over pages says where in its text the next page begins", async () => {
  const first = pdfLines(["1. The keeper trims the wick of the lamp before dusk,", "and winds the clock,"], 50, 700);
  const second = pdfLines(["then writes down the time of both in the book."], 50, 100);
  const [block] = (await parse([first, second])).blocks;
  expect([block!.kind, block!.marker]).toEqual(["list_item", "1."]);
  expect(block!.text.slice(block!.continues![0]!.from)).toBe("then writes down the time of both in the book.");
});

describe("limits", () => {
  test("more than 2,000 pages are refused", async () => {
    await expect(parse(Array.from({ length: 2001 }, () => []))).rejects.toMatchObject({
      code: "limit_exceeded",
      message: expect.stringMatching(/2001 pages/),
    });
  });

  test.each([
    [1, 80, 1],
    [1, 80, 2],
    [6, 52, 1],
  ])("%d streams that inflate to %d MB each through %d filters are refused", async (streams, megabytes, filters) => {
    const page = Buffer.from(await makePdf([[]])).toString("latin1");
    let data = deflateSync(new Uint8Array(megabytes * 1024 * 1024));
    if (filters === 2) data = deflateSync(data);
    const dictionary = `<< /Length ${data.length} /Filter [${"/FlateDecode ".repeat(filters)}] >>`;
    const stream = `99 0 obj\n${dictionary}\nstream\n${data.toString("latin1")}\nendstream\nendobj\n`;
    const pdf = page.replace("%%EOF", () => `${stream.repeat(streams)}%%EOF`);
    const file = sourceFile("bomb.pdf", Buffer.from(pdf, "latin1"));
    await expect(parseDocument(file)).rejects.toMatchObject({
      code: "limit_exceeded",
      message: expect.stringMatching(/inflate to more/),
    });
  });

  test("an aborted call ends", async () => {
    const file = sourceFile("a.pdf", await makePdf([pdfLines(BODY, 50, 100)]));
    const controller = new AbortController();
    const parsing = parseDocument(file, { signal: controller.signal });
    controller.abort();
    await expect(parsing).rejects.toMatchObject({ name: "AbortError" });
  });
});
