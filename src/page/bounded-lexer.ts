import { Lexer, type Token } from "marked";

/** In characters. The time for a piece grows with the square of its length or worse, whatever the lexer does. */
const MAX_PIECE_LENGTH = 1000;
/** Up to the last line break, sentence or space in reach, else anywhere but in a marker or a pair of surrogates. */
const PIECE = [String.raw`(?=\n)`, String.raw`(?<=[.!?:;])(?=\s)`, String.raw`(?=\s|$)`, String.raw`(?!\d*\uE001)`]
  .map((end) => `[^]{1,${MAX_PIECE_LENGTH}}${end}`)
  .join("|");

/**
 * A lexer of Markdown that takes time in proportion to the text. It looks for emphasis, links and code in pieces of a
 * long paragraph, so that those which extend over two pieces are text.
 */
export class BoundedLexer extends Lexer {
  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    if (text.length <= MAX_PIECE_LENGTH) return super.inlineTokens(text, tokens);
    for (const [piece] of text.matchAll(new RegExp(PIECE, "gu"))) super.inlineTokens(piece, tokens);
    return tokens;
  }
}
