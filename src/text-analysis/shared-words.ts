import { keywordText, WORD_PATTERN } from "./keyword-text.js";
import { likelyFunctionWords } from "./language.js";
import { ENGLISH } from "./stemming.js";

/** Texts with fewer different words are alike only if they have the same words in the same order. */
const MIN_WORDS = 5;

/**
 * Returns what two texts are compared by: their different words in lower case, without the function words of their
 * language. In scripts that are indexed as bigrams, a word is a pair of characters.
 */
export function featuresOf(text: string): ReadonlySet<string> {
  const words = keywordText(text, ENGLISH).toLowerCase().match(WORD_PATTERN) ?? [];
  const functionWords = likelyFunctionWords(words);
  const features = new Set(words.filter((word) => !functionWords.has(word)));
  if (features.size >= MIN_WORDS) return features;
  return new Set(words.length === 0 ? [] : [words.join(" ")]);
}

/** Returns the share of the features of two texts that both have, 0 to 1; 0 if neither has any. */
export function similarityOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const feature of a) if (b.has(feature)) common++;
  return common === 0 ? 0 : common / (a.size + b.size - common);
}
