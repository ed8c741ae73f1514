import fc from "fast-check";
import { expect, it } from "vitest";
import { CachedVocabulary, joinVocabularies } from "#dist/storage/keywords/vocabulary.js";
import { termsOf } from "#dist/text-analysis/analyze.js";
import { Analyzer } from "#dist/text-analysis/analyzer.js";
import { keywordPhrase } from "#dist/text-analysis/keyword-text.js";
import { similarWords } from "#dist/text-analysis/similar-words.js";
import { MAX_STEMMING } from "#dist/text-analysis/stemming.js";
import { propertyRuns } from "../support/property-runs.js";
import { stemmableWord } from "../support/stemmable-word.js";

/** Words that lose more letters than others when they are stemmed, and marks without a letter. */
const oddWord = fc.constantFrom("unamente", "una", "un", "llyuo", "lyuo", "ttie", "tie", "́́́́́", "中文字典");
const word = fc.oneof({ weight: 5, arbitrary: stemmableWord }, oddWord);
/** A word with one letter left out, added or replaced. */
const misspelledWord = fc
  .tuple(word, fc.nat(), fc.constantFrom("", "a", "n", "ı", "о"), fc.boolean())
  .map(([word, place, letter, replaces]) => {
    const at = place % (word.length + 1);
    return word.slice(0, at) + letter + word.slice(replaces ? at + 1 : at);
  });
const stemming = fc.integer({ min: 0, max: MAX_STEMMING });

function vocabularyOf(tokens: readonly string[]): CachedVocabulary {
  return new CachedVocabulary({
    known: (asked) => asked.filter((token) => tokens.includes(token)),
    beginningWith: (character) => tokens.filter((token) => token.startsWith(character)),
  });
}

it("finds the same words whichever tokens are in memory, in every language and at both distances", () => {
  const analyzer = new Analyzer();
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 12 }),
      misspelledWord,
      fc.uniqueArray(stemming, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(1, 2),
      (words, typed, stemmings, distance) => {
        const tokens = [
          ...new Set(stemmings.flatMap((each) => words.flatMap((word) => termsOf(keywordPhrase(word, each))))),
        ].filter((token) => token !== "");
        const find = (vocabulary: Parameters<typeof similarWords>[1]) =>
          similarWords(analyzer, vocabulary, typed, { distance, stemmings: new Set(stemmings) })
            .map(({ word, token, likelihood }) => `${token} ${word} ${likelihood}`)
            .sort();
        const all = vocabularyOf(tokens);
        const expected = find({
          known: (asked) => all.known(asked),
          beginningWith: (character) => all.beginningWith(character),
          mayHave: () => true,
          mayHaveBeginning: () => true,
        });
        const vocabulary = vocabularyOf(tokens);
        expect(find(vocabulary)).toEqual(expected);
        for (const token of tokens) vocabulary.beginningWith(token);
        expect(find(vocabulary)).toEqual(expected);
        const half = Math.ceil(tokens.length / 2);
        const parts = [vocabularyOf(tokens.slice(0, half + 1)), vocabularyOf(tokens.slice(half))];
        const joined = joinVocabularies(parts);
        expect(find(joined)).toEqual(expected);
        for (const part of parts) for (const token of tokens) part.beginningWith(token);
        expect(find(joined)).toEqual(expected);
      },
    ),
    { numRuns: propertyRuns(200) },
  );
});
