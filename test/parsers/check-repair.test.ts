import fc from "fast-check";
import { expect, test } from "vitest";
import { preservesWords } from "#dist/parsers/enrich/check-repair.js";

const READ = [
  ["Port", "Depth", "Lights"],
  ["Ayr", "4 m", "2"],
  ["", "at low tide", ""],
  ["Bude", "-5 to 3", "10²"],
];

test.each<[string, string[][]]>([
  ["the same", READ],
  ["lines of a row joined", [READ[0]!, ["Ayr", "4 m at low tide", "2"], READ[3]!]],
  ["words in other columns", [READ[0]!, ["Ayr 4", "m", "2"], ["", "", "at low tide"], ["Bude", "-5 to 3 10²", ""]]],
  [
    "a column more",
    [
      [...READ[0]!, ""],
      ["Ayr", "4", "m", "2"],
      ["", "at low tide", "", ""],
      ["Bude", "-5 to", "3", "10²"],
    ],
  ],
])("%s is a repair", (_, repaired) => {
  expect(preservesWords(READ, repaired)).toBe(true);
});

test.each<[string, string[][]]>([
  ["another spelling of a number", [READ[0]!, READ[1]!, READ[2]!, ["Bude", "-5 to 3", "102"]]],
  ["a sign left out", [READ[0]!, READ[1]!, READ[2]!, ["Bude", "5 to 3", "10²"]]],
  ["words of a cell in another order", [READ[0]!, READ[1]!, READ[2]!, ["Bude", "3 to -5", "10²"]]],
  ["rows in another order", [READ[0]!, READ[3]!, READ[1]!, READ[2]!]],
  ["values of two rows exchanged", [READ[0]!, ["Ayr", "4 m", "10²"], READ[2]!, ["Bude", "-5 to 3", "2"]]],
  ["a row twice", [...READ, READ[3]!]],
  ["a row less", READ.slice(0, 3)],
  ["no row below the header", [["Port Depth Lights Ayr 4 m 2 at low tide", "Bude -5 to 3 10²"]]],
  ["one column", READ.map((row) => [row.join(" ")])],
])("%s is none", (_, repaired) => {
  expect(preservesWords(READ, repaired)).toBe(false);
});

const word = fc.stringMatching(/^[a-z0-9|²-]{1,4}$/);
const table = fc.array(fc.array(word, { minLength: 2, maxLength: 5 }), { minLength: 2, maxLength: 8 });

test("a table whose rows are joined is a repair, and with one word changed it is none", () => {
  fc.assert(
    fc.property(table, fc.infiniteStream(fc.boolean()), fc.nat(), (read, joins, at) => {
      const width = Math.max(...read.map((row) => row.length));
      const grid = read.map((row) => Array.from({ length: width }, (_, column) => row[column] ?? ""));
      const joined = grid.slice(0, 1);
      for (const row of grid.slice(1)) {
        const above = joined.at(-1)!;
        if (joined.length > 1 && above !== grid[0] && joins.next().value && joined.length > grid.length / 2)
          joined[joined.length - 1] = above.map((cell, column) => `${cell} ${row[column]}`.trim());
        else joined.push(row);
      }
      expect(preservesWords(grid, joined)).toBe(true);
      const [row, column] = [at % joined.length, at % width];
      const changed = joined.map((cells, index) =>
        index === row ? cells.map((cell, place) => (place === column ? `${cell} extra` : cell)) : cells,
      );
      expect(preservesWords(grid, changed)).toBe(false);
    }),
  );
});
