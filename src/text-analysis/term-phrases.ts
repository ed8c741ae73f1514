import { keywordPhrase } from "./keyword-text.js";
import { restoreDiacritics } from "./restore-diacritics.js";
import { normalizeWord, type Stemming } from "./stemming.js";

/**
 * Returns the indexed forms of a search term that isn't a prefix. A single word that was typed without diacritics has
 * those of the words with diacritics, too, so that it finds what it would find if words were not stemmed.
 */
export function termPhrases(text: string, stemming: Stemming): readonly string[] {
  const restored = text.includes(" ") ? [] : restoreDiacritics(normalizeWord(text, stemming), stemming);
  return [...new Set([text, ...restored].map((word) => keywordPhrase(word, stemming)))];
}
