import { describe, expect, test } from "vitest";
import { structureChunker } from "#dist/chunkers/structure-chunker.js";
import { assertNothingLost, chunkerContract } from "#dist/testing/chunker-contract.js";
import type { Block } from "../../src/interfaces/block.js";
import type { ChunkOptions } from "../../src/interfaces/chunker.js";

const DEFAULTS: ChunkOptions = {
  chunkSize: 200,
  chunkOverlap: 0,
  maxChunkSize: 400,
  delimiter: null,
  maxTokens: null,
  countTokens: async (texts) => texts.map((text) => Math.ceil(text.length / 4)),
};

const chunk = (blocks: readonly Block[], options: Partial<ChunkOptions> = {}) =>
  structureChunker.chunk(blocks, { ...DEFAULTS, ...options });

function block(kind: Block["kind"], text: string, more: Partial<Block> = {}): Block {
  return { kind, text, headingPath: [], origin: "native", ...more };
}

const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(" ");

describe("contract", () => {
  for (const { name, run } of chunkerContract(() => structureChunker)) test(name, run);
});

describe("sections", () => {
  const guide = (body: number): Block[] => [
    block("heading", "Guide", { level: 1 }),
    block("heading", "Install", { level: 2, headingPath: ["Guide"] }),
    block("paragraph", words(body), { headingPath: ["Guide", "Install"] }),
    block("heading", "Use", { level: 2, headingPath: ["Guide"] }),
    block("paragraph", words(body), { headingPath: ["Guide", "Use"] }),
  ];

  test("a short document is one chunk that shows its headings", async () => {
    const drafts = await chunk(guide(4));
    expect(drafts.map((draft) => draft.text)).toEqual([
      "# Guide\n\n## Install\n\nword0 word1 word2 word3\n\n## Use\n\nword0 word1 word2 word3",
    ]);
    expect(drafts[0]).toMatchObject({ headings: ["Guide"], start: 0, indexText: drafts[0]!.text });
  });

  test("a chunk ends where a section begins that doesn't fit, and carries the headings above", async () => {
    const drafts = await chunk(guide(20));
    expect(drafts).toHaveLength(2);
    expect(drafts[1]!.text.startsWith("## Use\n\nword0")).toBe(true);
    expect(drafts[1]!.indexText).toBe(`Guide\n\n${drafts[1]!.text}`);
    expect(drafts[1]!.headings).toEqual(["Guide", "Use"]);
  });

  test("small parts of a document share a chunk, larger ones don't", async () => {
    const parts = (body: number) =>
      ["One", "Two", "Three"].flatMap((title) => [
        block("heading", title, { level: 1 }),
        block("paragraph", words(body), { headingPath: [title] }),
      ]);
    expect(await chunk(parts(2))).toHaveLength(1);
    expect((await chunk(parts(12))).map((draft) => draft.text.slice(0, 5))).toEqual(["# One", "# Two", "# Thr"]);
  });

  test("a breadcrumb longer than a third of the size loses its outer headings", async () => {
    const headingPath = ["An outer heading of some length that nobody needs", "Inner"];
    const [draft] = await chunk([block("paragraph", "Text.", { headingPath })], { chunkSize: 100, maxChunkSize: 100 });
    expect(draft!.indexText).toBe("Inner\n\nText.");
    expect(draft!.headings).toEqual(headingPath);
  });

  test("the page is that of the first block", async () => {
    const drafts = await chunk([
      block("paragraph", words(25), { page: 3 }),
      block("paragraph", words(25), { page: 4 }),
    ]);
    expect(drafts.map((draft) => draft.page)).toEqual([3, 4]);
  });
});

