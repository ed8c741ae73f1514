import { expect, it } from "vitest";
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
  const last = async (text: string, context?: string) => (await featuresOf(question, text, { context })).at(-1)!;
  const own = await last("The ship carries coal.");
  expect(own).toMatchObject({ similar: 0, inContext: 0, missing: 0 });
  expect(own.covered).toBeCloseTo(1);
  const synonym = await last("The vessel carries coal.");
  expect(synonym.similar).toBeGreaterThan(0);
  expect(synonym.similar + synonym.covered).toBeCloseTo(1);
  const inContext = await last("It carries coal.", "The ship");
  expect(inContext.inContext).toBeGreaterThan(0);
  expect(inContext).toMatchObject({ similar: 0, missing: 0 });
  const similarInContext = await last("It carries coal.", "The vessel");
  expect(similarInContext.inContext).toBeCloseTo(inContext.inContext);
  const inPassage = await last("The ship is old. It carries coal.");
  expect(inPassage).toMatchObject({ similar: 0, inContext: 0, missing: 0 });
  expect((await last("It carries coal. It was built in 1890.")).missing).toBeGreaterThan(0);
});

it("takes the header of a table as context of its rows", async () => {
  const [row] = await featuresOf("Which ship?", "| Ship | Load |\n| --- | --- |\n| Annet | coal |");
  expect(row!.inContext).toBeCloseTo(1);
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

it("knows a sentence's place", async () => {
  const features = await featuresOf("red lamp", "The red lamp burns. A lamp is red.", { others: ["Nothing."] });
  expect(features.map(({ startsPassage }) => startsPassage)).toEqual([1, 0, 1]);
  expect(features.map(({ reciprocalRank }) => reciprocalRank)).toEqual([1, 1, 0.5]);
});

it("notices the form of answer that a question asks for", async () => {
  const text = "It costs 12 pounds. It costs a lot.";
  expect((await featuresOf("How much is it?", text)).map(({ money }) => money)).toEqual([1, 0]);
  expect((await featuresOf("Who pays?", text)).map(({ money }) => money)).toEqual([0, 0]);
});

it("gives finite features to questions without content words and to other scripts", async () => {
  for (const question of ["What is it?", "?!", "灯台はいつ点灯しますか"])
    for (const features of await featuresOf(question, "The lamp is lit. 灯台は日没に点灯します。"))
      expect(Object.values(features).filter((value) => !Number.isFinite(value))).toEqual([]);
});

it("scores covered terms and the form of an answer up, and missing terms down", async () => {
  const [answer, other] = await featuresOf("How high is the tower?", "The tower is 41 metres high. The tower is old.");
  expect(scoreOf(answer!)).toBeGreaterThan(scoreOf(other!));
  expect(scoreOf({ ...answer!, missing: 0.5 })).toBeLessThan(scoreOf(answer!));
  expect(scoreOf({ ...answer!, measure: 0 })).toBeLessThan(scoreOf(answer!));
});

it("notices a number of what the question asks the number of", async () => {
  const [counted, other] = await featuresOf(
    "How many ships carry coal?",
    "Three old ships carry coal. Coal fed ten cats.",
  );
  expect(counted!.count).toBe(1);
  expect(other!.count).toBe(0);
  expect((await featuresOf("Which ships carry coal?", "Three old ships carry coal."))[0]!.count).toBe(0);
});
