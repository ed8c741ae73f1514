import { getOrCreate } from "../util/get-or-create.js";
import { LruCache } from "../util/lru-cache.js";
import type { Analyzer } from "./analyzer.js";
import { prefixToken } from "./completions.js";
import { FUNCTION_WORDS } from "./function-words.js";
import type { KeywordTerm } from "./keyword-term.js";
import { keywordPhrase, suffixOf, suffixOfToken } from "./keyword-text.js";
import { languageOfStemming, type Stemming } from "./stemming.js";

/** The languages that write compounds as one word, with the letters that may stand between the parts. */
const LINKING_ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  de: ["", "s", "es", "n", "en", "er", "e", "ens"],
  nl: ["", "s", "e", "en", "er"],
  sv: ["", "s", "e", "o", "a", "u"],
  da: ["", "s", "e", "er"],
  no: ["", "s", "e", "er"],
  fi: ["", "n"],
  hu: [""],
};

/** Shorter words begin too many others that are no compounds of them. */
const MIN_START_LENGTH = 4;
/** Fewer letters after a word are more often an ending: "Bild" and "Bildung". */
const MIN_REST_LENGTH = 4;
const MIN_PART_LENGTH = 3;
/** Longer words are not stemmed, either. */
const MAX_WORD_LENGTH = 64;
/** Longer words are not divided, which takes a look-up for each part. */
const MAX_DIVIDED_LENGTH = 32;
/** Each takes a few hundred bytes. */
const MAX_CACHED_PARTS = 10_000;

/** Tokens of compounds that begin with a word. */
export interface CompoundStart {
  readonly start: string;
  /** The suffix of the language. */
  readonly suffix: string;
  /** The least length of the tokens, in characters. */
  readonly minLength: number;
}

/** The two parts of a word, as tokens. */
export interface CompoundParts {
  /** The possible forms of the first part. */
  readonly first: readonly string[];
  readonly rest: string;
}

/** What else has the meaning of a word in it. */
export interface Compounds {
  readonly starts: readonly CompoundStart[];
  /** The places at which the word may be divided. A text with both parts counts. */
  readonly parts: readonly CompoundParts[];
}

/** Whether words of texts that are stemmed in one of these ways may be compounds. */
export function haveCompounds(stemmings: Iterable<Stemming>): boolean {
  return [...stemmings].some((stemming) => linkingElementsOf(stemming) !== undefined);
}

/** Whether a word may be divided into the parts of a compound, if its language has compounds. */
export function isDivisible(word: string): boolean {
  return word.length >= 2 * MIN_PART_LENGTH && word.length <= MAX_DIVIDED_LENGTH && WORD_OF_LETTERS_PATTERN.test(word);
}

/** Cached: every search, passage and block of an index asks for the same words. */
const compoundsByWord = new LruCache<string, Compounds>({
  maxEntries: MAX_CACHED_PARTS,
  maxSize: MAX_CACHED_PARTS,
  sizeOf: ({ parts }) => 1 + parts.length,
});

/**
 * Returns the compounds that begin with a word, and the parts of the word if it is one; `null` in languages whose compounds
 * have spaces. Which of the parts are words, the index says by the texts that have both.
 *
 * Compounds that end with a word are not found: they are the less related, the longer the first part is.
 */
export function compoundsOf(
  analyzer: Analyzer,
  { text: word, undivided = false }: KeywordTerm,
  stemming: Stemming,
): Compounds | null {
  const links = linkingElementsOf(stemming);
  if (!links || word.length > MAX_WORD_LENGTH || !WORD_OF_LETTERS_PATTERN.test(word)) return null;
  const isDivided = !undivided && isDivisible(word);
  const key = `${stemming} ${isDivided} ${word}`;
  const cached = compoundsByWord.get(key);
  if (cached) return cached;
  const suffix = suffixOf(stemming);
  const [token] = tokensOf(analyzer, word, stemming);
  const typed = prefixToken(analyzer, word, stemming);
  if (token === undefined || typed === undefined) return null;
  const stem = token.slice(0, -suffix.length);
  const starts = [...new Set([stem, typed])]
    // What begins with the longer one begins with the shorter one, too.
    .filter(
      (start, _, all) => [...start].length >= MIN_START_LENGTH && !all.some((o) => o !== start && start.startsWith(o)),
    )
    .map((start) => ({ start, suffix, minLength: [...start].length + MIN_REST_LENGTH + 1 }));
  const compounds = { starts, parts: isDivided ? partsOf(analyzer, stem, stemming, links) : [] };
  compoundsByWord.set(key, compounds);
  return compounds;
}

/** Whether a token is one of compounds. */
export function isCompound(token: string, { start, suffix, minLength }: CompoundStart): boolean {
  return token.startsWith(start) && suffixOfToken(token) === suffix && [...token].length >= minLength;
}

const WORD_OF_LETTERS_PATTERN = /^[\p{L}\p{M}]+$/u;

function partsOf(
  analyzer: Analyzer,
  stem: string,
  stemming: Stemming,
  links: readonly string[],
): readonly CompoundParts[] {
  const suffix = suffixOf(stemming);
  const functionWords = foldedFunctionWords(stemming);
  const parts: CompoundParts[] = [];
  for (let at = MIN_PART_LENGTH; at <= stem.length - MIN_PART_LENGTH; at++) {
    const [before, rest] = [stem.slice(0, at), stem.slice(at)];
    const first = links
      .filter((link) => before.endsWith(link))
      .map((link) => before.slice(0, before.length - link.length))
      .filter((word) => word.length >= MIN_PART_LENGTH && !functionWords.has(word))
      .flatMap((word) => [word + suffix, ...tokensOf(analyzer, word, stemming)]);
    if (first.length > 0 && !functionWords.has(rest)) parts.push({ first: [...new Set(first)], rest: rest + suffix });
  }
  return parts;
}

/** Returns the token of a word; none if the index would have several. */
function tokensOf(analyzer: Analyzer, word: string, stemming: Stemming): readonly string[] {
  const [tokens] = analyzer.terms([keywordPhrase(word, stemming)]);
  return tokens!.length === 1 ? tokens! : [];
}

function linkingElementsOf(stemming: Stemming): readonly string[] | undefined {
  return LINKING_ELEMENTS[languageOfStemming(stemming) ?? ""];
}

const functionWordsByStemming = new Map<Stemming, ReadonlySet<string>>();

/** Returns a language's function words without diacritics, as tokens are. */
function foldedFunctionWords(stemming: Stemming): ReadonlySet<string> {
  return getOrCreate(functionWordsByStemming, stemming, () => {
    const words = FUNCTION_WORDS.get(languageOfStemming(stemming)!) ?? [];
    return new Set([...words].map((word) => word.normalize("NFD").replace(/\p{M}/gu, "")));
  });
}
