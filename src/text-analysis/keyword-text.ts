/** Appended to a word to prevent stemming: a private-use character, since Porter's rules change only ASCII endings. */
export const UNSTEMMED_SUFFIX = "\uE0F0";

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
 * same.) Words that must not be stemmed get a suffix.
 *
 * @param stemmed Whether the index's English stemming suits the text.
 */
export function keywordText(text: string, stemmed: boolean): string {
  return addUnstemmedSuffix(
    withBigrams(text.normalize("NFC"), (characters) => [...toBigrams(characters), characters.at(-1)!]),
    stemmed,
  );
}

/**
 * Returns the indexed form of a phrase to search for in texts indexed by {@link keywordText}: adjacent words, in order.
 * In scripts that are indexed as bigrams, the text may continue directly after the phrase.
 *
 * @param prefix Whether the last word is a prefix, which gets no suffix.
 */
export function keywordPhrase(phrase: string, stemmed: boolean, prefix = false): string {
  const bigramText = withBigrams(phrase, (characters, isLast) =>
    isLast && characters.length > 1 ? toBigrams(characters) : [...toBigrams(characters), characters.at(-1)!],
  ).trim();
  const indexed = addUnstemmedSuffix(bigramText, stemmed);
  return prefix && indexed.endsWith(UNSTEMMED_SUFFIX) ? indexed.slice(0, -UNSTEMMED_SUFFIX.length) : indexed;
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

/** Appends the suffix that prevents stemming to each word, unless the words are to be stemmed. */
function addUnstemmedSuffix(text: string, stemmed: boolean): string {
  return stemmed ? text : text.replace(WORD_PATTERN, (word) => word + UNSTEMMED_SUFFIX);
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
