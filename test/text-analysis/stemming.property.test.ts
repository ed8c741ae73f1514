import fc from "fast-check";
import { expect, it } from "vitest";
import { termsOf } from "#dist/text-analysis/analyze.js";
import { keywordPhrase, wordToken } from "#dist/text-analysis/keyword-text.js";
import { MAX_STEMMING, normalizeWord } from "#dist/text-analysis/stemming.js";
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
