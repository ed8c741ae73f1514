import { expect, it } from "vitest";
import { hasAnswerType, removeMeasureWords, typesAskedFor } from "#dist/answer/answer-types.js";

it.each([
  ["money", "How much is a ticket?", "It costs 12 pounds.", "It costs a lot."],
  ["duration", "How long does the crossing take?", "It takes 35 minutes.", "It takes a pilot."],
  ["time", "When is the lamp lit?", "It is lit before sunset.", "It is lit by the keeper."],
  ["time", "Which year was it built?", "It was built in 1864.", "It was built of granite."],
  ["measure", "How high is the tower?", "It is 41 metres high.", "It is the highest of all."],
  ["person", "Who lights the lamp?", "It is lit by the young Josiah Thrale.", "It is lit before sunset."],
  ["place", "Where does the boat land?", "It lands at the north steps.", "It lands rarely."],
  ["reason", "Why is the path closed?", "It is closed because puffins nest.", "It was closed."],
  ["frequency", "How often is the oil checked?", "It is checked twice a season.", "It was checked."],
  ["decision", "May dogs come?", "Dogs are welcome.", "Dogs have four legs."],
  ["contact", "What is the warden's phone number?", "Call 0151 555 0199.", "Call the warden."],
  ["fraction", "What percentage is refunded?", "Half of the fare is refunded.", "The fare is refunded."],
  ["age", "How old must a volunteer be?", "Volunteers are over 18.", "Volunteers are strong."],
] as const)("%s: %s", (type, question, answer, other) => {
  expect(typesAskedFor(question)).toContain(type);
  expect(hasAnswerType(answer, type)).toBe(true);
  expect(hasAnswerType(other, type)).toBe(false);
});

it("finds no type in other questions and in other languages", () => {
  expect(typesAskedFor("Tell me about the lamp")).toEqual([]);
  expect(typesAskedFor("Wann wird die Lampe angezündet?")).toEqual([]);
});

it("leaves out the measure of a question for a number", () => {
  expect(removeMeasureWords("How many steps, and how long is the path?")).toBe("How steps, and how is the path?");
  expect(removeMeasureWords("Is there much water?")).toBe("Is there much water?");
});
