import fc from "fast-check";
import { expect, it } from "vitest";
import { termsOf } from "#dist/text-analysis/analyze.js";
import { Analyzer } from "#dist/text-analysis/analyzer.js";
import { keywordPhrase } from "#dist/text-analysis/keyword-text.js";
import { MAX_STEMMING, normalizeWord, stemmingOfLanguage } from "#dist/text-analysis/stemming.js";
import { WordFinder } from "#dist/text-analysis/word-finder.js";
import { propertyRuns } from "../support/property-runs.js";
import { stemmableWord as word } from "../support/stemmable-word.js";

it("finds words in each form that has the token of one of them, in every language", () => {
  const analyzer = new Analyzer();
  const stemming = fc.integer({ min: 0, max: MAX_STEMMING });
  fc.assert(
    fc.property(
      fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
      fc.array(word, { maxLength: 20 }),
      stemming,
      (words, forms, stemming) => {
        const tokenOf = (form: string) => termsOf(keywordPhrase(form, stemming))[0]!;
        const found = new WordFinder(analyzer, words.map(sought), stemming).find(forms.join(", "));
        const expected = forms.flatMap((form, position) => {
          const places = [...words.keys()].filter((place) => tokenOf(words[place]!) === tokenOf(form));
          return places.length > 0 ? [{ position, places }] : [];
        });
        // A word that is typed without diacritics is found in more forms.
        const byPosition = new Map(found.map((occurrence) => [occurrence.position, occurrence]));
        for (const { position, places } of expected) {
          const occurrence = byPosition.get(position);
          const typed = normalizeWord(forms[position]!, stemming);
          const isExact = words.some((one) => normalizeWord(one, stemming) === typed);
          expect([position, occurrence?.isExact]).toEqual([position, isExact]);
          expect(places).toContain(occurrence!.word);
        }
      },
    ),
    { numRuns: propertyRuns(300) },
  );
});

function sought(word: string) {
  return { texts: [word], isSimilar: false };
}

it("takes what is sought for itself for that, not for a word in place of another", () => {
  const words = [{ texts: ["lamp", "lump"], isSimilar: true }, sought("lamps")];
  for (const order of [words, words.toReversed()]) {
    const found = new WordFinder(new Analyzer(), order, stemmingOfLanguage("en")).find("lamp lump lamps");
    expect(found.map(({ word, isExact }) => [order[word]!.texts[0], isExact])).toEqual([
      ["lamps", false],
      ["lamp", true],
      ["lamps", true],
    ]);
  }
});

it("prefers the word that was typed as the text has it, of two with the same stem", () => {
  const finder = new WordFinder(new Analyzer(), [sought("storm"), sought("storms")], stemmingOfLanguage("en"));
  expect(finder.find("Storms, storm.")).toEqual([
    { word: 1, position: 0, row: 0, isExact: true },
    { word: 0, position: 1, row: 0, isExact: true },
  ]);
});

it("looks at the first 2,000 characters, and takes no part of a word for one", () => {
  const finder = new WordFinder(new Analyzer(), [sought("cat")], stemmingOfLanguage("en"));
  expect(finder.find(`${"x ".repeat(998)}cat`)).toHaveLength(1);
  expect(finder.find(`${"x ".repeat(998)} category`)).toEqual([]);
  expect(finder.find(`${"x ".repeat(1000)}cat`)).toEqual([]);
});

it("tells the rows of one table from those of the next", () => {
  const finder = new WordFinder(new Analyzer(), [sought("lamp"), sought("oil")], stemmingOfLanguage("en"));
  expect(finder.find("| lamp |\n| |\n\n| oil |").map(({ position, row }) => [position, row])).toEqual([
    [0, 1],
    [0, 3],
  ]);
});

it("counts the words before a word of a table from the table's beginning, in its own row", () => {
  const finder = new WordFinder(new Analyzer(), [sought("lamp"), sought("oil")], stemmingOfLanguage("en"));
  const text = "The stock of oil:\n\n| Name | Count |\n| --- | --- |\n| wick | 1 |\n| lamp oil | 2 |\nOil for a lamp";
  expect(finder.find(text).map(({ word, position, row }) => [word, position, row])).toEqual([
    [1, 3, 0],
    [0, 4, 4],
    [1, 5, 4],
    [1, 7, 0],
    [0, 10, 0],
  ]);
});
