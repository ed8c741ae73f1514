import fc from "fast-check";
import { expect, it } from "vitest";
import { foldWord, termsOf } from "#dist/text-analysis/analyze.js";
import { keywordPhrase, wordToken } from "#dist/text-analysis/keyword-text.js";
import { ENGLISH, keptLetters, MAX_STEMMING, normalizeWord } from "#dist/text-analysis/stemming.js";
import { propertyRuns } from "../support/property-runs.js";
import { stemmableWord } from "../support/stemmable-word.js";

const stemming = fc.integer({ min: 0, max: MAX_STEMMING });
/** Letters between the ones that stemmers change. */
const letters = fc.string({ unit: fc.constantFrom(..."aeinrstlyby"), maxLength: 4 });
const word = fc.tuple(letters, stemmableWord, letters).map((parts) => parts.join(""));

it("returns the token that an index has for a word, in every language", () => {
  fc.assert(
    fc.property(word, stemming, (word, stemming) => {
      const normalized = normalizeWord(word.normalize("NFC"), stemming);
      expect([wordToken(normalized, stemming)]).toEqual(termsOf(keywordPhrase(normalized, stemming)));
    }),
    { numRuns: propertyRuns(2000) },
  );
});

it("keeps the first letters of words of at least four letters, as many as it says", () => {
  fc.assert(
    fc.property(word, stemming, (word, stemming) => {
      const normalized = normalizeWord(word.normalize("NFC"), stemming);
      const beginning = normalized.slice(0, keptLetters(stemming));
      fc.pre(normalized.length >= 4 && /^[a-z]*$/.test(beginning));
      fc.pre(stemming !== ENGLISH || beginning[1] !== "y");
      expect(wordToken(normalized, stemming).startsWith(foldWord(beginning))).toBe(true);
    }),
    { numRuns: propertyRuns(5000) },
  );
});
