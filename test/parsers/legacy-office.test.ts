import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { sourceFile } from "../support/make-files.js";
import { makeCompound, makeDoc, makeListedDoc, makePpt, makeXls, xlsCell } from "../support/make-legacy-office.js";

const parse = (name: string, bytes: Uint8Array) => parseDocument(sourceFile(name, bytes));

describe("Excel workbooks", () => {
  test("each sheet is a page; cells are as they are shown", async () => {
    const cells = [
      xlsCell.shared(0, 0, 0),
      xlsCell.shared(0, 1, 1),
      xlsCell.number(1, 0, 45_353, 1),
      xlsCell.number(1, 1, 0.125, 2),
      xlsCell.packed(2, 0, -7),
      xlsCell.packedRow(2, 1, [150, 275]),
      xlsCell.truth(3, 0, true),
      xlsCell.formula(3, 1, "Ω"),
    ];
    const { blocks, pages } = await parse(
      "a.xls",
      makeXls({ Données: cells, Empty: [], More: [xlsCell.packed(0, 0, 1)] }, ["Day", "Länge"]),
    );
    expect(pages).toBe(3);
    expect(blocks.map(({ kind, text, page }) => [kind, text, page])).toEqual([
      ["heading", "Données", 1],
      [
        "table",
        "| Day | Länge |  |\n| --- | --- | --- |\n| 02/03/2024 | 12.50% |\n| -7 | 1.5 | 2.75 |\n| TRUE | Ω |",
        1,
      ],
      ["heading", "More", 3],
      ["paragraph", "1", 3],
    ]);
    expect(blocks[1]!.table).toMatchObject({ name: "Données", values: [["2024-03-02", 0.125], [], [true]] });
    expect(blocks[1]!.rowCells).toEqual({ sheet: "Données", columns: [1, 3], headerRows: [1, 1], rows: [2, 3, 4] });
  });

  test("formulas without a stored result are empty, with a warning; zeros among results are kept", async () => {
    const labels = [xlsCell.shared(0, 0, 0), xlsCell.shared(0, 1, 1), xlsCell.packed(1, 0, 5)];
    const cells = (result: number) => [...labels, xlsCell.formulaOnLoad(1, 1, 0), xlsCell.formulaOnLoad(2, 1, result)];
    const read = (result: number) => parse("a.xls", makeXls({ S: cells(result) }, ["n", "twice"]));
    const uncalculated = await read(0);
    expect(uncalculated.blocks.map(({ text }) => text)).toEqual(["S", "| n | twice |\n| --- | --- |\n| 5 |"]);
    expect(uncalculated.warnings).toEqual([
      "2 formulas have no stored value and are left empty. Save the workbook in a spreadsheet program to store the values.",
    ]);
    const calculated = await read(7);
    expect(calculated.blocks[1]!.text).toBe("| n | twice |\n| --- | --- |\n| 5 | 0 |\n|  | 7 |");
    expect(calculated.warnings).toEqual([]);
  });

  test("merged cells are repeated where they reach", async () => {
    const cells = [
      xlsCell.shared(0, 0, 0),
      xlsCell.shared(0, 1, 1),
      xlsCell.shared(0, 2, 2),
      xlsCell.shared(1, 0, 3),
      xlsCell.packed(1, 2, 1),
      xlsCell.packed(2, 2, 2),
      xlsCell.merged([1, 2, 0, 1]),
    ];
    const { blocks } = await parse("a.xls", makeXls({ S: cells }, ["Zone", "Land", "n", "All"]));
    expect(blocks[1]!.table).toEqual({
      name: "S",
      header: ["Zone", "Land", "n"],
      rows: [
        ["All", "All", "1"],
        ["All", "All", "2"],
      ],
      spans: [{ row: 1, column: 0, rows: 2, columns: 2 }],
    });
  });

  test("merged cells are repeated wherever the file tells of them, inverted ranges never", async () => {
    const merges = [xlsCell.merged([1, 0, 0, 1], [0, 1, 1, 0]), xlsCell.merged([0, 1, 0, 0])];
    const cells = [xlsCell.packed(0, 0, 1), xlsCell.packed(0, 1, 2), xlsCell.packed(1, 1, 3)];
    const { blocks } = await parse("a.xls", makeXls({ S: [...merges, ...cells] }, []));
    expect(blocks[1]!.text).toBe("| 1 | 2 |\n| --- | --- |\n| 1 | 3 |");
  });

  test("encrypted ones are refused", async () => {
    await expect(parse("a.xls", makeXls({ S: [] }, [], true))).rejects.toMatchObject({
      code: "invalid_input",
      message: '"a.xls" is password-protected.',
    });
  });
});

