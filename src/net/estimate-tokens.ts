/** A word in one case or capitalized. Longer runs of letters, and runs without a vowel, do not count as words. */
const WORD = /^[A-Za-z]?[a-z]{0,23}$|^[A-Z]{1,4}$/;
const VOWEL = /[aeiouy]/i;
const PIECES = /[A-Za-z]+|[^\S\r\n]+|[\s\S]/gu;
/** The special tokens at the start and end of a text. */
const SPECIAL_TOKENS = 2;

/**
 * Overestimates the tokens of a text for a hosted model, whose tokenizer is not available. Vocabularies are byte-based,
 * so a character has at most as many tokens as UTF-8 bytes. Counts less where that is safe: half a token for a letter
 * of an English-looking word (actually a quarter), one for any other letter below U+0800, two for a Chinese, Japanese
 * or Korean character (actually about one), none for a space before a word. Returns about twice the vendors' count for
 * English prose.
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

/** Returns whether a code point is kana, a common unified ideograph, a Hangul syllable, or East Asian punctuation. */
function isEastAsian(code: number): boolean {
  return (
    (code >= 0x3000 && code <= 0x30ff) ||
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xff00 && code <= 0xffef)
  );
}

/** Truncates a text to `maxTokens`, as counted by {@link estimateTokens}. */
export function truncateToTokens(text: string, maxTokens: number): string {
  // A character has at most four tokens.
  if (text.length * 4 + SPECIAL_TOKENS <= maxTokens) return text;
  let tokens = SPECIAL_TOKENS;
  for (const match of text.matchAll(PIECES)) {
    tokens += tokensOf(match[0]);
    if (tokens > maxTokens) return text.slice(0, match.index);
  }
  return text;
}
