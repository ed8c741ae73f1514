import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnswerPart, CitationMarkerParser } from "#dist/answer/citation-markers.js";

/** The text and the markers in it, as `text⟨1,2⟩text`. */
function parse(chunks: readonly string[]): string {
  const parser = new CitationMarkerParser();
  const parts: AnswerPart[] = [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
  return parts.map((part) => (part.type === "text" ? part.text : `⟨${part.numbers.join(",")}⟩`)).join("");
}

describe("separates markers from text", () => {
  it.each([
    ["The lamp is lit [1].", "The lamp is lit⟨1⟩."],
    ["The lamp is lit.[1] It burns.", "The lamp is lit.⟨1⟩ It burns."],
    ["Two [1][2], three [3, 4], more [5-7] and [8–9].", "Two⟨1⟩⟨2⟩, three⟨3,4⟩, more⟨5,6,7⟩ and⟨8,9⟩."],
    ["Footnote [^1], wide 【2】 and 【3†manual.pdf】", "Footnote⟨1⟩, wide⟨2⟩ and⟨3⟩"],
    ["Named [Passage 1] and [source 2, source 3].", "Named⟨1⟩ and⟨2,3⟩."],
    ["[1] The lamp.\n[2] [3] The boat.", "⟨1⟩The lamp.\n⟨2⟩⟨3⟩The boat."],
    ["- [1] item\n- [x] task\n- [ ] task", "-⟨1⟩ item\n- [x] task\n- [ ] task"],
    ["| a [1] | b [2] |", "| a⟨1⟩ | b⟨2⟩ |"],
    ["A range of many [1-99]", "A range of many⟨1,99⟩"],
    ["Nested [see [1]] and [[2]]", "Nested [see⟨1⟩] and [⟨2⟩]"],
    ["The lamp [1]is lit [2] [3]`on`.", "The lamp⟨1⟩ is lit⟨2⟩⟨3⟩ `on`."],
    ["[1]\r\nThe lamp [2]\r\n", "⟨1⟩\r\nThe lamp⟨2⟩\r\n"],
    [`${" ".repeat(50)}x [1] y`, `${" ".repeat(50)}x⟨1⟩ y`],
  ])("in %j", (text, expected) => {
    expect(parse([text])).toBe(expected);
  });

  it.each([
    "a link [1](https://example.com) and an image ![2](x.png)",
    "words [a], [note 1], [1a], [12345], [2024-01-01], []",
    "escaped \\[1\\] and \\[x = 1\\]",
    "code `x[1]` and ``a ` b[2]`` here",
    "```js\nlist[1]\n~~~\n[2]\n```",
    "~~~\n[1]\n```\n[2]\n~~~",
    "> ```\n> [1]\n> ```",
    "unclosed [1",
    `a long bracket [${"1, ".repeat(30)}1]`,
  ])("none in %j", (text) => {
    expect(parse([text])).toBe(text);
  });

  it("again after code, whose end may be missing in a paragraph", () => {
    expect(parse(["```\n[1]\n```\n[2] text"])).toBe("```\n[1]\n```\n⟨2⟩text");
    expect(parse(["```x[1]``` text [2]"])).toBe("```x[1]``` text⟨2⟩");
    expect(parse(["a ` b [1]\n\nnext [2]"])).toBe("a ` b [1]\n\nnext⟨2⟩");
  });
});

const piece = fc.oneof(
  fc.constantFrom(
    "[1]",
    " [2]",
    "[1, 2]",
    "[99]",
    "[",
    "]",
    "(",
    "`",
    "```",
    "~~~",
    "\n",
    "\n\n",
    " ",
    "\\",
    "- ",
    "| ",
    "【1】",
  ),
  fc.constantFrom("lamp", "x[1]", "[a](b)", "> ", "1. ", ".", "é", "灯"),
);

it("gives the same however the text is cut into chunks, and nothing but the text and its markers", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.integer({ min: 1, max: 40 })), (pieces, sizes) => {
      const text = pieces.join("");
      const chunks: string[] = [];
      for (let at = 0, index = 0; at < text.length; index++) {
        const size = sizes.length > 0 ? sizes[index % sizes.length]! : 1;
        chunks.push(text.slice(at, at + size));
        at += size;
      }
      const whole = parse([text]);
      expect(parse(chunks)).toBe(whole);
      // Without markers and spaces, the text is that of the model.
      const withoutMarkers = whole.replace(/⟨[^⟩]*⟩/g, "").replace(/\s/g, "");
      const removed = text.replace(/\s/g, "").length - withoutMarkers.length;
      expect(removed > 0).toBe(/⟨/.test(whole));
    }),
    { numRuns: 500 },
  );
});

it("gives the same for more spaces than it holds back", () => {
  for (const text of [`x${" ".repeat(60)}[1]`, `[1]${" ".repeat(60)}x`, `${" ".repeat(40)}${" ".repeat(20)}x\n\`\`\``])
    expect(parse(text.split(""))).toBe(parse([text]));
  const fence = (chunks: readonly string[]) => parse(["~~~\n", ...chunks, "~~~ [1]"]);
  expect(fence([" ".repeat(40), `${" ".repeat(20)}x`])).toBe(fence([`${" ".repeat(60)}x`]));
});

it("takes time in proportion to the text", () => {
  const text = "`[1".repeat(50_000) + "[ ".repeat(50_000);
  expect(parse([text]).length).toBeGreaterThan(0);
  const marks = "`".repeat(300_000);
  expect(parse(`${marks} [1] ${marks} [1]`.split(""))).toBe(`${marks} [1] ${marks}⟨1⟩`);
});
