import { expect, it } from "vitest";
import { Analyzer } from "#dist/text-analysis/analyzer.js";
import { keywordPhrase } from "#dist/text-analysis/keyword-text.js";
import { similarWords } from "#dist/text-analysis/similar-words.js";
import { ENGLISH, stemmingOfLanguage } from "#dist/text-analysis/stemming.js";

const analyzer = new Analyzer();
const SPANISH = stemmingOfLanguage("es");

function vocabularyOf(words: readonly string[], stemming: number) {
  const tokens = analyzer.terms(words.map((word) => keywordPhrase(word, stemming))).flat();
  return {
    known: (asked: readonly string[]) => new Set(asked.filter((token) => tokens.includes(token))),
    beginningWith: (character: string) => tokens.filter((token) => token.startsWith(character)),
    mayHave: (token: string) => tokens.includes(token),
    mayHaveBeginning: (beginning: string, suffix: string) =>
      tokens.some((token) => token.startsWith(beginning) && token.endsWith(suffix)),
  };
}

it("finds nothing for what is too long for a word, in no time that depends on its length", () => {
  const vocabulary = vocabularyOf([`${"a".repeat(32)}`], ENGLISH);
  const options = { distance: 1, stemmings: new Set([ENGLISH]) } as const;
  expect(similarWords(analyzer, vocabulary, "a".repeat(31), options)).toHaveLength(1);
  expect(similarWords(analyzer, vocabulary, "a".repeat(33), options)).toEqual([]);
  expect(similarWords(analyzer, vocabulary, "a".repeat(100_000), options)).toEqual([]);
});

it.each([1, 2] as const)(
  "finds the tokens of a language at distance %i by the rules of this language alone",
  (distance) => {
    const vocabulary = vocabularyOf(["canciones", "faroleros"], SPANISH);
    const typed = distance === 1 ? "farolros" : "canciones";
    const find = (stemmings: readonly number[]) =>
      similarWords(analyzer, vocabulary, typed, { distance, stemmings: new Set(stemmings) });
    expect(find([SPANISH])).toHaveLength(1);
    expect(find([ENGLISH])).toEqual([]);
    expect(find([ENGLISH, SPANISH])).toEqual(find([SPANISH]));
  },
);

it("takes a word for likelier if a letter was left out, or two were swapped, than if one was added or replaced", () => {
  const likelihoodOf = (typed: string) =>
    similarWords(analyzer, vocabularyOf(["lamp"], ENGLISH), typed, { distance: 1, stemmings: new Set([ENGLISH]) })
      .filter(({ word }) => word === "lamp")
      .map(({ likelihood }) => likelihood)[0]!;
  const [swapped, added, replaced] = [likelihoodOf("lmap"), likelihoodOf("lampo"), likelihoodOf("limp")];
  expect(swapped).toBeGreaterThan(added);
  expect(added).toBe(replaced);
  const leftOut = similarWords(analyzer, vocabularyOf(["lamps"], ENGLISH), "laps", {
    ...{ distance: 1, stemmings: new Set([ENGLISH]) },
  });
  expect(leftOut).toEqual([{ word: "lamps", token: "lamp", likelihood: swapped }]);
});

it.each([
  { language: "es", typed: "unamete", known: "un" },
  { language: "fi", typed: "ttia", known: "tie" },
])(
  "doesn't depend on the tokens in memory where stemming removes first letters ($language)",
  ({ language, typed, known }) => {
    const stemming = stemmingOfLanguage(language);
    const inMemory = vocabularyOf([known], stemming);
    const unread = { ...inMemory, mayHave: () => true, mayHaveBeginning: () => true };
    const find = (vocabulary: typeof inMemory) =>
      similarWords(analyzer, vocabulary, typed, { distance: 1, stemmings: new Set([stemming]) });
    expect(find(unread)).toEqual(find(inMemory));
  },
);

it("finds nothing for marks without letters", () => {
  const vocabulary = vocabularyOf(["lamp"], ENGLISH);
  const options = { distance: 1, stemmings: new Set([ENGLISH, SPANISH]) } as const;
  expect(similarWords(analyzer, vocabulary, "\u0301".repeat(5), options)).toEqual([]);
});
