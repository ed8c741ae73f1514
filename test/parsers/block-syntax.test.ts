import { marked } from "marked";
import { expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { BlockList } from "#dist/parsers/shared/blocks/block-list.js";
import { toMarkdown } from "#dist/parsers/shared/blocks/to-markdown.js";
import { sourceFile } from "../support/make-files.js";

test.each([
  ["# of lamps in service", "\\# of lamps in service"],
  ["- 4 °C at the mole", "\\- 4 °C at the mole"],
  ["> 18 nm of range", "\\> 18 nm of range"],
  ["| as a separator", "\\| as a separator"],
  ["~~~ waves ~~~", "\\~~~ waves ~~~"],
  ["Height\n------", "Height\n\\------"],
  ["Height\n***\nRange", "Height\n\\***\nRange"],
  ["Height\n_ _ _", "Height\n\\_ _ _"],
  ["first\n+ second", "first\n\\+ second"],
])("a paragraph %j stays a paragraph in Markdown", (text, markdown) => {
  const list = new BlockList();
  list.add("paragraph", text);
  expect(toMarkdown(list.blocks)).toBe(markdown);
  expect(marked.lexer(markdown).map(({ type }) => type)).toEqual(["paragraph"]);
});

test.each(["#1 of all lamps", "-4 °C", "3.5 m", "* * *", "**Lamps** are lit", "plain\ntext", "1986. A year of storms"])(
  "%j needs no escape",
  (text) => {
    const list = new BlockList();
    list.add("paragraph", text);
    expect(list.blocks[0]!.text).toBe(text);
  },
);

test("offsets in an escaped text allow for the escape", () => {
  const list = new BlockList();
  const position = { page: 2, bbox: [0, 0, 1, 1] as const };
  list.add("paragraph", "# one two", {
    continues: [{ ...position, from: 6 }],
    times: [[0, 1] as const, [6, 2] as const],
  });
  const { text, continues, times } = list.blocks[0]!;
  expect(text.slice(continues![0]!.from)).toBe("two");
  expect(times!.map(([offset]) => text.slice(offset))).toEqual(["\\# one two", "two"]);
});

test("values of JSON keep their characters", async () => {
  const { blocks } = await parseDocument(sourceFile("a.json", JSON.stringify(["- 5 °C", "> 10", { a: "***" }])));
  expect(blocks.map(({ text }) => text)).toEqual(["- 5 °C", "> 10", "a: ***"]);
});

test("lists and quotations of plain text and Markdown keep their meaning, code its characters", async () => {
  for (const name of ["a.txt", "a.md"]) {
    const { blocks } = await parseDocument(sourceFile(name, "A list:\n2. two\n\n    # code"));
    expect(toMarkdown(blocks)).not.toContain("\\");
  }
  const { blocks } = await parseDocument(sourceFile("a.html", "<pre># code</pre><p># 4</p>"));
  expect(blocks.map(({ text }) => text)).toEqual(["# code", "\\# 4"]);
});
