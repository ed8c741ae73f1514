import { PDFDocument, PDFName, type PDFPage, PDFString, StandardFonts } from "pdf-lib";
import { expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { type HeadingEvidence, headingLevels } from "#dist/parsers/pdf/headings/heading-levels.js";
import { sectionNumber } from "#dist/parsers/pdf/headings/section-number.js";
import { Titles } from "#dist/parsers/pdf/headings/titles.js";
import { BlockList } from "#dist/parsers/shared/blocks/block-list.js";
import { sourceFile } from "../support/make-files.js";

/** A heading by its text, size, and what else is known of it. */
function heading(text: string, size: number, known: Partial<HeadingEvidence> = {}): HeadingEvidence {
  return { text, size, isBold: true, tagLevel: null, outlineDepth: null, contentsDepth: null, ...known };
}

/** The titles with their levels, as `2 Title`. */
function levelled(headings: readonly HeadingEvidence[]): string[] {
  const levels = headingLevels(headings);
  return headings.map(({ text }, i) => `${"#".repeat(levels[i]!)} ${text}`);
}

test("numbers tell the levels of headings in one style, below the title of the document", () => {
  const titles = ["1 Towers", "1.1 Lamps", "1.1.1 Oil", "1.2 Stairs", "2 Boats", "2.1 Oars", "A.1 Lists", "References"];
  expect(levelled([heading("The Coast", 20), ...titles.map((title) => heading(title, 12))])).toEqual([
    "# The Coast",
    "## 1 Towers",
    "### 1.1 Lamps",
    "#### 1.1.1 Oil",
    "### 1.2 Stairs",
    "## 2 Boats",
    "### 2.1 Oars",
    "### A.1 Lists",
    "## References",
  ]);
});

test("the numbers of steps, which begin anew, are no numbers of sections", () => {
  const steps = ["1. Climb", "2. Light"].map((title) => heading(title, 10));
  expect(
    levelled([
      heading("1 Towers", 14),
      ...steps,
      heading("2 Boats", 14),
      heading("2.1 Oars", 12),
      ...steps,
      heading("3 Storms", 14),
    ]),
  ).toEqual([
    "# 1 Towers",
    "### 1. Climb",
    "### 2. Light",
    "# 2 Boats",
    "## 2.1 Oars",
    "### 1. Climb",
    "### 2. Light",
    "# 3 Storms",
  ]);
});

test("chapters are above the sections that are numbered anew in each, and appendices beside the chapters", () => {
  expect(
    levelled([
      heading("Part I", 24),
      heading("Chapter 1 Towers", 18),
      heading("I. Lamps", 12),
      heading("A. Oil", 12),
      heading("B. Gas", 12),
      heading("Chapter 2 Boats", 18),
      heading("I. Oars", 12),
      heading("Part II", 24),
      heading("Appendix A Lists", 18),
    ]),
  ).toEqual([
    "# Part I",
    "## Chapter 1 Towers",
    "### I. Lamps",
    "#### A. Oil",
    "#### B. Gas",
    "## Chapter 2 Boats",
    "### I. Oars",
    "# Part II",
    "## Appendix A Lists",
  ]);
});

test("the outline tells levels, and headings that it lacks have the level of their style", () => {
  expect(
    levelled([
      heading("The Coast", 20),
      heading("A report", 16),
      heading("Towers", 12, { outlineDepth: 1 }),
      heading("Lamps", 12, { outlineDepth: 2 }),
      heading("Stairs", 12, { outlineDepth: 2 }),
      heading("Wicks", 10),
      heading("Boats", 12, { outlineDepth: 1 }),
      heading("A large saying in the middle", 30),
      heading("Index", 12),
    ]),
  ).toEqual([
    "# The Coast",
    "## A report",
    "## Towers",
    "### Lamps",
    "### Stairs",
    "#### Wicks",
    "## Boats",
    "## A large saying in the middle",
    "## Index",
  ]);
});

test("styles below all that is known of have a level each", () => {
  const known = [heading("Towers", 18, { contentsDepth: 1 }), heading("Boats", 18, { contentsDepth: 1 })];
  const sizes = [15, 13, 11, 15, 13, 11];
  const levels = headingLevels([...known, ...sizes.map((size, i) => heading(`Title ${"abcdef"[i]}`, size))]);
  expect(levels).toEqual([1, 1, 2, 3, 4, 2, 3, 4]);
});

test("tags count if they agree with the sizes, and are taken as they are", () => {
  const tagged = (levels: readonly number[]) =>
    headingLevels(
      [18, 14, 14, 12, 12, 14].map((size, i) => heading(`Title ${"abcdef"[i]}`, size, { tagLevel: levels[i]! })),
    );
  expect(tagged([2, 3, 3, 4, 4, 3])).toEqual([2, 3, 3, 4, 4, 3]);
  expect(tagged([3, 2, 2, 1, 1, 2])).toEqual([1, 2, 2, 3, 3, 2]);
  const flat = ["1 Towers", "1.1 Lamps", "1.2 Stairs", "2 Boats"].map((title) => heading(title, 12, { tagLevel: 1 }));
  expect(headingLevels(flat)).toEqual([1, 2, 2, 1]);
});

test("numbers that no listed heading has are those of steps, dates or prices", () => {
  const rest = ["12 Widgets at 3.50", "15 Bolts at 1.20", "120 Nuts"].map((title) => heading(title, 10));
  const prices = heading("Prices", 16, { outlineDepth: 1 });
  const boats = heading("Boats", 13, { outlineDepth: 2 });
  const levels = headingLevels([prices, boats, ...rest, heading("Terms", 16, { outlineDepth: 1 })]);
  expect(levels).toEqual([1, 2, 3, 3, 3, 1]);
});

test("a single heading before the first number, smaller than those of other sections, has a level of its own", () => {
  const minutes = heading("Minutes", 16);
  const members = heading("Members", 16);
  const dates = ["3 March 2025", "12 May 2025", "20 June 2025"].map((title) => heading(title, 10));
  expect(headingLevels([minutes, heading("Meetings", 13), ...dates, members])).toEqual([1, 2, 3, 3, 3, 1]);
});

test("numbers at one depth don't put headings of different sizes on one level", () => {
  const titles = ["1 Towers", "2 Lamps", "3 Oil", "4 Wicks", "5 Boats", "6 Oars", "7 Sails", "8 Ropes"];
  const levels = headingLevels(titles.map((title, i) => heading(title, i % 4 === 0 || i > 6 ? 16 : 12)));
  expect(levels).toEqual([1, 2, 2, 2, 1, 2, 2, 1]);
});

test("the number of a page in a running title is not that of a section", () => {
  const sections = [heading("1 Towers", 16), heading("1.1 Lamps", 12), heading("2 Boats", 16), heading("2.1 Oars", 12)];
  const running = (hasPageNumber: boolean) => heading("3 Boats", 12, { hasPageNumber });
  expect(headingLevels([...sections, running(false)])).toEqual([1, 2, 1, 2, 1]);
  expect(headingLevels([...sections, running(true)])).toEqual([1, 2, 1, 2, 2]);
});

test("chapters with Roman numerals are above their sections in the same style", () => {
  const titles = ["Chapter I. Towers", "1.1 Lamps", "Chapter II. Boats", "2.1 Oars", "Chapter V. Storms", "5.1 Wind"];
  expect(headingLevels(titles.map((title) => heading(title, 14)))).toEqual([1, 2, 1, 2, 1, 2]);
});

test("any number of headings in any number of styles is levelled", () => {
  const steps = Array.from({ length: 150_000 }, (_, i) => heading(`${1 + (i % 999)} Step`, 12));
  expect(headingLevels(steps).every((level) => level === 1)).toBe(true);
  const sizes = Array.from({ length: 6000 }, (_, i) => heading(`${1 + Math.floor(i / 200)}.${i % 200} Step`, i / 2));
  expect(Math.max(...headingLevels(sizes))).toBeLessThanOrEqual(6);
});

test.each([
  ["2.1 Lamps", [2, 1], "Lamps"],
  ["3. Lamps", [3], "Lamps"],
  ["B.2 Lamps", [1066, 2], "Lamps"],
  ["Appendix C: Lamps", [1067], "Lamps"],
  ["Chapter V. Lamps", [5], "Lamps"],
  ["Chapter C. Lamps", undefined, undefined],
  ["Kapitel 4 Lampen", [4], "Lampen"],
  ["IV. Lamps", [4], "Lamps"],
  ["2024 in figures", undefined, undefined],
  ["Partly cloudy", undefined, undefined],
])("the number of %j", (title, path, rest) => {
  const number = sectionNumber(title);
  expect([number?.path, number?.title]).toEqual([path, rest]);
});

test("an entry is found by title, number and page, however many have the same title", () => {
  const entry = (title: string, page: number | null, depth = 1) => ({ title, page, depth });
  const same = Array.from({ length: 40_000 }, (_, i) => entry("Notes", 10 + (i % 2)));
  const titles = new Titles([...same, entry("1 Notes", 40, 2), entry("2 Notes", 40, 3), entry("Lamps", null)]);
  for (let i = 0; i < 20_000; i++) expect(titles.find("NOTES", 12)?.page === 11).toBe(true);
  expect(titles.find("2 Notes", 40)?.depth).toBe(3);
  expect(titles.find("Notes", 41)?.depth).toBe(2);
  expect(titles.find("3 Notes", 40)).toBeNull();
  expect(titles.find("3 Notes", 10)?.page).toBe(10);
  expect(titles.find("Notes.", 10)).toBeNull();
  expect(titles.find("Notes", 20)).toBeNull();
  expect(titles.find("Lamps", 20)?.title).toBe("Lamps");
});

/** Adds an outline of one level whose titles lead to pages, or nowhere. */
function addOutline(document: PDFDocument, entries: readonly (readonly [title: string, page: PDFPage | null])[]): void {
  const { context, catalog } = document;
  const outline = context.nextRef();
  const items = entries.map(() => context.nextRef());
  for (const [i, [title, page]] of entries.entries())
    context.assign(
      items[i]!,
      context.obj({
        Title: PDFString.of(title),
        Parent: outline,
        ...(page === null ? {} : { Dest: [page.ref, "Fit"] }),
        ...(i > 0 ? { Prev: items[i - 1]! } : {}),
        ...(i + 1 < items.length ? { Next: items[i + 1]! } : {}),
      }),
    );
  context.assign(outline, context.obj({ First: items[0]!, Last: items.at(-1)!, Count: items.length }));
  catalog.set(PDFName.of("Outlines"), outline);
}

/** A document whose headings look like its text. Its sections are on pages 2 and 3. */
async function plainDocument() {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const pages = Array.from({ length: 3 }, () => document.addPage([595, 842]));
  const write = (page: number, lines: readonly string[], y: number) => {
    for (const [i, line] of lines.entries()) pages[page]!.drawText(line, { x: 60, y: y - 12 * i, size: 10, font });
  };
  write(1, ["1 Towers"], 780);
  write(1, ["The towers of the coast are old, and most of them have been", "repaired in the last ten years."], 750);
  write(1, ["1.1 Lamps", "The lamps burn oil. They are lit before the sun sets, as was said of", "2 Boats"], 700);
  write(2, ["2 Boats", "The boats lie in the harbour and leave it when a storm is over, for"], 780);
  write(2, ["repairs see the part about 1.1 Lamps and what follows there."], 756);
  return { document, font, pages, write };
}

const titlesOf = async (document: PDFDocument) => {
  const { blocks } = await parseDocument(sourceFile("a.pdf", await document.save()));
  return blocks.flatMap(({ kind, level, text, page }) => (kind === "heading" ? [[level, text, page]] : []));
};

test("a line of text is a heading where the outline has its title, and no other line with that title", async () => {
  const { document, pages } = await plainDocument();
  expect(await titlesOf(document)).toEqual([]);
  addOutline(document, [
    ["1 Towers", pages[1]!],
    ["Lamps", pages[1]!],
    ["Boats", pages[2]!],
  ]);
  expect(await titlesOf(document)).toEqual([
    [1, "1 Towers", 2],
    [2, "1.1 Lamps", 2],
    [1, "2 Boats", 3],
  ]);
});

test.each([
  ["no heading if the outline lists the other headings", 4, []],
  ["a heading without a complete outline", 1, ["Note", "Note", "Note", "Note"]],
])("a bold label that is repeated above text is %s", async (_, listedCount, expected) => {
  const document = await PDFDocument.create();
  const plain = await document.embedFont(StandardFonts.Helvetica);
  const bold = await document.embedFont(StandardFonts.HelveticaBold);
  const names = ["Towers", "Lamps", "Boats", "Storms"];
  const pages = names.map((name) => {
    const page = document.addPage([595, 842]);
    page.drawText(name, { x: 60, y: 700, size: 14, font: bold });
    page.drawText("This was seen from the harbour by those who went there.", { x: 60, y: 670, size: 10, font: plain });
    page.drawText("Note", { x: 80, y: 640, size: 10, font: bold });
    page.drawText("The glass is to be read before the lamp is lit.", { x: 80, y: 620, size: 10, font: plain });
    return page;
  });
  addOutline(
    document,
    names.slice(0, listedCount).map((name, i) => [name, pages[i]!]),
  );
  const titles = (await titlesOf(document)).map(([, text]) => text);
  expect(titles.filter((title) => !names.includes(String(title)))).toEqual(expected);
  expect(titles.filter((title) => names.includes(String(title)))).toEqual(names);
});

test("a line that stands alone is a heading where the contents page says so", async () => {
  const { document, write } = await plainDocument();
  const leader = ".".repeat(60);
  write(0, ["Contents"], 780);
  write(0, [`1 Towers ${leader} 1`, `1.1 Lamps ${leader} 1`, `2 Boats ${leader} 2`, `Towers ${leader} 9`], 750);
  write(1, ["2 Boats"], 500);
  write(2, ["2 Boats"], 500);
  expect(await titlesOf(document)).toEqual([
    [1, "1 Towers", 2],
    [1, "2 Boats", 3],
  ]);
});

/** The first page of a document of three has titles in bold, with page numbers and no leaders. */
async function documentWithContents(titles: readonly string[], isLinked: boolean) {
  const { document } = await plainDocument();
  const [page, ...others] = document.getPages();
  const bold = await document.embedFont(StandardFonts.HelveticaBold);
  for (const [i, title] of titles.entries()) {
    const y = 760 - 40 * i;
    page!.drawText(title, { x: 60, y, size: 14, font: bold });
    if (!isLinked) continue;
    page!.node.addAnnot(
      document.context.register(
        document.context.obj({
          Type: "Annot",
          Subtype: "Link",
          Rect: [60, y - 2, 60 + bold.widthOfTextAtSize(title, 14) * 0.8, y + 10],
          Dest: [others[Math.min(1, Math.floor(i / 2))]!.ref, "XYZ", 0, i, 0],
        }),
      ),
    );
  }
  return document;
}

test.each([
  ["Chapter 3", "Boats and storms", [[1, "Chapter 3 Boats and storms", 1]]],
  ["Appendix B", "Boats and storms", [[1, "Appendix B Boats and storms", 1]]],
  [
    "Chapters",
    "Boats and storms",
    [
      [2, "Chapters", 1],
      [1, "Boats and storms", 1],
    ],
  ],
  [
    "Chapter 3",
    "Chapter 4",
    [
      [1, "Chapter 3", 1],
      [1, "Chapter 4", 1],
    ],
  ],
  [
    "Section 3",
    "3.1 Boats",
    [
      [1, "Section 3", 1],
      [2, "3.1 Boats", 1],
    ],
  ],
])("%j above %j", async (above, below, expected) => {
  const { document, font, pages } = await plainDocument();
  pages[0]!.drawText(above, { x: 60, y: 700, size: 14, font });
  pages[0]!.drawText(below, { x: 60, y: 660, size: 20, font });
  expect(await titlesOf(document)).toEqual(expected);
});

test.each([
  ["linked titles with page numbers in order are no headings", ["Towers 2", "Lamps and wicks 2", "Boats 3"], true, 0],
  ["without links they are", ["Towers 2", "Lamps and wicks 2", "Boats 3"], false, 3],
  ["with numbers in no order they are", ["Towers 3", "Lamps and wicks 2", "Boats 3"], true, 3],
  ["two of them are", ["Towers 2", "Boats 3"], true, 2],
  ["years are no page numbers", ["Report 2021", "Report 2022", "Report 2023"], true, 3],
])("of a contents page, %s", async (_, titles, isLinked, headingCount) => {
  const found = await titlesOf(await documentWithContents(titles, isLinked));
  expect(found.filter(([, , page]) => page === 1)).toHaveLength(headingCount);
});

test("a linked title on a contents page may have two lines", async () => {
  const document = await documentWithContents(["Towers 2", "Lamps 2", "Boats 3"], true);
  const [page, , target] = document.getPages();
  const bold = await document.embedFont(StandardFonts.HelveticaBold);
  for (const [i, line] of ["The harbour in a storm and", "when it is over 3"].entries()) {
    const y = 600 - 16 * i;
    page!.drawText(line, { x: 60, y, size: 14, font: bold });
    page!.node.addAnnot(
      document.context.register(
        document.context.obj({
          Type: "Annot",
          Subtype: "Link",
          Rect: [60, y - 2, 180, y + 10],
          Dest: [target!.ref, "XYZ", 0, 99, 0],
        }),
      ),
    );
  }
  expect((await titlesOf(document)).filter(([, , number]) => number === 1)).toEqual([]);
});

test("a chapter's number apart from its title isn't the page's, if both are larger than the text", async () => {
  const { document, font, pages } = await plainDocument();
  for (const [page, title, size] of [
    [pages[0]!, "Boats and storms", 18],
    [document.addPage([595, 842]), "Ropes and sails", 10],
  ] as const) {
    page.drawText("3", { x: 60, y: 790, size, font });
    page.drawText(title, { x: 110, y: 790, size, font });
  }
  expect(await titlesOf(document)).toEqual([[1, "3 Boats and storms", 1]]);
});

/** A document of pages with bold titles, each at the height given, above lines of text. */
async function titledDocument(titles: readonly (readonly [title: string, y: number])[][]) {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const bold = await document.embedFont(StandardFonts.HelveticaBold);
  const pages = titles.map((own) => {
    const page = document.addPage([595, 842]);
    for (const [text, y] of own) page.drawText(text, { x: 60, y, size: 14, font: bold });
    for (const [i, text] of ["The boats lie in the harbour all winter, and the", "crew is at home."].entries())
      page.drawText(text, { x: 60, y: 500 - 12 * i, size: 10, font });
    return page;
  });
  return { document, font, pages };
}

test("a title at the top of its page is no running header, unless the page has it below again", async () => {
  const titles = ["Chapter 1", "Chapter 2", "Chapter 3", "Chapter 4", "Chapter 5"];
  const { document, pages } = await titledDocument(
    titles.map((title) =>
      title === "Chapter 5"
        ? [
            [title, 780],
            [title, 640],
          ]
        : [[title, 780]],
    ),
  );
  expect(await titlesOf(document)).toEqual([[1, "Chapter 5", 5]]);
  addOutline(
    document,
    titles.filter((title) => title !== "Chapter 3").map((title) => [title, pages[titles.indexOf(title)]!]),
  );
  expect(await titlesOf(document)).toEqual([
    [1, "Chapter 1", 1],
    [1, "Chapter 2", 2],
    [1, "Chapter 4", 4],
    [1, "Chapter 5", 5],
  ]);
});

test("an entry of the outline without a word or a page makes no heading, and no part of a title", async () => {
  const { document, font, pages } = await titledDocument([
    [
      ["Safety and the", 780],
      ["Environment", 763],
    ],
    [["Boats", 780]],
  ]);
  for (const [text, y] of [
    ["2", 400],
    ["Total", 350],
  ] as const)
    pages[1]!.drawText(text, { x: 60, y, size: 10, font });
  addOutline(document, [
    ["Safety and the Environment", pages[0]!],
    ["Safety and the", pages[0]!],
    ["2", pages[1]!],
    ["Total", null],
  ]);
  expect(await titlesOf(document)).toEqual([
    [1, "Safety and the Environment", 1],
    [1, "Boats", 2],
  ]);
});

test("the words of a link to a page are kept beside the text, over two lines too", async () => {
  const { document, font, pages } = await plainDocument();
  const width = (text: string) => font.widthOfTextAtSize(text, 10);
  const link = (left: number, right: number, bottom: number, target: number, height = 12) =>
    pages[2]!.node.addAnnot(
      document.context.register(
        document.context.obj({
          Type: "Annot",
          Subtype: "Link",
          Rect: [60 + left, bottom, 60 + right, bottom + height],
          Dest: [pages[target]?.ref ?? target, "Fit"],
        }),
      ),
    );
  const [before, last] = ["The boats lie in the harbour and leave it when a storm is over, ", "for"];
  link(width(before), width(before + last), 765, 0);
  link(0, width("repairs"), 753, 0);
  link(width("repairs see the part about "), width("repairs see the part about 1.1 Lamps"), 753, 1);
  // A page that doesn't exist, and a part of the page.
  link(0, width("repairs"), 753, 99);
  for (let i = 0; i < 8; i++) pages[2]!.drawText("The tide was low.", { x: 60, y: 500 - 12 * i, size: 10, font });
  link(0, 400, 400, 1, 200);
  pages[2]!.drawText(`Lamps and wicks ${". ".repeat(30)}`, { x: 60, y: 200, size: 10, font });
  link(0, 150, 198, 1);
  const { blocks } = await parseDocument(sourceFile("a.pdf", await document.save()));
  const linked = blocks.filter(({ references }) => references !== undefined);
  expect(linked).toMatchObject([
    {
      text: expect.stringMatching(/storm is over, for repairs see the part about 1\.1 Lamps and what follows there\.$/),
      references: [
        { text: "for repairs", page: 1 },
        { text: "1.1 Lamps", page: 2 },
      ],
    },
    { references: [{ text: "Lamps and wicks", page: 2 }] },
  ]);
});

test("the texts of references count among the characters of a document", () => {
  const list = new BlockList();
  const text = "a".repeat(1_000_000);
  const references = Array.from({ length: 40 }, () => ({ text, page: 1 }));
  const addAll = () => {
    for (let i = 0; i < 20; i++) list.add("paragraph", "See there.", { references });
  };
  expect(addAll).toThrow(/characters of text allowed/);
});
