/** Letters from the most frequent one to the rarest, for scripts of which several charsets have the same bytes. */
const LETTERS_BY_FREQUENCY = ["оеаинтсрвлкмдпуяыьгзбчйхжшюцщэіфъїєёўґј", "ατοιεσνηρπκμλυςγδίόάωέύήθχφβώξζψ"];
/** Frequent Latin letters beyond ASCII. */
const LATIN_LETTERS = new Set("éäüöóáíßàèçñãêõôâúåøæëïîûùœłąęśżćńźčšžřěýůőűăşţđťďňľ");
const LATIN_FREQUENCY = 0.85;
const RAREST_FREQUENCY = 0.3;
/** The frequency of letters of alphabets without capitals. */
const CASELESS_FREQUENCY = 0.9;
/** The frequency of East Asian characters, as which any pairs of bytes can be read. */
const PAIR_FREQUENCY = 0.5;
/** The frequency of symbols where texts have them. */
const PLACED_SYMBOL_FREQUENCY = 0.8;
/** The frequency of the characters of a text that has no letters beyond ASCII. */
const SYMBOL_FREQUENCY = 0.5;
/** Factor for words that charsets show by chance: those of one letter, and those in capitals. */
const WEAK_WORD_FACTOR = { single: 0.5, capitals: 0.85 } as const;

const FREQUENCIES: ReadonlyMap<string, number> = new Map(
  LETTERS_BY_FREQUENCY.flatMap((letters) =>
    [...letters].map((letter, rank): [string, number] => [
      letter,
      1 - (rank / letters.length) * (1 - RAREST_FREQUENCY),
    ]),
  ),
);

/** Matches words that are written as words are: small, with an initial, or in capitals. */
const WORD_PATTERN = /(?<![\p{L}\p{M}])(?:[\p{Lu}\p{Lt}]?[\p{Ll}\p{Lo}\p{M}]+|\p{Lu}+)(?![\p{L}\p{M}])/gu;

/** Symbols where texts have them, each a letter in other charsets: `½ cup`, `m²`, `5 µm`, `±2`, `3 × 4`, `20°`, `£5`. */
const SYMBOL_PATTERN = new RegExp(
  [
    String.raw`(?<![^\s\d(])[¼½¾](?![^\s.,;:)])`,
    String.raw`(?<=(?<!\p{L})(?:[a-z]|[kcdm]m|ft|yd|in)|\d)[²³](?!\p{L})`,
    String.raw`(?<=\d\s?)µ(?=(?:[acfghlmsvw]|gy|mol|pa|sv)(?!\p{L}))`,
    String.raw`(?<!\p{L})±(?=\s?\d)`,
    String.raw`(?<=(?<!\p{L})[a-z\d]\s?)[×÷](?=\s?[a-z\d](?!\p{L}))`,
    String.raw`(?<=\d\s?)°`,
    String.raw`(?<!\p{L})£(?=\d)`,
    String.raw`(?<![^\s(])©(?=\s?[a-z\d])`,
    String.raw`(?<=[a-z\d])®(?!\p{L})`,
    String.raw`«(?=\s?[a-z\d][^«»]{0,200}»)`,
    String.raw`(?<=«\s?[a-z\d][^«»]{0,200})»`,
  ].join("|"),
  "giu",
);

/** Returns a text without the symbols that stand where texts have them, and their number. */
export function withoutSymbols(text: string): { readonly text: string; readonly count: number } {
  let count = 0;
  const rest = text.replace(SYMBOL_PATTERN, () => {
    count++;
    return " ";
  });
  return { text: rest, count };
}

/**
 * Matches words that no language has: those that begin with a mark, those with the form of a last letter elsewhere or the
 * reverse, in Hebrew, Arabic and Greek, and Greek of three or more small letters without an accent.
 */
const WRONG_WORD_PATTERN =
  /^\p{M}|[ةى](?=\p{L})|[ךםןףץ](?=\p{L})|[כמנפצ]$|ς(?=\p{L})|σ$|^\p{Script=Greek}?[α-ως]{3,}$/u;

/**
 * Returns how frequent the characters beyond ASCII are in texts of their script, from 0 to 1, on average. Those that are
 * not in words count as 0, except the punctuation of printed text and symbols where texts have them.
 */
export function letterFrequency(content: string): number {
  const { text, count: symbolCount } = withoutSymbols(content);
  const characters = text.match(/[^\0-\x7f\s«»„“”‘’–—…№§°€£©®]/gu) ?? [];
  if (characters.length === 0 && symbolCount > 0) return PLACED_SYMBOL_FREQUENCY;
  if (characters.length === 0) return /[^\0-\x7f]/.test(text) ? SYMBOL_FREQUENCY : 0;
  let sum = symbolCount * PLACED_SYMBOL_FREQUENCY;
  for (const [word] of text.matchAll(WORD_PATTERN)) {
    const letters = word.match(/[^\0-\x7f]/gu) ?? [];
    if (letters.length === 0 || WRONG_WORD_PATTERN.test(word)) continue;
    sum += weightOf(word) * letters.reduce((total, letter) => total + frequencyOf(letter), 0);
  }
  return sum / (characters.length + symbolCount);
}

function weightOf(word: string): number {
  if (word.length === 1) return WEAK_WORD_FACTOR.single;
  return /^\p{Lu}+$/u.test(word) ? WEAK_WORD_FACTOR.capitals : 1;
}

function frequencyOf(letter: string): number {
  const small = letter.toLowerCase();
  if (LATIN_LETTERS.has(small)) return LATIN_FREQUENCY;
  const known = FREQUENCIES.get(small);
  if (known !== undefined) return known;
  // Half-width katakana are single bytes, as which any bytes can be read.
  if (/[\uff61-\uff9f]/.test(letter)) return 0;
  if (/\p{M}/u.test(letter)) return RAREST_FREQUENCY;
  if (/[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Thai}]/u.test(letter)) return CASELESS_FREQUENCY;
  return /\p{Lo}/u.test(letter) ? PAIR_FREQUENCY : RAREST_FREQUENCY;
}
