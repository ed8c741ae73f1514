import type { Vocabulary } from "../../text-analysis/similar-words.js";
import { groupBy } from "../../util/group-by.js";

/** Reads the tokens of an index. */
export interface TokenReader {
  /** Returns those of the given tokens that the index has. */
  known(tokens: readonly string[]): Iterable<string>;
  /** Returns the tokens that begin with a character. */
  beginningWith(character: string): Iterable<string>;
}

/** All tokens with a character are read if so many with it are asked for, which takes about as long as asking for each. */
const MIN_TOKENS = 64;
/** Approximate bytes of a token in a set, besides its characters. */
const TOKEN_BYTES = 56;

/**
 * The tokens of an index in memory, by their first character. Those with a character are read when they are first needed:
 * reading them takes as long as reading the postings of all of them, but no more than a few searches do with many chunks.
 */
export class CachedVocabulary implements Vocabulary {
  readonly #reader: TokenReader;
  readonly #byCharacter = new Map<string, ReadonlySet<string>>();
  #bytes = 0;

  constructor(reader: TokenReader) {
    this.#reader = reader;
  }

  get bytes(): number {
    return this.#bytes;
  }

  known(tokens: readonly string[]): ReadonlySet<string> {
    const known = new Set<string>();
    const unread: string[] = [];
    for (const [character, own] of groupBy(tokens, firstCharacter)) {
      const isRead = this.#byCharacter.has(character) || own.length >= MIN_TOKENS;
      if (!isRead) unread.push(...own);
      else {
        const all = this.beginningWith(character);
        for (const token of own) if (all.has(token)) known.add(token);
      }
    }
    if (unread.length > 0) for (const token of this.#reader.known(unread)) known.add(token);
    return known;
  }

  beginningWith(character: string): ReadonlySet<string> {
    let tokens = this.#byCharacter.get(character);
    if (!tokens) {
      tokens = new Set(this.#reader.beginningWith(character));
      this.#byCharacter.set(character, tokens);
      for (const token of tokens) this.#bytes += TOKEN_BYTES + 2 * token.length;
    }
    return tokens;
  }

  clear(): void {
    this.#byCharacter.clear();
    this.#bytes = 0;
  }
}

function firstCharacter(token: string): string {
  return String.fromCodePoint(token.codePointAt(0)!);
}

/** Joins the vocabularies of several parts of an index. */
export function joinVocabularies(parts: readonly Vocabulary[]): Vocabulary {
  return {
    known: (tokens) => new Set(parts.flatMap((part) => [...part.known(tokens)])),
    beginningWith: (character) => new Set(parts.flatMap((part) => [...part.beginningWith(character)])),
  };
}
