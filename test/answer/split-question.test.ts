import { expect, it } from "vitest";
import { splitQuestion } from "#dist/answer/split-question.js";

it("takes at most five questions of a text", () => {
  expect(splitQuestion("What burns? When is it lit?")).toEqual(["What burns", "When is it lit"]);
  expect(splitQuestion("x? ".repeat(2000))).toHaveLength(5);
});

it("splits a question with long runs of spaces in time in proportion to its length", () => {
  expect(splitQuestion(`What burns${" ".repeat(500_000)}and when?`)).toEqual(["What burns", "when"]);
});
