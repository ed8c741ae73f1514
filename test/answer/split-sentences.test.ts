import { expect, it } from "vitest";
import { splitQuestion } from "#dist/answer/split-question.js";
import { splitSentences } from "#dist/answer/split-sentences.js";

it("splits paragraphs into sentences with their ranges, and knows what is before each", () => {
  const text = "Opening hours\n\nThe tower opens at 9. Dr. Thrale built it.\n\nIs there a lift? No.";
  const sentences = splitSentences(text);
  expect(sentences.map((sentence) => [sentence.text, sentence.heading, sentence.previous])).toEqual([
    ["The tower opens at 9.", "Opening hours", ""],
    ["Dr. Thrale built it.", "Opening hours", "The tower opens at 9."],
    ["No.", "Opening hours", "Is there a lift?"],
  ]);
  for (const { start, end, text: sentence } of sentences) expect(text.slice(start, end)).toBe(sentence);
});

it("takes a bold label as the heading of its paragraph", () => {
  const [first, second] = splitSentences("**Fog.** The boat stays in harbour. Nobody sails.");
  expect([first!.text, first!.heading, second!.text]).toEqual(["The boat stays in harbour.", "Fog.", "Nobody sails."]);
});

it("takes each row of a table as a sentence under the table's header", () => {
  const rows = splitSentences("| Day | Hours |\n| --- | --- |\n| Monday | 9 to 5 |\n| Sunday | closed |");
  expect(rows.map(({ text, columns, isTableRow }) => [text, columns, isTableRow])).toEqual([
    ["| Monday | 9 to 5 |", "| Day | Hours |", true],
    ["| Sunday | closed |", "| Day | Hours |", true],
  ]);
  expect(splitSentences("| Monday | 9 to 5 |").map(({ columns }) => columns)).toEqual([""]);
});

it("separates the questions of a text", () => {
  expect(splitQuestion("How high is the tower, and how many steps does it have?")).toEqual([
    "How high is the tower",
    "how many steps does it have",
  ]);
  expect(splitQuestion("Who built it? When was it finished?")).toEqual(["Who built it", "When was it finished"]);
  for (const single of ["When is the lamp lit?", "Is tea and coffee sold?", "?"])
    expect(splitQuestion(single)).toEqual([single]);
});
