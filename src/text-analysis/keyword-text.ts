/** Marks a word as unstemmed: Porter's rules apply to ASCII endings only, and this is a private-use character. */
const UNSTEMMED = "\uE0F0";

/**
 * A cheap first check: most texts have no character of these ranges, and the exact expressions are some twenty times
 * slower.
 */
const MAYBE_UNSPACED = /[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\ud7ff\ud840-\ud8ff\uf900-\ufaff\uff66-\uffdc]/;
/**
 * Runs of scripts without spaces between words (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar), and of Hangul,
 * whose words have attached endings.
 */
const UNSPACED =
  /(?:(?=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])[\p{L}\p{N}]\p{M}*)+/gu;
const CHARACTER = /[\p{L}\p{N}]\p{M}*/gu;
/** Words of the keyword tables: letters, marks, digits and private-use characters. */
export const WORD = /[\p{L}\p{M}\p{N}\p{Co}]+/gu;

/**
 * The indexed form of a text. In scripts without spaces, each pair of neighbouring characters becomes a word, and so
 * does the last character, so that any word is a sequence of indexed words, however it would be segmented. (Lucene's
 * CJKAnalyzer indexes pairs, too.) Words that must not be stemmed are marked.
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
 * The phrase to search for, to find a word or phrase in texts indexed by {@link keywordText}: adjacent words, in order.
 * A run of a script without spaces may continue after the phrase, but not within it.
 *
 * @param prefix Whether the last word is a prefix: then it has no mark at its end.
 */
export function keywordPhrase(phrase: string, stemmed: boolean, prefix = false): string {
  const paired = withPairs(phrase, (characters, isLast) =>
    isLast && characters.length > 1 ? pairs(characters) : [...pairs(characters), characters.at(-1)!],
  ).trim();
  const whole = markWords(paired, stemmed);
  return prefix && whole.endsWith(UNSTEMMED) ? whole.slice(0, -UNSTEMMED.length) : whole;
}

function withPairs(
  text: string,
  toWords: (characters: readonly string[], isLast: boolean) => readonly string[],
): string {
  if (!MAYBE_UNSPACED.test(text)) return text;
  return text.replace(UNSPACED, (run, offset: number) => {
    return ` ${toWords(charactersOf(run), offset + run.length === text.length).join(" ")} `;
  });
}

function markWords(text: string, stemmed: boolean): string {
  return stemmed ? text : text.replace(WORD, (word) => word + UNSTEMMED);
}

/** Splits a word into parts in scripts without spaces and other parts, in order. */
export function splitByScript(word: string): readonly { readonly text: string; readonly isUnspaced: boolean }[] {
  if (!MAYBE_UNSPACED.test(word)) return [{ text: word, isUnspaced: false }];
  const parts: { text: string; isUnspaced: boolean }[] = [];
  let end = 0;
  for (const { 0: run, index } of word.matchAll(UNSPACED)) {
    if (index > end) parts.push({ text: word.slice(end, index), isUnspaced: false });
    parts.push({ text: run, isUnspaced: true });
    end = index + run.length;
  }
  if (end < word.length) parts.push({ text: word.slice(end), isUnspaced: false });
  return parts;
}

/** The characters of a run with their marks. */
export function charactersOf(run: string): readonly string[] {
  return run.match(CHARACTER) ?? [];
}

/** Pairs of neighbouring characters. */
export function pairs(characters: readonly string[]): readonly string[] {
  return characters.slice(1).map((character, index) => characters[index]! + character);
}
