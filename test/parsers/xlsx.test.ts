import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { builtInFormat, numberFormat } from "#dist/parsers/shared/ooxml/number-format.js";
import type { ParseConfig } from "../../src/interfaces/parser.js";
import { sourceFile } from "../support/make-files.js";
import {
  barChart,
  type CellContent,
  makeXlsx,
  type SheetSettings,
  slideFrame,
  slideShape,
  type WorkbookSettings,
} from "../support/make-office.js";

const parse = (sheets: readonly SheetSettings[], settings?: WorkbookSettings, config: ParseConfig = {}) =>
  parseDocument(sourceFile("a.xlsx", makeXlsx(sheets, settings)), { config });

/** The blocks of one sheet below its heading, as kind and text. */
const blocksOf = async (rows: readonly (readonly CellContent[])[], after = "") => {
  const { blocks } = await parse([{ rows, after }]);
  return blocks.slice(1).map(({ kind, text, table }) => {
    return table === undefined ? [kind, text] : { header: table.header, rows: table.rows };
  });
};

test("sheets are pages under their names", async () => {
  const { blocks, pages } = await parse([
    {
      name: "Prices",
      rows: [
        ["Name", "Price"],
        ["Tea", 3],
      ],
    },
    { name: "Empty" },
    { name: "Stock", rows: [["Tea", "ten boxes"]] },
  ]);
  expect(pages).toBe(3);
  expect(blocks.map(({ kind, text, page }) => [kind, text, page])).toEqual([
    ["heading", "Prices", 1],
    ["table", "| Name | Price |\n| --- | --- |\n| Tea | 3 |", 1],
    ["heading", "Stock", 3],
    ["table", "| Tea | ten boxes |\n| --- | --- |", 3],
  ]);
});

test("a table tells its cells, also below titles and beside other tables", async () => {
  const { blocks } = await parse([
    {
      name: "Stock",
      rows: [
        ["Lamps of 2024"],
        ["Name", "Age", null, "City", "Size"],
        ["Ann", 40, null, "Oslo", 7],
        ["Bob", 41, null, "Rome", 8],
      ],
    },
    { name: "Notes", rows: [[], [null, 1, 2], [null, 3, 4]] },
  ]);
  expect(blocks.flatMap(({ rowCells }) => rowCells ?? [])).toEqual([
    { sheet: "Stock", columns: [1, 2], headerRows: [2, 2], rows: [3, 4] },
    { sheet: "Stock", columns: [4, 5], headerRows: [2, 2], rows: [3, 4] },
    { sheet: "Notes", columns: [2, 3], rows: [2, 3] },
  ]);
});

describe("regions", () => {
  test("blank rows part tables, a lone text above one is its caption", async () => {
    expect(await blocksOf([["Sales"], ["Year", "Sum"], [2024, 5], [], ["Staff", "Age"], ["Ann", 40]])).toEqual([
      ["caption", "Sales"],
      { header: ["Year", "Sum"], rows: [["2024", "5"]] },
      { header: ["Staff", "Age"], rows: [["Ann", "40"]] },
    ]);
  });

  test("tables beside each other are two", async () => {
    expect(
      await blocksOf([
        ["Name", "Age", null, "City", "Size"],
        ["Ann", 40, null, "Rome", 3],
      ]),
    ).toEqual([
      { header: ["Name", "Age"], rows: [["Ann", "40"]] },
      { header: ["City", "Size"], rows: [["Rome", "3"]] },
    ]);
  });

  test("blank columns that space out one table are left out of it", async () => {
    expect(
      await blocksOf([
        ["Zone", "2024", null, "2023"],
        ["North", 1, null, 2],
        ["South", 3, null, 4],
      ]),
    ).toEqual([
      {
        header: ["Zone", "2024", "2023"],
        rows: [
          ["North", "1", "2"],
          ["South", "3", "4"],
        ],
      },
    ]);
  });

  test("a header set off by a blank row belongs to the rows below", async () => {
    expect(await blocksOf([["Zone", "Sales"], [], ["North", 1], ["South", 2]])).toEqual([
      {
        header: ["Zone", "Sales"],
        rows: [
          ["North", "1"],
          ["South", "2"],
        ],
      },
    ]);
  });

  test("a first row with values is no header", async () => {
    expect(
      await blocksOf([
        ["a", 1],
        ["b", 2],
      ]),
    ).toEqual([
      {
        header: ["", ""],
        rows: [
          ["a", "1"],
          ["b", "2"],
        ],
      },
    ]);
  });

  test("a row that groups columns joins the header", async () => {
    expect(
      await blocksOf(
        [
          ["Zone", "2024", null],
          [null, "Q1", "Q2"],
          ["North", 1, 2],
        ],
        '<mergeCells><mergeCell ref="B1:C1"/><mergeCell ref="A1:A2"/></mergeCells>',
      ),
    ).toEqual([{ header: ["Zone", "2024 / Q1", "2024 / Q2"], rows: [["North", "1", "2"]] }]);
  });

  test("a lone cell and long texts are paragraphs", async () => {
    expect(await blocksOf([["Only this"]])).toEqual([["paragraph", "Only this"]]);
  });

  test("wide rows lose no column", async () => {
    const row = Array.from({ length: 16_384 }, (_, i) => `<c><v>${i + 1}</v></c>`).join("");
    const { blocks } = await parse([{ data: `<row r="1">${row}</row><row r="2">${row}</row>` }]);
    expect(blocks[1]!.table!.rows[0]!.length).toBe(16_384);
    expect(blocks[1]!.table!.rows[1]!.at(-1)).toBe("16384");
  });

  test("rows that are printed on each page are the header, values or not", async () => {
    const names = '<definedName name="_xlnm.Print_Titles" localSheetId="0">Sheet1!$1:$1</definedName>';
    const { blocks } = await parse(
      [
        {
          rows: [
            ["Zone", 2024],
            ["North", 1],
          ],
        },
      ],
      { names },
    );
    expect(blocks[1]!.table).toMatchObject({ header: ["Zone", "2024"], rows: [["North", "1"]] });
  });
});

