import { expect, it } from "vitest";
import { decidesQuestion, lacksAnswerType, removeMeasureWords } from "#dist/answer/answer-types.js";
import { readSentences } from "#dist/answer/sentence-features.js";
import { scoreOf } from "#dist/answer/sentence-scorer.js";
import type { SentenceFeatures } from "../../src/answer/sentence-features.js";

/** Vectors that know only which words a text has, and that a vessel is a ship. */
const axes = new Map<string, number>();
const vectorOf = (text: string) => {
  const vector = new Float32Array(64);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const name = word === "vessel" ? "ship" : word;
    axes.set(name, axes.get(name) ?? axes.size);
    vector[axes.get(name)!] = 1;
  }
  return vector;
};
const embed = async (texts: readonly string[]) => texts.map(vectorOf);
const vectors = { embed, embedWords: embed, close: async () => {} };

async function featuresOf(
  question: string,
  text: string,
  { context = "", others = [] as readonly string[] } = {},
): Promise<readonly SentenceFeatures[]> {
  const sources = [{ text, context }, ...others.map((other) => ({ text: other, context: "" }))];
  const { featuresOf } = await readSentences(sources, vectors, {});
  return featuresOf(question);
}

it("tells where a sentence has the question's terms from", async () => {
  const question = "Which ship carries coal?";
  const first = async (text: string, context?: string) => (await featuresOf(question, text, { context })).at(-1)!;
  const own = await first("The ship carries coal.");
  expect(own).toMatchObject({ similar: 0, inContext: 0, inPrevious: 0, missing: 0 });
  expect(own.covered).toBeCloseTo(1);
  const synonym = await first("The vessel carries coal.");
  expect(synonym.similar).toBeGreaterThan(0);
  expect(synonym.similar + synonym.covered).toBeCloseTo(1);
  const inContext = await first("It carries coal.", "The ship");
  expect(inContext.inContext).toBeGreaterThan(0);
  expect(inContext).toMatchObject({ similar: 0, inPrevious: 0, missing: 0 });
  const inPrevious = await first("The ship is old. It carries coal.");
  expect(inPrevious.inPrevious).toBeGreaterThan(0);
  expect(inPrevious).toMatchObject({ inContext: 0, missing: 0 });
  const elsewhere = await first("It carries coal. It was built in 1890.");
  expect(elsewhere.missing).toBeGreaterThan(0);
});

it("takes a question before a sentence as part of it", async () => {
  const [answer] = await featuresOf("Is there a lift?", "Is there a lift? No.");
  expect(answer!.covered).toBeCloseTo(1);
  expect((await featuresOf("Is there a lift?", "There is a lift. No."))[1]!.covered).toBe(0);
});

it("weighs terms by their rarity among the sentences", async () => {
  const others = ["A ship sails.", "A ship rests."];
  const [rare, common] = await featuresOf("ship coal", "Coal burns.\n\nThe ship burns.", { others });
  expect(rare!.covered).toBeGreaterThan(common!.covered);
});

it("notices names and numbers that a passage lacks", async () => {
  const text = "The fare to Annet was raised in 2019.";
  const missing = async (question: string) => (await featuresOf(question, text))[0]!.missingNames;
  expect(await missing("What was the fare to Annet in 2019?")).toBe(0);
  expect(await missing("What was the fare to Rossay in 2019?")).toBeGreaterThan(0);
  expect(await missing("What was the fare to Annet in 1994?")).toBeGreaterThan(0);
});

it("counts bigrams of terms, and knows a sentence's place", async () => {
  const text = "The red lamp burns. A lamp is red.";
  const [pair, none, other] = await featuresOf("red lamp", text, { others: ["Nothing."] });
  expect([pair!.bigrams, none!.bigrams]).toEqual([1, 0]);
  expect([pair!.startsPassage, none!.startsPassage, other!.startsPassage]).toEqual([1, 0, 1]);
  expect([pair!.inBestPassage, none!.inBestPassage, other!.inBestPassage]).toEqual([1, 1, 0]);
});

it("gives finite features to questions without content words and to other scripts", async () => {
  for (const question of ["What is it?", "?!", "灯台はいつ点灯しますか"])
    for (const features of await featuresOf(question, "The lamp is lit. 灯台は日没に点灯します。"))
      expect(Object.values(features).filter((value) => !Number.isFinite(value))).toEqual([]);
});

it.each([
  ["How many steps are there?", "There are 167 steps.", "There are steps."],
  ["How much is a ticket?", "It costs twelve pounds.", "It costs a lot."],
  ["When does the boat leave?", "It leaves at 10:15.", "It leaves with 12 people."],
  ["Until when is it open?", "It closes in October.", "It closes with a bell."],
  ["Where is the key?", "It hangs behind the door.", "It is green."],
])("%s asks for a form that a sentence has or lacks", (question, having, lacking) => {
  expect(lacksAnswerType(question, having)).toBe(false);
  expect(lacksAnswerType(question, lacking)).toBe(true);
});

it("recognizes what decides a question for yes or no", () => {
  expect(decidesQuestion("Can I bring a dog?", "Dogs are not taken ashore.")).toBe(true);
  expect(decidesQuestion("Can I bring a dog?", "Dogs bark.")).toBe(false);
  expect(decidesQuestion("Who brings a dog?", "Dogs are not taken ashore.")).toBe(false);
});

it("leaves the measure out of a question for a number", () => {
  expect(removeMeasureWords("How much water fits, and how often?")).toBe("How water fits, and how?");
  expect(removeMeasureWords("Is there much water?")).toBe("Is there much water?");
});

it("scores covered terms up, and missing ones and lacking types down", async () => {
  const [answer, other] = await featuresOf(
    "How many steps has the tower?",
    "The tower has 167 steps. The tower is old.",
  );
  expect(scoreOf(answer!)).toBeGreaterThan(scoreOf(other!));
  expect(scoreOf({ ...answer!, missing: 0.5 })).toBeLessThan(scoreOf(answer!));
  expect(scoreOf({ ...answer!, lacksType: 1 })).toBeLessThan(scoreOf(answer!));
});
