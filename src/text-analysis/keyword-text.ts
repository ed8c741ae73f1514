/** Appended to a word to prevent stemming: a private-use character, since Porter's rules change only ASCII endings. */
const UNSTEMMED_MARK = "\uE0F0";

/**
 * A cheap first check: most texts have no character in these ranges, and the exact pattern is about twenty times
 * slower.
 */
const MAYBE_UNSPACED_PATTERN =
  /[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\ud7ff\ud840-\ud8ff\uf900-\ufaff\uff66-\uffdc]/;
/**
 * Matches runs of scripts without spaces between words (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar) and of
 * Hangul, whose words have attached endings.
 */
const UNSPACED_PATTERN =
  /(?:(?=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])[\p{L}\p{N}]\p{M}*)+/gu;
const CHARACTER_PATTERN = /[\p{L}\p{N}]\p{M}*/gu;
/** Matches the words of the keyword tables: letters, marks, digits and private-use characters. */
export const WORD_PATTERN = /[\p{L}\p{M}\p{N}\p{Co}]+/gu;

/**
 * Returns the indexed form of a text. In scripts without spaces, each pair of neighbouring characters becomes a word,
 * and so does the last character, so that any word is a sequence of indexed words, however the text would be segmented.
 * (Lucene's CJKAnalyzer indexes pairs, too.) Words that must not be stemmed are marked.
 *
 * @param stemmed Whether the index's English stemming suits the text.
 */
export function keywordText(text: string, stemmed: boolean): string {
  return markWords(
    withPairs(text.normalize("NFC"), (characters) => [...pairs(characters), characters.at(-1)!]),
    stemmed,
  );
}

/**
 * Returns the indexed form of a phrase to search for in texts indexed by {@link keywordText}: adjacent words, in order.
 * In scripts without spaces, the text may continue directly after the phrase.
 *
 * @param prefix Whether the last word is a prefix, which gets no mark at its end.
 */
export function keywordPhrase(phrase: string, stemmed: boolean, prefix = false): string {
  const paired = withPairs(phrase, (characters, isLast) =>
    isLast && characters.length > 1 ? pairs(characters) : [...pairs(characters), characters.at(-1)!],
  ).trim();
  const whole = markWords(paired, stemmed);
  return prefix && whole.endsWith(UNSTEMMED_MARK) ? whole.slice(0, -UNSTEMMED_MARK.length) : whole;
}

function withPairs(
  text: string,
  toWords: (characters: readonly string[], isLast: boolean) => readonly string[],
): string {
  if (!MAYBE_UNSPACED_PATTERN.test(text)) return text;
  return text.replace(UNSPACED_PATTERN, (run, offset: number) => {
    return ` ${toWords(charactersOf(run), offset + run.length === text.length).join(" ")} `;
  });
}

function markWords(text: string, stemmed: boolean): string {
  return stemmed ? text : text.replace(WORD_PATTERN, (word) => word + UNSTEMMED_MARK);
}

/** Splits a word, in order, into runs of scripts without spaces and other parts. */
export function splitByScript(word: string): readonly { readonly text: string; readonly isUnspaced: boolean }[] {
  if (!MAYBE_UNSPACED_PATTERN.test(word)) return [{ text: word, isUnspaced: false }];
  const parts: { text: string; isUnspaced: boolean }[] = [];
  let end = 0;
  for (const { 0: run, index } of word.matchAll(UNSPACED_PATTERN)) {
    if (index > end) parts.push({ text: word.slice(end, index), isUnspaced: false });
    parts.push({ text: run, isUnspaced: true });
    end = index + run.length;
  }
  if (end < word.length) parts.push({ text: word.slice(end), isUnspaced: false });
  return parts;
}

/** Returns the characters of a run, each with its combining marks. */
export function charactersOf(run: string): readonly string[] {
  return run.match(CHARACTER_PATTERN) ?? [];
}

/** Returns the pairs of neighbouring characters. */
export function pairs(characters: readonly string[]): readonly string[] {
  return characters.slice(1).map((character, index) => characters[index]! + character);
}