test("merged cells are repeated", async () => {
  const rows = [
    ["Group", "Item", "n"],
    ["A", "x", 1],
    [null, "y", 2],
  ];
  const { blocks } = await parse([{ rows, after: '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>' }]);
  expect(blocks[1]!.table).toEqual({
    name: "Sheet1",
    header: ["Group", "Item", "n"],
    rows: [
      ["A", "x", "1"],
      ["A", "y", "2"],
    ],
    spans: [{ row: 1, column: 0, rows: 2, columns: 1 }],
  });
});

test("a caption below an untitled table names the next table", async () => {
  const rows = [["Name", "Count"], ["a", 1], [], ["Second"], ["Name", "Count"], ["b", 2]];
  const { blocks } = await parse([{ name: "S", rows }]);
  expect(blocks.filter(({ kind }) => kind === "table").map(({ table }) => table!.name)).toEqual(["S", "Second"]);
});

test("a table has the name of its caption, its header rows and its merged labels", async () => {
  const rows = [["Revenue"], ["Zone", "2024", null], [null, "Q1", "Q2"], ["EMEA", 1, 2]];
  const after = '<mergeCells><mergeCell ref="A2:A3"/><mergeCell ref="B2:C2"/></mergeCells>';
  const { blocks } = await parse([{ name: "Figures", rows, after }]);
  expect(blocks.at(-1)!.table).toEqual({
    name: "Revenue",
    header: ["Zone", "2024 / Q1", "2024 / Q2"],
    headerRows: [
      ["Zone", "2024", "2024"],
      ["Zone", "Q1", "Q2"],
    ],
    rows: [["EMEA", "1", "2"]],
    spans: [
      { row: 0, column: 0, rows: 2, columns: 1 },
      { row: 0, column: 1, rows: 1, columns: 2 },
    ],
  });
});

test("cells of all types", async () => {
  const strings = "<si><t>plain</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>reading</t></rPh></si>";
  const data = [
    '<c t="s"><v>0</v></c><c t="s"><v>1</v></c>',
    '<c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c>',
    '<c t="str"><f>A1&amp;"!"</f><v>sum_x000A_up</v></c><c><f>1+1</f><v>2</v></c>',
    '<c><v>0.30000000000000004</v></c><c t="d"><v>2024-05-06T00:00:00</v></c>',
  ];
  const { blocks } = await parse([{ data: data.map((cells) => `<row>${cells}</row>`).join("") }], { strings });
  expect(blocks[1]!.table).toEqual({
    header: ["plain", "rich text"],
    rows: [
      ["TRUE", "#N/A"],
      ["sum\nup", "2"],
      ["0.3", "2024-05-06"],
    ],
    name: "Sheet1",
    values: [[true], [], []],
  });
});

test("a formula without a stored value is shown as it is, and told", async () => {
  const { blocks, warnings } = await parse([{ data: "<row><c><f>SUM(A2:A9)</f></c></row>" }]);
  expect(blocks.at(-1)!.text).toBe("=SUM(A2:A9)");
  expect(warnings).toEqual(["A formula has no stored value and is shown as text."]);
});

