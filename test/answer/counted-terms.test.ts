import { expect, it } from "vitest";
import { countedTerms, hasCountOf } from "#dist/answer/counted-terms.js";

it("finds what a question asks the number of", () => {
  expect(countedTerms("How many parking spaces are let?")).toEqual(["park", "space"]);
  expect(countedTerms("When are the spaces let?")).toEqual([]);
});

it.each([
  ["167 steps lead up", true],
  ["Two wet stone steps", true],
  ["steps are 167 metres high", false],
  ["steps lead up", false],
])("tells whether a sentence counts steps: %s", (sentence, expected) => {
  expect(hasCountOf(sentence.split(" "), ["step"])).toBe(expected);
});
