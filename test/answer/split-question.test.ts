import { expect, it } from "vitest";
import { splitQuestion } from "#dist/answer/split-question.js";

it("takes at most five questions of a text", () => {
  expect(splitQuestion("What burns? When is it lit?")).toEqual(["What burns", "When is it lit"]);
  expect(splitQuestion("x? ".repeat(2000))).toHaveLength(5);
});