test("numbers read as the sheet displays them, with the value beside the text", () => {
  const shown = (code: string, value: number, date1904 = false) => {
    const { text, value: stored } = numberFormat(code).format(value, date1904);
    return [text, stored];
  };
  expect(shown("m/d/yyyy", 45292)).toEqual(["1/1/2024", "2024-01-01"]);
  expect(shown("m/d/yyyy", 43830, true)).toEqual(["1/1/2024", "2024-01-01"]);
  expect(shown("d. mmmm yyyy", 1)).toEqual(["1. January 1900", "1900-01-01"]);
  expect(shown("[$-407]d. mmmm yyyy", 45366)).toEqual(["15. März 2024", "2024-03-15"]);
  expect(shown("yyyy-mm-dd", 60)).toEqual(["1900-02-29", null]);
  expect(shown("yyyy-mm-dd hh:mm", 45292.75)).toEqual(["2024-01-01 18:00", "2024-01-01 18:00:00"]);
  expect(shown("h:mm AM/PM", 0.25)).toEqual(["6:00 AM", "06:00:00"]);
  expect(shown("[h]:mm", 1.5)).toEqual(["36:00", 1.5]);
  expect(shown("[h]:mm", 0.5, true)).toEqual(["12:00", 0.5]);
  expect(shown("mm:ss", 0.04)).toEqual(["57:36", "00:57:36"]);
  expect(shown('yyyy"[h]"', 45366)).toEqual(["2024[h]", "2024-03-15"]);
  expect(shown("0.00%", 0.025)).toEqual(["2.50%", 0.025]);
  expect(shown('_("$"* #,##0.00_);_("$"* (#,##0.00)', -1599.99)).toEqual(["$ (1,599.99)", -1599.99]);
  expect(shown("#,##0.00 [$€-407]", 1234.5)).toEqual(["1,234.50 €", 1234.5]);
  expect(shown("[$CHF] #,##0", 5)).toEqual(["CHF 5", 5]);
  expect(shown("00000", 1234)).toEqual(["01234", 1234]);
  expect(shown("#,##0.00", 1234567.891)).toEqual(["1,234,567.89", 1234567.891]);
  expect(shown("# ?/?", 2.5)).toEqual(["2 1/2", 2.5]);
  expect(shown('0.0" days"', 2.5)).toEqual(["2.5 days", 2.5]);
  expect(shown('#,##0;(#,##0);"none"', 0)).toEqual(["none", 0]);
  expect(shown("[Red]0", 2)).toEqual(["2", null]);
  expect(shown("General", 1e15)).toEqual(["1000000000000000", null]);
});

test("a number whose format is invalid or hides it is shown with all its digits", () => {
  const shown = (code: string, value: number) => numberFormat(code).format(value, false);
  expect(shown(";;;", 0.1 + 0.2)).toEqual({ text: "0.3", value: null });
  expect(shown("0;bad[", 5)).toEqual({ text: "5", value: null });
  expect(shown("0".repeat(300), 5)).toEqual({ text: "5", value: null });
  expect(shown("yyyy", -5)).toEqual({ text: "-5", value: null });
});

test("dates and money in the form of the reader's country are neutral", () => {
  expect(builtInFormat(14).format(45366, false)).toEqual({ text: "2024-03-15", value: null });
  expect(builtInFormat(44).format(1234.5, false)).toEqual({ text: "1,234.50", value: 1234.5 });
  expect(builtInFormat(31).format(45366, false)).toEqual({ text: "2024-03-15", value: null });
});

test("formats and the first day of the calendar come from the workbook", async () => {
  const data = '<row><c s="1"><v>43830</v></c><c s="0"><v>1</v></c></row>';
  const { blocks } = await parse([{ data }], { formats: ["General", "yyyy-mm-dd"], date1904: true });
  expect(blocks[1]!.table!.rows).toEqual([["2024-01-01", "1"]]);
});

test("hidden sheets and rows are read and told", async () => {
  const { blocks, warnings } = await parse([
    { name: "Shown", data: '<row hidden="1"><c t="str"><v>secret</v></c></row>' },
    { name: "Back", rows: [["b"]], state: "veryHidden" },
  ]);
  expect(blocks.map((block) => block.text)).toEqual(["Shown", "secret", "Back", "b"]);
  expect(warnings).toEqual([
    'These sheets are hidden in the workbook, but included: "Back".',
    'Hidden rows or columns were included in these sheets: "Shown".',
  ]);
});

test("comments are notes, threads in place of what stands in for them", async () => {
  const comment = (ref: string, text: string) => `<comment ref="${ref}"><text><r><t>${text}</t></r></text></comment>`;
  const parts = {
    "xl/comments1.xml": `<comments><commentList>${comment("A1", "Checked")}${comment("B1", "[Threaded comment] Your version …")}</commentList></comments>`,
    "xl/threadedComments/t.xml":
      '<ThreadedComments><threadedComment ref="B1"><text>Why?</text></threadedComment></ThreadedComments>',
  };
  const links = { c: ["comments", "../comments1.xml"], t: ["threadedComment", "../threadedComments/t.xml"] } as const;
  const { blocks } = await parse([{ rows: [["x"]], links }], { parts });
  expect(blocks.slice(2).map((block) => [block.kind, block.text])).toEqual([
    ["note", "A1: Checked"],
    ["note", "B1: Why?"],
  ]);
});

