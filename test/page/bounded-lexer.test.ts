import { Tokenizer } from "marked";
import { describe, expect, it } from "vitest";
import { BoundedLexer } from "../../src/page/bounded-lexer.js";

/** Each makes some rule of the lexer look at the rest of a paragraph from many places. */
const PATTERNS = [
  "_a__b",
  "*a_",
  "**_a",
  "[[[[",
  "[a](",
  "![",
  "****",
  "~~a~",
  "```` ",
  "` ``  ",
  "<a b=",
  "<!-- ",
  "\\",
];
const LENGTH = 40_000;
const INLINE_RULES = ["escape", "tag", "link", "emStrong", "codespan", "br", "del", "autolink", "url"] as const;

interface Work {
  /** The characters that were given to the rules. */
  total: number;
  longest: number;
}

function workOf(text: string): Work {
  const work = { total: 0, longest: 0 };
  const tokenizer = new Tokenizer();
  for (const rule of INLINE_RULES) {
    const apply = tokenizer[rule] as (this: Tokenizer, ...given: unknown[]) => never;
    tokenizer[rule] = function (this: Tokenizer, ...given: unknown[]) {
      const lengths = given.map((each) => (typeof each === "string" ? each.length : 0));
      work.total += lengths.reduce((sum, length) => sum + length, 0);
      work.longest = Math.max(work.longest, ...lengths);
      return apply.apply(this, given);
    };
  }
  new BoundedLexer({ gfm: true, tokenizer }).lex(text);
  return work;
}

const repeated = (pattern: string, length: number) =>
  `x ${pattern.repeat(Math.ceil(length / pattern.length))}`.slice(0, length);

describe("the lexer of the page", () => {
  it.each(PATTERNS)("takes work in proportion to a paragraph of %j", (pattern) => {
    const whole = workOf(repeated(pattern, LENGTH));
    const half = workOf(repeated(pattern, LENGTH / 2));
    expect(whole.longest).toBeLessThanOrEqual(1000);
    expect(whole.total).toBeLessThan(2.2 * half.total);
  });

  it("finds markup in each sentence of a long paragraph, and leaves nothing out", () => {
    const text = repeated("The **lamp** is [lit](https://example.com) at `dusk` by 👩‍🚀. ", 20_000).trim();
    const [paragraph] = new BoundedLexer({ gfm: true }).lex(text);
    const tokens = paragraph!.type === "paragraph" ? paragraph!.tokens! : [];
    expect(tokens.map(({ raw }) => raw).join("")).toBe(text);
    expect(tokens.filter(({ type }) => type === "strong").length).toBe(text.split("**lamp**").length - 1);
  });

  it("cuts no marker and no character", () => {
    const pieces: string[] = [];
    const tokenizer = new Tokenizer();
    tokenizer.inlineText = (rest) => {
      pieces.push(rest);
      return { type: "text", raw: rest, text: rest, escaped: false };
    };
    for (const pattern of ["\uE00012\uE001", "x👩"]) {
      pieces.length = 0;
      const text = repeated(pattern, 4997);
      new BoundedLexer({ tokenizer }).inlineTokens(text);
      expect(pieces.join("")).toBe(text);
      expect(pieces.length).toBeGreaterThan(4);
      const cut = pieces.slice(0, -1).filter((piece) => /\uE000\d*$|[\uD800-\uDBFF]$/.test(piece));
      expect(cut).toEqual([]);
    }
  });
});