describe("blocks larger than a chunk", () => {
  test("prose is cut at sentences, and an abbreviation ends none", async () => {
    const text =
      "We met Dr. Smith on p. 12 of the story. He said it was fine, e.g. Tuesdays. Nobody else came that day.";
    const drafts = await chunk([block("paragraph", text)], { chunkSize: 48, maxChunkSize: 60 });
    expect(drafts.map((draft) => draft.text)).toEqual([
      "We met Dr. Smith on p. 12 of the story.",
      "He said it was fine, e.g. Tuesdays.",
      "Nobody else came that day.",
    ]);
  });

  test("a text without sentences is cut between words, one without words between graphemes", async () => {
    const spaced = await chunk([block("paragraph", words(60))], { chunkSize: 50, maxChunkSize: 60 });
    expect(spaced.every((draft) => /^word\d+( word\d+)*$/.test(draft.text))).toBe(true);
    const family = "👨‍👩‍👧‍👦";
    const emoji = await chunk([block("paragraph", family.repeat(20))], { chunkSize: 40, maxChunkSize: 40 });
    expect(emoji.every((draft) => draft.text.replaceAll(family, "") === "")).toBe(true);
  });

  test("a character of two units is not begun where a heading leaves room for one", async () => {
    const heading = "h".repeat(27);
    const blocks = [block("heading", heading, { level: 1 }), block("paragraph", "👨", { headingPath: [heading] })];
    const drafts = await chunk(blocks, { chunkSize: 32, maxChunkSize: 32 });
    for (const { indexText } of drafts) expect(indexText.length).toBeLessThanOrEqual(32);
    expect(drafts.map(({ text }) => text)).toEqual([`# ${heading}`, "👨"]);
  });

  test("tables are cut between rows, under their caption and header", async () => {
    const rows = Array.from({ length: 30 }, (_, i) => `| row ${i} | ${i} |`);
    const table = ["| Name | Value |", "| --- | --- |", ...rows].join("\n");
    const drafts = await chunk([block("caption", "Table 1. Values"), block("table", table)], { maxChunkSize: 200 });
    expect(drafts.length).toBeGreaterThan(1);
    for (const draft of drafts)
      expect(draft.text).toMatch(/^Table 1\. Values\n\n\| Name \| Value \|\n\| --- \| --- \|\n\| row \d+ \| \d+ \|/);
    expect(drafts.flatMap((draft) => draft.text.split("\n").slice(4))).toEqual(rows);
  });

  test("each chunk names the tables that it has rows of", async () => {
    const table = (name: string, rows: number): Block => {
      const cells = Array.from({ length: rows }, (_, i) => [`row ${i} of ${name}`, "1"]);
      const text = ["| Name | Value |", "| --- | --- |", ...cells.map((row) => `| ${row.join(" | ")} |`)].join("\n");
      return block("table", text, { table: { name, header: ["Name", "Value"], rows: cells } });
    };
    const drafts = await chunk([block("paragraph", words(30)), table("Sales", 20), table("Costs", 1)]);
    expect(drafts[0]!.tables).toBeUndefined();
    for (const { text, tables = [] } of drafts)
      expect(tables).toEqual(["Sales", "Costs"].filter((name) => text.includes(`of ${name}`)));
    expect(drafts.filter(({ tables }) => tables?.includes("Sales")).length).toBeGreaterThan(1);
  });

  test("a row wider than a chunk is cut and loses nothing", async () => {
    const table = `| A | B |\n| --- | --- |\n| ${words(40)} | ${words(40)} |`;
    const drafts = await chunk([block("table", table)], { chunkSize: 100, maxChunkSize: 100 });
    assertNothingLost([block("table", table)], drafts);
    for (const draft of drafts.slice(1)) expect(draft.text.startsWith("| A | B |\n| --- | --- |\n")).toBe(true);
  });

  test("code is cut between lines, within a fence of its own, and keeps its indents", async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `${"  ".repeat(i % 3)}call(${i});`);
    const drafts = await chunk([block("code", lines.join("\n"), { language: "js" })], { maxChunkSize: 200 });
    expect(drafts.length).toBeGreaterThan(1);
    for (const draft of drafts) expect(draft.text).toMatch(/^```js\n[\s\S]*\n```$/);
    expect(drafts.flatMap((draft) => draft.text.split("\n").slice(1, -1))).toEqual(lines);
  });

  test("code that holds a fence gets a longer one", async () => {
    const [draft] = await chunk([block("code", "```\ninner\n```")]);
    expect(draft!.text).toBe("````\n```\ninner\n```\n````");
  });
});