describe("Word documents", () => {
  test("pieces of either width, cells, fields and line breaks", async () => {
    const unicode = 'Żółw\rline\vbreak \x13 HYPERLINK "https://x.org" \x14here\x15\r';
    const { blocks } = await parse("a.doc", makeDoc(unicode, "a\x07b\x07\x07c\x07d\x07\x07After \x80\r"));
    expect(blocks.map(({ kind, text }) => [kind, text])).toEqual([
      ["paragraph", "Żółw"],
      ["paragraph", "line\nbreak [here](https://x.org)"],
      ["table", "| a | b |\n| --- | --- |\n| c | d |"],
      ["paragraph", "After €"],
    ]);
  });

  test("list items and notes have the numbers that Word prints", async () => {
    const paragraphs = [
      { text: "Intro\x02, sign*, more\x02, end\x02." },
      { text: "Alpha", list: 1 },
      { text: "Beta", list: 1 },
      { text: "Inner", list: 1, level: 1 },
      { text: "Deep", list: 1, level: 2 },
      { text: "Gamma", list: 1 },
      { text: "Between." },
      { text: "Again", list: 2 },
      { text: "Point", list: 2, level: 3 },
    ];
    const levels = [
      [0, "\0."],
      [4, "\x01)"],
      [2, "\0.\x01.\x02", 4],
      [23, "\uf0b7"],
    ] as const;
    const notes = { footnotes: ["\x02 First.", "* Starred.", "\x02 Second."], endnotes: ["\x02 Last."] };
    const { blocks, warnings } = await parse("a.doc", makeListedDoc(paragraphs, levels, notes));
    expect(blocks.map(({ kind, level, marker, text }) => [kind, level, marker, text])).toEqual([
      ["paragraph", undefined, undefined, "Intro[1], sign*, more[2], end[i]."],
      ["note", undefined, undefined, "[1] First."],
      ["note", undefined, undefined, "[2] Second."],
      ["note", undefined, undefined, "[i] Last."],
      ["note", undefined, undefined, "\\* Starred."],
      ["list_item", 1, "1.", "Alpha"],
      ["list_item", 1, "2.", "Beta"],
      ["list_item", 2, "a)", "Inner"],
      ["list_item", 3, "2.a.iv", "Deep"],
      ["list_item", 1, "3.", "Gamma"],
      ["paragraph", undefined, undefined, "Between."],
      ["list_item", 1, "1.", "Again"],
      ["list_item", 4, undefined, "Point"],
    ]);
    expect(warnings).toEqual([]);
  });

  test("numbers of lists are of a bounded length", async () => {
    const items = Array.from({ length: 2 }, (_, i) => ({ text: `Item ${i}`, list: 1, level: i }));
    const levels = [[4, "\0.", 2_147_483_000] as const, [0, "\x01".repeat(30_000), 1] as const];
    const { blocks } = await parse("a.doc", makeListedDoc(items, levels));
    expect(blocks.map(({ marker }) => marker)).toEqual(["2147483000.", `${"1".repeat(127)}%`]);
  });

  test("encrypted ones are refused", async () => {
    await expect(parse("a.doc", makeDoc("x", "", true))).rejects.toMatchObject({
      code: "invalid_input",
      message: '"a.doc" is password-protected.',
    });
  });
});

describe("PowerPoint presentations", () => {
  test("slides in their order, with title, points and notes", async () => {
    const slides = [
      { title: "One", body: ["a", "b"], notes: "Speak up." },
      { title: "Two", body: ["c"] },
    ];
    const { blocks, pages, title } = await parse("a.ppt", makePpt(slides));
    expect([title, pages]).toEqual(["One", 2]);
    expect(blocks.map(({ kind, text, page }) => [kind, text, page])).toEqual([
      ["heading", "One", 1],
      ["list_item", "a", 1],
      ["list_item", "b", 1],
      ["note", "Speak up.", 1],
      ["heading", "Two", 2],
      ["list_item", "c", 2],
    ]);
  });

  test("encrypted ones are refused", async () => {
    await expect(parse("a.ppt", makePpt([], true))).rejects.toMatchObject({ code: "invalid_input" });
  });
});

test("a file is what its root holds, whatever an embedded object is called", async () => {
  const words = Buffer.concat([Buffer.from("WordDocument", "utf16le"), Buffer.alloc(5000)]);
  await expect(parse("a.bin", makeCompound({ Contents: words }))).rejects.toMatchObject({
    code: "unsupported",
    message: expect.stringContaining("OLE compound file"),
  });
});

test("chains of sectors that go in circles end", async () => {
  const bytes = makeDoc("Text\r");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The table of sectors: each is made to follow itself.
  const table = (view.getUint32(76, true) + 1) * 512;
  for (let i = 0; i < 128; i++) view.setUint32(table + i * 4, i, true);
  await expect(parse("a.doc", bytes)).rejects.toMatchObject({ code: "invalid_input" });
});
