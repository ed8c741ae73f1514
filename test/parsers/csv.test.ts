import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { sourceFile } from "../support/make-files.js";

const parse = (content: string) => parseDocument(sourceFile("a.csv", content));
const table = async (content: string) => (await parse(content)).blocks.find((block) => block.kind === "table")!.table!;

describe("the delimiter", () => {
  test.each([
    ["semicolons beside decimal commas", "a;b;c\n1,5;2,5;3,5\n4,5;5,5;6,5", ["1,5", "2,5", "3,5"]],
    ["tabs beside commas", "a\tb\tc\nx, y\t1\t2", ["x, y", "1", "2"]],
    ["pipes", "a|b|c\n1|2|3", ["1", "2", "3"]],
    ["commas beside lists with semicolons", "name,tags\nx,a;b\ny,c\nz,d;e;f", ["x", "a;b"]],
    ["delimiters within quotes", 'a,b\n"1;2;3",4\n"5;6;7",8', ["1;2;3", "4"]],
    ["the one that a spreadsheet names", "sep=|\na|b\n1|2", ["1", "2"]],
    ["quotes escaped by a backslash", 'a,b\n"say \\"hi\\", now",2', ['say "hi", now', "2"]],
  ])("%s", async (_, content, row) => {
    expect((await table(content)).rows[0]).toEqual(row);
  });
});

describe("header and preamble", () => {
  test("lines above the table are paragraphs", async () => {
    const { blocks } = await parse(
      "Sales report,,\nCreated by the system\n\nregion,units,price\nNorth,5,1.5\nSouth,6,2.5",
    );
    expect(blocks.map((block) => [block.kind, block.text.split("\n")[0]])).toEqual([
      ["paragraph", "Sales report"],
      ["paragraph", "Created by the system"],
      ["table", "| region | units | price |"],
    ]);
  });

  test("a first row of values is no header", async () => {
    expect(await table("North,5,1.5\nSouth,6,2.5")).toEqual({
      header: ["", "", ""],
      rows: [
        ["North", "5", "1.5"],
        ["South", "6", "2.5"],
      ],
    });
  });

  test("years are a header", async () => {
    expect((await table("country,2023,2024\nChile,5,6\nPeru,7,8")).header).toEqual(["country", "2023", "2024"]);
  });
});

test("a quote that is never closed takes no rows away", async () => {
  const rows = Array.from({ length: 20 }, (_, i) => `${i},x`).join("\n");
  const parsed = await parse(`size,name\n"5 inch,pipe\n${rows}`);
  expect(parsed.blocks[0]!.table!.rows).toHaveLength(21);
  expect(parsed.warnings).toHaveLength(1);
});

test("a cell may hold line breaks, a row may be very wide", async () => {
  const wide = Array.from({ length: 3000 }, (_, i) => `c${i}`);
  const { rows, header } = await table(`${wide.join(",")}\n"one\ntwo",${wide.slice(1).join(",")}`);
  expect(header).toHaveLength(3000);
  expect(rows[0]![0]).toBe("one\ntwo");
  expect(rows[0]!.at(-1)).toBe("c2999");
});
