import { expect, it } from "vitest";
import { bodyOf, findQuote, joinRanges, type RangedText, slice, withoutMarkup } from "#dist/http/ranged-text.js";

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
  ["## The «lamp»\n\nIt is **«lit»** at dusk.", "The «lamp»\n\nIt is «lit» at dusk."],
  ["It **is «lit** at» dusk", "It is «lit at» dusk"],
  ["| a | b |\n| --- | --- |\n| «c» | d |", "| a | b |\n| «c» | d |"],
  ["2 * 3 ** «4»", "2 * 3 ** «4»"],
])("removes the signs of Markdown from %j", (marked, expected) => {
  expect(show(withoutMarkup(parse(marked)))).toBe(expected);
});

it("leaves out the headings at the beginning, unless there is nothing else", () => {
  expect(show(bodyOf(parse("# «Guide»\n\n## Lamp\n\nThe «lamp» is lit.\n\n## More")))).toBe(
    "The «lamp» is lit.\n\nMore",
  );
  expect(show(bodyOf(parse("# «Guide»")))).toBe("«Guide»");
});

it("cuts ranges with the text, and joins those that overlap", () => {
  expect(show(slice(parse("a«bc»d«ef»"), 2, 5))).toBe("«c»d«e»");
  expect(slice(parse("«ab»cd"), 2, 4)).toEqual({ text: "cd", ranges: [] });
  const ranges = [parse("abc«de»f"), parse("«abcd»ef"), parse("abcde«f»")].flatMap((each) => each.ranges);
  expect(joinRanges(ranges)).toEqual([{ start: 0, end: 6 }]);
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
