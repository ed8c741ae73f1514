/** A word of one case, or with a capital at its beginning, as dictionaries have it: longer runs and those without a vowel are no words. */
const WORD = /^[A-Za-z]?[a-z]{0,23}$|^[A-Z]{1,4}$/;
const VOWEL = /[aeiouy]/i;
const PIECES = /[A-Za-z]+|[^\S\r\n]+|[\s\S]/gu;
/** Of the markers at the beginning and the end of a text. */
const SPECIAL_TOKENS = 2;

/**
 * At most how many tokens a text has for a hosted model, whose tokenizer is not here. Their vocabularies of 100,000 pieces and more are
 * made of bytes: a character takes at most as many tokens as UTF-8 gives it bytes. Less than that is counted only where it is certain
 * enough: half a token for a letter of an English-looking word (real ones take a quarter), one for any other letter below U+0800, two for
 * a Chinese, Japanese or Korean character (real ones take one or so), none for the blank before a word. For English prose that is about
 * twice what the vendors count.
 */
export function estimateTokens(text: string): number {
  let tokens = SPECIAL_TOKENS;
  for (const [piece] of text.matchAll(PIECES)) tokens += tokensOf(piece);
  return tokens;
}

function tokensOf(piece: string): number {
  const code = piece.codePointAt(0)!;
  if (piece === " ") return 0;
  if (code < 0x80) return WORD.test(piece) && VOWEL.test(piece) ? Math.ceil(piece.length / 2) : piece.length;
  if (code < 0x800) return 1;
  if (code > 0xffff) return 4;
  return isEastAsian(code) ? 2 : 3;
}

/** Kana, the unified ideographs of everyday use, Hangul syllables, and the punctuation and full-width forms that go with them. */
function isEastAsian(code: number): boolean {
  return (
    (code >= 0x3000 && code <= 0x30ff) ||
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xff00 && code <= 0xffef)
  );
}

/** The beginning of a text that has at most so many tokens by {@link estimateTokens}. */
export function cutToTokens(text: string, most: number): string {
  // A text of so few characters can't have more, at four for each.
  if (text.length * 4 + SPECIAL_TOKENS <= most) return text;
  let tokens = SPECIAL_TOKENS;
  for (const match of text.matchAll(PIECES)) {
    tokens += tokensOf(match[0]);
    if (tokens > most) return text.slice(0, match.index);
  }
  return text;
}
