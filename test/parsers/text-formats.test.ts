import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { decodeText } from "#dist/parsers/shared/charset/decode-text.js";
import { sourceFile } from "../support/make-files.js";

const parse = (name: string, content: string | Uint8Array) => parseDocument(sourceFile(name, content));
const shown = async (name: string, content: string | Uint8Array) =>
  (await parse(name, content)).blocks.map((block) => [block.kind, block.text]);

describe("charsets", () => {
  const text = "Zoë zahlt 5 €";
  test.each([
    ["UTF-8", Buffer.from(text), "utf-8"],
    ["UTF-8 with a mark", Buffer.from(`\ufeff${text}`), "utf-8"],
    ["UTF-16 with a mark", Buffer.from(`\ufeff${text}`, "utf16le"), "utf-16le"],
    ["UTF-16 without one", Buffer.from(text, "utf16le"), "utf-16le"],
    ["UTF-16 with the other byte first", Buffer.from(text, "utf16le").swap16(), "utf-16be"],
    ["windows-1252", Buffer.from([...Buffer.from("Zo\xeb zahlt 5 ", "latin1"), 0x80]), "windows-1252"],
  ])("%s", (_, bytes, charset) => {
    expect(decodeText(bytes)).toEqual({ text, charset });
  });

  test("line ends are made one, zero bytes are dropped", () => {
    expect(decodeText(Buffer.from("a\r\nb\rc\n\0")).text).toBe("a\nb\nc\n");
  });
});

describe("text", () => {
  test("paragraphs are parted by blank lines", async () => {
    expect(await shown("a.txt", "one\ntwo\n \n\n  three\n")).toEqual([
      ["paragraph", "one\ntwo"],
      ["paragraph", "  three"],
    ]);
  });
});

describe("csv", () => {
  test("quotes, commas, line breaks and pipes stay within their cell", async () => {
    const { blocks } = await parse("a.csv", 'name,note\n"Doe, J.","a|b\nc"\nshort\n');
    expect(blocks[0]!.table).toEqual({ header: ["name", "note"], rows: [["Doe, J.", "a|b\nc"], ["short"]] });
    expect(blocks[0]!.text).toBe("| name | note |\n| --- | --- |\n| Doe, J. | a\\|b c |\n| short |");
  });

  test("semicolons are found out, and rows wider than the header widen it", async () => {
    const { blocks } = await parse("a.csv", "a;b\n1;2;3\n4;5;6\n");
    expect(blocks[0]!.table).toEqual({
      header: ["a", "b", ""],
      rows: [
        ["1", "2", "3"],
        ["4", "5", "6"],
      ],
    });
  });

  test("a formula is text", async () => {
    expect((await parse("a.csv", "a,b\n=HYPERLINK(1),2")).blocks[0]!.table!.rows).toEqual([["=HYPERLINK(1)", "2"]]);
  });
});

describe("json", () => {
  test("objects become sections, records paragraphs, values labelled lines", async () => {
    const json = JSON.stringify({
      name: "Shop",
      tags: ["a", "b"],
      staff: [{ name: "Zoë", at: { city: "Ulm" } }, { name: "Al" }],
      address: { city: "Bonn" },
    });
    const { blocks } = await parse("a.json", json);
    expect(blocks.map((block) => [block.kind, block.text, block.headingPath])).toEqual([
      ["paragraph", "name: Shop\ntags: a, b", []],
      ["heading", "staff", []],
      ["paragraph", "name: Zoë\nat.city: Ulm", ["staff"]],
      ["paragraph", "name: Al", ["staff"]],
      ["heading", "address", []],
      ["paragraph", "city: Bonn", ["address"]],
    ]);
  });

  test("200 levels are walked, and the innermost value is there; one more is refused", async () => {
    const nested = (levels: number) => `${'{"k":['.repeat(levels / 2)}42${"]}".repeat(levels / 2)}`;
    const { blocks } = await parse("deep.json", nested(200));
    expect(blocks.at(-1)!.text).toMatch(/^….*42$/);
    await expect(parse("deep.json", `[${nested(200)}]`)).rejects.toMatchObject({
      code: "limit_exceeded",
      message: '"deep.json" is nested deeper than the 200 levels allowed.',
    });
    const line = (text: string) => parse("deep.jsonl", `{"a":1}\n${text}\n`);
    await expect(line("[".repeat(100_000))).rejects.toMatchObject({ code: "limit_exceeded" });
  });

  test("more than five million values are refused", async () => {
    const message = '"a.json" has more than the 5000000 values allowed.';
    await expect(parse("a.json", `[${"[],".repeat(5_000_000)}[]]`)).rejects.toMatchObject({
      code: "limit_exceeded",
      message,
    });
  });

  test("more than a million records are refused", async () => {
    await expect(parse("a.json", `[${"1,".repeat(1_000_000)}1]`)).rejects.toMatchObject({
      code: "limit_exceeded",
      message: '"a.json" has more than the 1000000 paragraphs, headings and tables allowed.',
    });
  });

  test("a key named __proto__ is a key", async () => {
    expect((await shown("a.json", '{"__proto__": {"polluted": true}}')).at(-1)).toEqual([
      "paragraph",
      "polluted: true",
    ]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("what is not JSON is refused, a bad line among good ones is kept as text", async () => {
    await expect(parse("a.json", '{"a": 1,')).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/"a.json" is not valid JSON/),
    });
    const lines = await parse("a.jsonl", '{"a": 1}\noops\n{"a": 2}\n');
    expect(lines.blocks.map((block) => block.text)).toEqual(["a: 1", "oops", "a: 2"]);
    expect(lines.warnings).toEqual(["1 of 3 lines are not JSON and were kept as text; the first is line 2."]);
  });
});

