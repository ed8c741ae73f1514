import { afterAll, expect, it } from "vitest";
import { extractSentences } from "#dist/answer/extract-sentences.js";
import { LEXICAL_DIMENSIONS } from "#dist/embedders/lexical/vector.js";
import { staticEmbedder } from "#dist/embedders/static/provider.js";

const embedder = await staticEmbedder();
afterAll(() => embedder.close?.());

const embed = (texts: readonly string[]) => embedder.embed(texts, { purpose: "query" });
const vectors = {
  embed,
  embedWords: async (words: readonly string[]) =>
    (await embed(words)).map((vector) => vector.subarray(0, vector.length - LEXICAL_DIMENSIONS)),
  close: async () => {},
};

const BAKERY = {
  context: "The bakery",
  text: "The oven is heated at four in the morning. Rye bread costs 3 pounds. Cakes must be ordered two days before.",
};
const FERRY = {
  context: "The ferry",
  text: "The ferry sails from the north quay. Bicycles are not taken on board. It takes 40 minutes to the island.",
};

async function quotes(question: string, sources: readonly { text: string; context: string }[] = [BAKERY, FERRY]) {
  return (await extractSentences(question, sources, vectors, {})).map(({ sentence }) => sentence.text);
}

it.each([
  ["How much is rye bread?", "Rye bread costs 3 pounds."],
  ["When is the oven heated?", "The oven is heated at four in the morning."],
  ["Where does the ferry sail from?", "The ferry sails from the north quay."],
  ["Can I take a bicycle on the ferry?", "Bicycles are not taken on board."],
  ["How long does the ferry take to the island?", "It takes 40 minutes to the island."],
])("answers %s", async (question, answer) => {
  expect((await quotes(question))[0]).toBe(answer);
});

it.each([
  "Who painted the ceiling of the chapel?",
  "How tall is the mayor of the town?",
  "What did the bakery in Rossay earn in 1994?",
])("declines %s", async (question) => {
  expect(await quotes(question)).toEqual([]);
});

it("declines without sentences", async () => {
  expect(await quotes("How much is rye bread?", [])).toEqual([]);
  expect(await quotes("How much is rye bread?", [{ text: "", context: "Rye bread" }])).toEqual([]);
});

it("quotes further sentences that are nearly as good, but none that repeats another", async () => {
  const texts = ["The captain works at the wheel.", "The captain works at the wheel!", "A cook works in the galley."];
  const sources = texts.map((text) => ({ text, context: "The ferry" }));
  const found = await quotes("Who works on the ferry?", sources);
  expect(found).toHaveLength(2);
  expect(found).toContain("A cook works in the galley.");
});

it("answers each of several questions once, in their order, also if one leaves out its subject", async () => {
  expect(await quotes("How much is rye bread, and when is the oven heated?")).toEqual([
    "Rye bread costs 3 pounds.",
    "The oven is heated at four in the morning.",
  ]);
  const ferry = [
    "The ferry sails from the north quay. It takes 40 minutes.",
    "The bus leaves from the market. It takes 25 minutes.",
  ];
  const sources = ferry.map((text, index) => ({ text, context: index === 0 ? "Ferry" : "Bus" }));
  expect(await quotes("Where does the bus leave from and how long does it take?", sources)).toEqual([
    "The bus leaves from the market.",
    "It takes 25 minutes.",
  ]);
  expect(await quotes("When is the oven heated? At what time is the oven heated?")).toEqual([
    "The oven is heated at four in the morning.",
  ]);
});

it("leaves out a question without an answer, and answers the other", async () => {
  expect(await quotes("Who painted the ceiling of the chapel, and how much is rye bread?")).toEqual([
    "Rye bread costs 3 pounds.",
  ]);
});

it("quotes a sentence once that answers two questions and is in two documents", async () => {
  const text = "The ceremony is held at six on Fridays.";
  const sources = [
    { text, context: "The opening ceremony" },
    { text, context: "The closing ceremony" },
  ];
  expect(await quotes("When is the opening ceremony held, and when is the closing ceremony held?", sources)).toEqual([
    text,
  ]);
});
