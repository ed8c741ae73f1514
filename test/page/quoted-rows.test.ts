import { describe, expect, it } from "vitest";
import { completeTables, findTableHead } from "../../src/page/quoted-rows.js";

const HEAD = "| Signal | Every |\n| --- | --- |";
const PASSAGE = `# Signals\n\n${HEAD}\n| Horn | 90 s |\n| Bell | 30 s |\n\n| Other | Table |\n| --- | --- |\n| x | y |`;
const complete = (text: string) => completeTables(text, (row) => findTableHead(PASSAGE, row));

describe("quoted rows", () => {
  it.each([
    ["a row", "| Horn | 90 s |", `${HEAD}\n| Horn | 90 s |`],
    ["rows of one table", "| Horn | 90 s |\n\n| Bell | 30 s |", `${HEAD}\n| Horn | 90 s |\n| Bell | 30 s |`],
    [
      "rows of two tables",
      "| Horn | 90 s |\n\n| x | y |",
      `${HEAD}\n| Horn | 90 s |\n\n| Other | Table |\n| --- | --- |\n| x | y |`,
    ],
    [
      "a row between sentences",
      "It says:\n\n| Bell | 30 s |\n\n\nAnd so on.",
      `It says:\n\n${HEAD}\n| Bell | 30 s |\n\n\nAnd so on.`,
    ],
    ["a row of an unknown table", "| a \\| b | c |", "| | |\n| --- | --- |\n| a \\| b | c |"],
  ])("become a table: %s", (_, text, expected) => {
    expect(complete(text)).toBe(expected);
  });

  it.each([
    ["a whole table", `${HEAD}\n| Horn | 90 s |`],
    ["code", "```\n| Horn | 90 s |\n\n\n| Bell | 30 s |\n```"],
    ["a line that isn't closed", "| Horn | 90 s"],
    ["the quoted head of a table", HEAD],
    ["prose", "a | b\n\nc"],
  ])("are not found in %s", (_, text) => {
    expect(complete(text)).toBe(text);
  });
});
