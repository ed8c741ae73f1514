import { keywordPhrase } from "./keyword-text.js";
import { restoreDiacritics } from "./restore-diacritics.js";
import { normalizeWord, type Stemming } from "./stemming.js";

/** So many stems of a word are looked for, the likeliest first: with few diacritics, near the word's end. */
const MAX_FORMS = 32;

/**
 * Returns the indexed forms of a search term that isn't a prefix. A single word that was typed without diacritics has
 * those of the words with diacritics, too, so that it finds what it would find if words were not stemmed.
 */
export function termPhrases(text: string, stemming: Stemming): readonly string[] {
  const restored = text.includes(" ") ? [] : restoreDiacritics(normalizeWord(text, stemming), stemming);
  const phrases = new Map<string, string>();
  for (const word of [text, ...restored]) {
    const phrase = keywordPhrase(word, stemming);
    // The tokenizer removes diacritics, so that most forms are the same in the end.
    const folded = phrase.normalize("NFD").replace(/\p{M}/gu, "");
    if (!phrases.has(folded)) phrases.set(folded, phrase);
    if (phrases.size === MAX_FORMS) break;
  }
  return [...phrases.values()];
}