test("cells that lead to the web are links", async () => {
  const { blocks } = await parse([
    {
      rows: [["Site"]],
      after: '<hyperlinks><hyperlink ref="A1" r:id="h"/></hyperlinks>',
      links: { h: ["hyperlink", "https://example.org/"] },
    },
  ]);
  expect(blocks[1]!.text).toBe("[Site](https://example.org/)");
});

test("shapes and charts follow the cells; the chart's table only where it is asked for", async () => {
  const anchor = (shape: string) => `<xdr:twoCellAnchor>${shape}</xdr:twoCellAnchor>`;
  const parts = {
    "xl/drawings/drawing1.xml": `<xdr:wsDr xmlns:xdr="x" xmlns:a="a" xmlns:c="c" xmlns:r="r" xmlns:p="p">${anchor(slideShape(["A text box"]))}${anchor(slideFrame('<c:chart r:id="c1"/>'))}</xdr:wsDr>`,
    "xl/charts/chart1.xml": barChart("Sales", "2025", { North: 3 }),
  };
  const links = { "xl/drawings/drawing1.xml": { c1: ["chart", "../charts/chart1.xml"] } } as const;
  const sheet = { rows: [["x"]], links: { d: ["drawing", "../drawings/drawing1.xml"] } } as const;
  const texts = async (config: ParseConfig) =>
    (await parse([sheet], { parts, links }, config)).blocks.slice(2).map((block) => block.text);
  expect(await texts({})).toEqual(["A text box", "Sales"]);
  expect(await texts({ chartUnderstanding: true })).toEqual([
    "A text box",
    "Sales",
    "|  | 2025 |\n| --- | --- |\n| North | 3 |",
  ]);
});

test("printed headers and footers lose their codes", async () => {
  const after =
    '<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Report &amp;&amp; more&amp;R&amp;D</oddHeader><oddFooter>&amp;CPage &amp;P</oddFooter></headerFooter>';
  const { blocks } = await parse([{ rows: [["x"]], after }], {}, { keepPageheaderInOutput: true });
  expect(blocks.map((block) => [block.kind, block.text])).toEqual([
    ["page_header", "Report & more"],
    ["heading", "Sheet1"],
    ["paragraph", "x"],
  ]);
});

describe("hostile workbooks", () => {
  test("a merged range over the whole sheet fills no memory", async () => {
    const data = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>';
    const after = '<mergeCells><mergeCell ref="A1:XFD1048575"/></mergeCells>';
    const { blocks, warnings } = await parse([{ data, after }]);
    expect(blocks.slice(1).map((block) => block.text)).toEqual(["1", "2"]);
    expect(warnings).toEqual([
      'Large merged ranges have their value only in the first cell in these sheets: "Sheet1".',
    ]);
  });

  test("formatted cells without values cost nothing", async () => {
    const row = '<row><c s="0"/><c s="0"/><c s="0"/><c s="0"/></row>';
    const { blocks } = await parse([{ data: row.repeat(100_000) }]);
    expect(blocks).toEqual([]);
  });

  test("far-flung cells are listed by name", async () => {
    const cell = (i: number) =>
      `<row r="${i}"><c r="A${i}"><v>1</v></c>${i === 400 ? '<c r="ZZ400"><v>7</v></c>' : ""}</row>`;
    const bridge = Array.from({ length: 701 }, (_, i) => `<c><v>${i}</v></c>`).join("");
    const data = `<row r="1">${bridge}</row>${Array.from({ length: 399 }, (_, i) => cell(i + 2)).join("")}`;
    const { blocks } = await parse([{ data }]);
    expect(blocks[1]!.table!.header).toEqual(["Cell", "Value"]);
    expect(blocks[1]!.table!.rows.at(-1)).toEqual(["ZZ400", "7"]);
  });

  test("a document type is refused in every part", async () => {
    const message = expect.stringMatching(/not well-formed/);
    const data = '</sheetData><!DOCTYPE x [<!ENTITY a "boom">]><sheetData>';
    await expect(parse([{ data }])).rejects.toMatchObject({ code: "invalid_input", message });
  });

  test("markup that breaks off is refused", async () => {
    await expect(parse([{ data: "<row><c><v>1</v></c></row>", after: "<mergeCell" }])).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});
