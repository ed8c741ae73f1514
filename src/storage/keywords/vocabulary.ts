import { suffixOfToken } from "../../text-analysis/keyword-text.js";
import type { Vocabulary } from "../../text-analysis/similar-words.js";
import { getOrCreate } from "../../util/get-or-create.js";
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
/** Approximate bytes of a string in a set, besides its characters. */
const STRING_BYTES = 56;
/** The lengths of the beginnings that are asked for. */
const BEGINNING_LENGTHS = [2, 3] as const;

/** The tokens with a first character. */
interface TokensOfCharacter {
  readonly tokens: ReadonlySet<string>;
  /** Their first two and first three letters, each after the token's suffix. */
  readonly beginnings: ReadonlySet<string>;
}

/**
 * The tokens of an index in memory, by their first character. Those with a character are read when they are first needed:
 * reading them takes as long as reading the postings of all of them, but no more than a few searches do with many chunks.
 */
export class CachedVocabulary implements Vocabulary {
  readonly #reader: TokenReader;
  /** By code point. */
  readonly #byCharacter = new Map<number, TokensOfCharacter>();
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
    for (const [code, own] of groupBy(tokens, firstCode)) {
      const isRead = this.#byCharacter.has(code) || own.length >= MIN_TOKENS;
      if (!isRead) unread.push(...own);
      else {
        const all = this.#read(code).tokens;
        for (const token of own) if (all.has(token)) known.add(token);
      }
    }
    if (unread.length > 0) for (const token of this.#reader.known(unread)) known.add(token);
    return known;
  }

  beginningWith(character: string): ReadonlySet<string> {
    return this.#read(firstCode(character)).tokens;
  }

  mayHave(token: string): boolean {
    return this.#byCharacter.get(firstCode(token))?.tokens.has(token) ?? true;
  }

  mayHaveBeginning(beginning: string, suffix: string): boolean {
    return this.#byCharacter.get(firstCode(beginning))?.beginnings.has(suffix + beginning) ?? true;
  }

  clear(): void {
    this.#byCharacter.clear();
    this.#bytes = 0;
  }

  #read(code: number): TokensOfCharacter {
    return getOrCreate(this.#byCharacter, code, () => {
      const tokens = new Set(this.#reader.beginningWith(String.fromCodePoint(code)));
      const beginnings = new Set<string>();
      for (const token of tokens) {
        this.#bytes += STRING_BYTES + 2 * token.length;
        const suffix = suffixOfToken(token);
        for (const length of BEGINNING_LENGTHS) beginnings.add(suffix + token.slice(0, length));
      }
      for (const beginning of beginnings) this.#bytes += STRING_BYTES + 2 * beginning.length;
      return { tokens, beginnings };
    });
  }
}

function firstCode(token: string): number {
  return token.codePointAt(0)!;
}

/** Joins the vocabularies of several parts of an index. */
export function joinVocabularies(parts: readonly CachedVocabulary[]): Vocabulary {
  return {
    known: (tokens) => new Set(parts.flatMap((part) => [...part.known(tokens)])),
    *beginningWith(character) {
      const earlier: ReadonlySet<string>[] = [];
      for (const part of parts) {
        const tokens = part.beginningWith(character);
        for (const token of tokens) if (!earlier.some((others) => others.has(token))) yield token;
        earlier.push(tokens);
      }
    },
    mayHave: (token) => parts.some((part) => part.mayHave(token)),
    mayHaveBeginning: (beginning, suffix) => parts.some((part) => part.mayHaveBeginning(beginning, suffix)),
  };
}