describe("markdown", () => {
  test("blocks keep their structure", async () => {
    const markdown = [
      "Title\n=====",
      "Some *text* with [a link][ref].",
      "1. one\n   - nested\n2. two",
      "```ts\nconst a = 1;\n```",
      "> quoted",
      "![A chart](chart.png)",
      "- [x] done",
      "[ref]: https://example.com",
    ].join("\n\n");
    const { blocks, title } = await parse("a.md", markdown);
    expect(title).toBe("Title");
    expect(blocks.map(({ kind, text, level, marker, language }) => ({ kind, text, level, marker, language }))).toEqual([
      { kind: "heading", text: "Title", level: 1 },
      { kind: "paragraph", text: "Some *text* with [a link](https://example.com)." },
      { kind: "list_item", text: "one", level: 1, marker: "1." },
      { kind: "list_item", text: "nested", level: 2 },
      { kind: "list_item", text: "two", level: 1, marker: "2." },
      { kind: "code", text: "const a = 1;", language: "ts" },
      { kind: "paragraph", text: "quoted" },
      { kind: "image", text: "A chart" },
      { kind: "list_item", text: "[x] done", level: 1 },
    ]);
  });

  test("front matter is metadata, not text", async () => {
    const { blocks, metadata, title } = await parse(
      "a.md",
      "---\ntitle: \"My page\"\ntags: [a, 'b, c']\ndraft: true\nlist:\n  - x\n  - 2\n---\n\nText.",
    );
    expect(metadata).toEqual({ title: "My page", tags: ["a", "b, c"], draft: true, list: ["x", 2] });
    expect(title).toBe("My page");
    expect(blocks.map((block) => block.text)).toEqual(["Text."]);
  });

  test("a rule at the top is no front matter", async () => {
    expect((await parse("a.md", "---\nWords.\n\n---\nMore.")).metadata).toEqual({});
  });

  test("HTML within is read as HTML", async () => {
    expect(
      await shown(
        "a.md",
        "<details>\n<summary>More</summary>\n\n<table><tr><td>a<td>b<tr><td>1<td>2</table>\n</details>\n",
      ),
    ).toEqual([
      ["paragraph", "More"],
      ["table", "| a | b |\n| --- | --- |\n| 1 | 2 |"],
    ]);
  });

  test("bytes of an embedded image are left out", async () => {
    const { blocks } = await parse("a.md", `Look: ![dot](data:image/png;base64,${"A".repeat(1000)}) here.`);
    expect(blocks[0]!.text).toBe("Look: dot here.");
  });

  test("nesting too deep to be read is kept as text", async () => {
    const { blocks, warnings } = await parse("a.md", `${">".repeat(20_000)} deep\n\nAfter.`);
    expect(blocks.map((block) => block.text).join("\n")).toMatch(/deep[\s\S]*After\./);
    expect(warnings.length).toBeLessThanOrEqual(1);
  });
});
