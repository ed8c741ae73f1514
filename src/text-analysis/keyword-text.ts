import { termOf } from "./analyze.js";
import {
  ENGLISH,
  normalizeWord,
  type Stemming,
  stemmedLetters,
  stemOf,
  UNSTEMMED,
  uncachedStemOf,
} from "./stemming.js";

/**
 * Appended to a word that the tokenizer must not stem: a private-use character, since Porter's rules change only ASCII
 * endings. Words that are stemmed before have one of the characters after it, for each language another.
 */
const FIRST_SUFFIX = 0xe0f0;
/** The suffixes of all languages, and of some that may be added. */
export const SUFFIX_RANGE = { first: "\ue0f0", last: "\ue10f" } as const;
const SUFFIXES = /[\ue0f0-\ue10f]/g;

/**
 * A cheap first check: most texts have no character in these ranges, and the exact pattern is about twenty times
 * slower.
 */
const MAYBE_BIGRAM_SCRIPT_PATTERN =
  /[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\ud7ff\ud840-\ud8ff\uf900-\ufaff\uff66-\uffdc]/;
/**
 * Matches runs of scripts that are indexed as bigrams: those without spaces between words (Han, Hiragana, Katakana, Thai,
 * Lao, Khmer, Myanmar), and Hangul, whose words are joined with particles.
 */
const BIGRAM_SCRIPT_PATTERN =
  /(?:(?=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])[\p{L}\p{N}]\p{M}*)+/gu;
const CHARACTER_PATTERN = /[\p{L}\p{N}]\p{M}*/gu;
/** Matches the words of the keyword tables: letters, marks, digits and private-use characters. */
export const WORD_PATTERN = /[\p{L}\p{M}\p{N}\p{Co}]+/gu;

/**
 * Returns the indexed form of a text. In scripts that are indexed as bigrams, each two adjacent characters become a
 * token, and so does the last character alone. A word of two or more characters is then always a sequence of tokens, and
 * a single character at least a prefix of one, however the text would be segmented. (Lucene's CJKBigramFilter does the
 * same.) Words are left to the tokenizer's English stemming, or are stemmed by the rules of another language and get its
 * suffix.
 */
export function keywordText(text: string, stemming: Stemming): string {
  const words = withBigrams(text.normalize("NFC"), (characters) => [...toBigrams(characters), characters.at(-1)!]);
  return toIndexedWords(words, stemming);
}

/**
 * Returns the indexed form of a phrase to search for in texts indexed by {@link keywordText}: adjacent words, in order.
 * In scripts that are indexed as bigrams, the text may continue directly after the phrase.
 *
 * @param prefix Whether the last word is a prefix, which is not stemmed and gets no suffix.
 */
export function keywordPhrase(phrase: string, stemming: Stemming, prefix = false): string {
  const bigramText = withBigrams(phrase, (characters, isLast) =>
    isLast && characters.length > 1 ? toBigrams(characters) : [...toBigrams(characters), characters.at(-1)!],
  ).trim();
  if (!prefix || stemming === ENGLISH) return toIndexedWords(bigramText, stemming);
  const [last = ""] = /[^ ]*$/.exec(bigramText)!;
  const before = bigramText.slice(0, bigramText.length - last.length);
  return toIndexedWords(before, stemming) + wordPrefix(last, stemming);
}

/** Returns what an indexed word that isn't stemmed begins with, if the text's word begins with `word`. */
export function wordPrefix(word: string, stemming: Stemming): string {
  return stemming > ENGLISH ? stemmedLetters(normalizeWord(word, stemming), stemming) : word;
}

/** Replaces each run of characters that is indexed as bigrams with the words that `toWords` returns. */
function withBigrams(
  text: string,
  toWords: (characters: readonly string[], isLast: boolean) => readonly string[],
): string {
  if (!MAYBE_BIGRAM_SCRIPT_PATTERN.test(text)) return text;
  return text.replace(BIGRAM_SCRIPT_PATTERN, (run, offset: number) => {
    return ` ${toWords(charactersOf(run), offset + run.length === text.length).join(" ")} `;
  });
}

/** Stems each word, unless the tokenizer does, and appends the suffix of the language. */
function toIndexedWords(text: string, stemming: Stemming): string {
  if (stemming === ENGLISH) return text;
  const suffix = suffixOf(stemming);
  if (stemming === UNSTEMMED) return text.replace(WORD_PATTERN, (word) => word + suffix);
  return text.replace(WORD_PATTERN, (word) => stemOf(word, stemming) + suffix);
}

/**
 * Returns the token of a word that is one token: not of a script that is indexed as bigrams. Doesn't cache the stem:
 * candidates for a misspelled word are many, mostly in no text, and would evict the others.
 */
export function wordToken(word: string, stemming: Stemming): string {
  if (stemming === ENGLISH) return termOf(word);
  return termOf((stemming === UNSTEMMED ? word : uncachedStemOf(word, stemming)) + suffixOf(stemming));
}

/** Returns the last character of words that are stemmed in a way; empty for English, whose words have no suffix. */
export function suffixOf(stemming: Stemming): string {
  return stemming === ENGLISH ? "" : String.fromCharCode(FIRST_SUFFIX + Math.max(0, stemming - 1));
}

/** Returns the suffix of an indexed word; empty if it has none. */
export function suffixOfToken(token: string): string {
  const last = token.at(-1) ?? "";
  return last >= SUFFIX_RANGE.first && last <= SUFFIX_RANGE.last ? last : "";
}

/** Replaces the suffixes of indexed words by spaces in a text, which has none of its own then. */
export function withoutSuffixes(text: string): string {
  return text.replace(SUFFIXES, " ");
}

/** Splits a word, in order, into runs of scripts that are indexed as bigrams and other parts. */
export function splitByScript(word: string): readonly { readonly text: string; readonly isBigramScript: boolean }[] {
  if (!MAYBE_BIGRAM_SCRIPT_PATTERN.test(word)) return [{ text: word, isBigramScript: false }];
  const parts: { text: string; isBigramScript: boolean }[] = [];
  let end = 0;
  for (const { 0: run, index } of word.matchAll(BIGRAM_SCRIPT_PATTERN)) {
    if (index > end) parts.push({ text: word.slice(end, index), isBigramScript: false });
    parts.push({ text: run, isBigramScript: true });
    end = index + run.length;
  }
  if (end < word.length) parts.push({ text: word.slice(end), isBigramScript: false });
  return parts;
}

/** Returns the characters of a run, each with its combining marks. */
export function charactersOf(run: string): readonly string[] {
  return run.match(CHARACTER_PATTERN) ?? [];
}

/** Returns the overlapping pairs of adjacent characters. */
export function toBigrams(characters: readonly string[]): readonly string[] {
  return characters.slice(1).map((character, index) => characters[index]! + character);
}
