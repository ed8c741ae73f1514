import { normalizeWord, type Stemming } from "./stemming.js";

/**
 * Returns which words a text has in the form in which they were typed, in any case. Diacritics matter, and so do endings.
 *
 * @param words In Unicode's composed form (NFC)
 */
export function exactWords(words: readonly string[], text: string, stemming: Stemming): readonly boolean[] {
  // Most words stand in a text as they were typed, and normalizing it takes longer than looking for them.
  let normalized: string | undefined;
  return words.map((word) => {
    if (hasWord(text, word)) return true;
    normalized ??= normalizeWord(text.normalize("NFC"), stemming);
    return hasWord(normalized, normalizeWord(word, stemming));
  });
}

/** Whether a text has a word between characters that belong to none. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!endsWithWord(text, at) && !beginsWithWord(text, at + word.length)) return true;
  }
  return false;
}

const WORD_START_PATTERN = /^[\p{L}\p{M}\p{N}\p{Co}]/u;
const WORD_END_PATTERN = /[\p{L}\p{M}\p{N}\p{Co}]$/u;

function beginsWithWord(text: string, at: number): boolean {
  if (at >= text.length || isPlainSeparator(text.charCodeAt(at))) return false;
  // A character may take two units.
  return WORD_START_PATTERN.test(text.slice(at, at + 2));
}

function endsWithWord(text: string, at: number): boolean {
  if (at === 0 || isPlainSeparator(text.charCodeAt(at - 1))) return false;
  return WORD_END_PATTERN.test(text.slice(Math.max(0, at - 2), at));
}

/** Whether a character is a space, a comma, a full stop or the like: a quick answer for most. */
function isPlainSeparator(code: number): boolean {
  return code < 0x30;
}
