import { termsOf } from "../text-analysis/analyze.js";

/** Matches "how many" and the two words after it, such as "parking spaces". */
const HOW_MANY_PATTERN = /\bhow many (\S+)(?: (\S+))?/i;
const NUMBER_PATTERN =
  /^(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|dozens?|half|no|both|several)$/i;
/** A number counts what is among the next content words: "167 steps", "two wet stone steps". */
const MAX_DISTANCE = 3;

/** Returns the terms of what an English question asks the number of, and of the word after it. */
export function countedTerms(question: string): readonly string[] {
  const [, first = "", second = ""] = HOW_MANY_PATTERN.exec(question) ?? [];
  return termsOf(`${first} ${second}`);
}

/** Returns whether a word is a number, in digits or in English. */
export function isNumber(word: string): boolean {
  return NUMBER_PATTERN.test(word);
}

/** Returns whether a number stands right before one of the terms among the content words of a sentence. */
export function hasCountOf(contentWords: readonly string[], terms: readonly string[]): boolean {
  return contentWords.some(
    (word, at) =>
      isNumber(word) &&
      contentWords.slice(at + 1, at + 1 + MAX_DISTANCE).some((next) => terms.includes(termsOf(next)[0] ?? next)),
  );
}
