import { expect, it } from "vitest";
import { decidesQuestion, lacksAnswerType, removeMeasureWords } from "#dist/answer/answer-types.js";

it.each([
  ["How many steps are there?", "There are 167 steps.", "There are steps."],
  ["Which year was it built?", "It was built in 1864.", "It was built of granite."],
  ["When is the lamp lit?", "It is lit before sunset.", "It is lit by the keeper."],
  ["Where does the boat land?", "It lands at the north steps.", "It lands rarely."],
])("tells what a question asks for: %s", (question, answer, other) => {
  expect(lacksAnswerType(question, answer)).toBe(false);
  expect(lacksAnswerType(question, other)).toBe(true);
});

it("asks nothing of questions for anything else", () => {
  expect(lacksAnswerType("Who keeps the lamp?", "The keeper.")).toBe(false);
  expect(lacksAnswerType("Wann wird die Lampe angezündet?", "Vom Wärter.")).toBe(false);
});

it("tells what permits or forbids from what doesn't", () => {
  expect(decidesQuestion("May dogs come?", "Dogs are welcome.")).toBe(true);
  expect(decidesQuestion("May dogs come?", "Dogs have four legs.")).toBe(false);
  expect(decidesQuestion("Which dogs come?", "Dogs are welcome.")).toBe(false);
});

it("leaves out the measure of a question for a number", () => {
  expect(removeMeasureWords("How many steps, and how long is the path?")).toBe("How steps, and how is the path?");
});
