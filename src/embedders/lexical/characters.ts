// The classes of UTF-16 code units for word segmentation.

/** Not part of a word. */
export const SEPARATOR = 0;
/** Part of a word in a script that puts spaces between words. */
export const SPACED = 1;
/** Part of a script without spaces between words, where word boundaries are unknown. */
export const UNSPACED = 2;

const WORD_CHARACTER = /^[\p{L}\p{N}\p{M}]$/u;
const UNSPACED_SCRIPTS = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"];
const UNSPACED_SCRIPT = new RegExp(`^[${UNSPACED_SCRIPTS.map((script) => `\\p{Script=${script}}`).join("")}]$`, "u");
const DIACRITICS = /[\u0300-\u036f]/g;
const HANGUL_SYLLABLES = /[\uac00-\ud7a3]+/g;
const NON_ASCII = /[^\0-\x7f]/;

/** Returns the class of a UTF-16 code unit. */
export function classifyCodeUnit(unit: number): number {
  // Most letters outside the Basic Multilingual Plane are rare ideographs; each surrogate pair becomes one bigram.
  if (unit >= 0xd800 && unit <= 0xdfff) return UNSPACED;
  const character = String.fromCharCode(unit);
  if (!WORD_CHARACTER.test(character)) return SEPARATOR;
  return UNSPACED_SCRIPT.test(character) ? UNSPACED : SPACED;
}

/**
 * Converts a text to lower case, folds compatibility forms, and drops the accents of Latin, Greek and Cyrillic letters.
 * The combining marks of other scripts carry meaning and stay. Hangul syllables are decomposed into letters, because
 * Korean words have so few syllables that a word with a particle would share no trigram with the word alone.
 */
export function foldText(text: string): string {
  if (!NON_ASCII.test(text)) return text.toLowerCase();
  const folded = text.normalize("NFKD").replace(DIACRITICS, "").normalize("NFC").toLowerCase();
  return folded.replace(HANGUL_SYLLABLES, (syllables) => syllables.normalize("NFD"));
}