describe("overlap", () => {
  const text = Array.from({ length: 12 }, (_, i) => `Sentence number ${i} is here.`).join(" ");

  test("repeats whole sentences", async () => {
    const drafts = await chunk([block("paragraph", text)], { chunkSize: 100, maxChunkSize: 100, chunkOverlap: 40 });
    for (const [i, draft] of drafts.entries()) {
      expect(draft.text).toMatch(/^Sentence/);
      if (i > 0) expect(drafts[i - 1]!.text.endsWith(draft.text.split(". ")[0]!.concat("."))).toBe(true);
    }
  });

  test("takes as many sentences as fit, and no more", async () => {
    const drafts = await chunk([block("paragraph", text)], { chunkSize: 120, maxChunkSize: 120, chunkOverlap: 55 });
    for (const [i, draft] of drafts.entries()) {
      if (i > 0) expect([26, 27, 53, 54, 55]).toContain(drafts[i - 1]!.end - draft.start);
    }
  });

  test("stays within a part of the document", async () => {
    const blocks = ["One", "Two"].flatMap((title) => [
      block("heading", title, { level: 1 }),
      block("paragraph", text.slice(0, 160), { headingPath: [title] }),
    ]);
    const drafts = await chunk(blocks, { chunkOverlap: 60 });
    expect(drafts.map((draft) => draft.text.split("\n")[0])).toEqual(["# One", "# Two"]);
  });
});

describe("delimiters and limits", () => {
  test("a delimiter is a literal that may reach over blocks", async () => {
    const blocks = [block("paragraph", "a.c abc"), block("paragraph", "second")];
    expect((await chunk(blocks, { delimiter: "a.c" })).map((draft) => draft.text)).toEqual(["abc\n\nsecond"]);
    expect((await chunk(blocks, { delimiter: "\n\n" })).map((draft) => draft.text)).toEqual(["a.c abc", "second"]);
  });

  test("a chunk over the token limit is made smaller, down to a grapheme that cannot be", async () => {
    const countTokens = async (texts: readonly string[]) => texts.map((item) => 3 * [...item].length);
    const drafts = await chunk([block("paragraph", "abc déf")], { maxTokens: 2, countTokens });
    expect(drafts.map((draft) => draft.text)).toEqual(["a", "b", "c", "d", "é", "f"]);
  });

  test("sizes follow the density of the text's tokens", async () => {
    const drafts = await chunk([block("paragraph", words(2000))], {
      chunkSize: 4000,
      maxChunkSize: 8000,
      maxTokens: 100,
    });
    expect(Math.max(...drafts.map((draft) => draft.tokens))).toBeLessThanOrEqual(100);
    const average = drafts.reduce((sum, draft) => sum + draft.tokens, 0) / drafts.length;
    expect(average).toBeGreaterThan(75);
  });

  test("lists keep their markers and stay line by line", async () => {
    const [draft] = await chunk([
      block("list_item", "one", { level: 1 }),
      block("list_item", "two", { level: 2 }),
      block("list_item", "three", { level: 1, marker: "3." }),
    ]);
    expect(draft!.text).toBe("- one\n  - two\n3. three");
  });
});

describe("size of the input", () => {
  // Work that grows with the square of these would not end within the test's own limit.
  test.each([
    ["one line without spaces", () => [block("paragraph", "x".repeat(8_000_000))]],
    ["one line of words", () => [block("paragraph", "word and ".repeat(1_000_000))]],
    ["one line of sentences", () => [block("paragraph", "A short sentence. ".repeat(500_000))]],
    ["a block of tiny lines", () => [block("paragraph", "ab\n".repeat(1_000_000))]],
    ["a million tiny blocks", () => Array.from({ length: 1_000_000 }, () => block("paragraph", "ab"))],
    ["code in one line", () => [block("code", "x;".repeat(2_000_000))]],
    ["a table in one row", () => [block("table", `| a |\n| - |\n| ${"cell | ".repeat(500_000)}`)]],
    [
      "a hundred thousand headings",
      () => Array.from({ length: 100_000 }, () => block("heading", "Title", { level: 1 })),
    ],
  ])("%s", async (_, blocks) => {
    const given = blocks();
    const characters = given.reduce((sum, { text }) => sum + text.replace(/\s/g, "").length, 0);
    const drafts = await chunk(given, { chunkSize: 2048, maxChunkSize: 4096, chunkOverlap: 100 });
    const shown = drafts.reduce((sum, { text }) => sum + text.replace(/\s/g, "").length, 0);
    expect(shown).toBeGreaterThanOrEqual(characters);
  });
});
