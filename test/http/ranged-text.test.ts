import { expect, it } from "vitest";
import { bodyOf, findQuote, mergeRanges, type RangedText, slice } from "#dist/http/ranged-text.js";

/** A text in which the ranges are in guillemets. */
function parse(marked: string): RangedText {
  const ranges = [...marked.matchAll(/«([^»]*)»/g)].map(({ index, 1: inner }, at) => ({
    start: index - 2 * at,
    end: index - 2 * at + inner!.length,
  }));
  return { text: marked.replace(/[«»]/g, ""), ranges };
}

function show({ text, ranges }: RangedText): string {
  return ranges.toReversed().reduce((shown, { start, end }) => {
    return `${shown.slice(0, start)}«${shown.slice(start, end)}»${shown.slice(end)}`;
  }, text);
}

it.each([
  ["It is **«lit»** at dusk.\n\n## The «lamp»", "It is «lit» at dusk.\nThe «lamp»"],
  ["It **is «lit** at» dusk", "It is «lit at» dusk"],
  ["| a | b |\n| --- | --- |\n| «c» | d |", "a | b\n«c» | d"],
  ["2 * 3 ** «4»", "2 * 3 ** «4»"],
  ["- one\n- «two»\n  - `three`", "- one\n- «two»\n  - three"],
  ["See [the «guide»](https://example.com/guide) [1].", "See the «guide» [1]."],
  ["Run:\n\n```sh\n«lamp» --on\n\nlamp --off\n```\n\nThen wait.", "Run:\n«lamp» --on\nlamp --off\nThen wait."],
])("shows %j without the signs of Markdown, line by line", (marked, expected) => {
  expect(show(bodyOf(parse(marked), "text/markdown"))).toBe(expected);
});

it("shows plain text as it is, without blank lines", () => {
  expect(show(bodyOf(parse("# «a» **b**\n \n\n\n  `c`"), "text/plain"))).toBe("# «a» **b**\n  `c`");
});

it("leaves out the headings at the beginning, unless there is nothing else", () => {
  expect(show(bodyOf(parse("# «Guide»\n\n## Lamp\n\nThe «lamp» is lit.\n\n## More"), "text/markdown"))).toBe(
    "The «lamp» is lit.\nMore",
  );
  expect(show(bodyOf(parse("# «Guide»"), "text/markdown"))).toBe("«Guide»");
});

it("cuts ranges with the text, and joins those that overlap", () => {
  expect(show(slice(parse("a«bc»d«ef»"), 2, 5))).toBe("«c»d«e»");
  expect(slice(parse("«ab»cd"), 2, 4)).toEqual({ text: "cd", ranges: [] });
  const ranges = [parse("abc«de»f"), parse("«abcd»ef"), parse("abcde«f»")].flatMap((each) => each.ranges);
  expect(mergeRanges(ranges)).toEqual([{ start: 0, end: 6 }]);
});

it.each([
  ["The lamp is lit.", "lamp is", "lamp is"],
  [
    "1. **Wind.** Crossings\n   stop above *22* knots.",
    "Wind. Crossings stop above 22 knots",
    "Wind.** Crossings\n   stop above *22* knots",
  ],
  ["Rules:\n1. First rule\n2. Second rule", "First rule Second rule", "First rule\n2. Second rule"],
  ["the the lamp", "the lamp", "the lamp"],
])("finds in %j the quote %j", (passage, quote, expected) => {
  const { start, end } = findQuote(passage, quote)!;
  expect(passage.slice(start, end)).toBe(expected);
});

it("finds no quote whose words are others", () => {
  expect(findQuote("The lamp is lit.", "The lamp is off.")).toBe(null);
  expect(findQuote("The lamp", "The lamp is")).toBe(null);
  expect(findQuote("", "…")).toBe(null);
});
