import { getOrCreate } from "../util/get-or-create.js";
import { termsOf } from "./analyze.js";
import type { Analyzer } from "./analyzer.js";
import { prefixToken } from "./completions.js";
import { keywordPhrase, suffixOf, suffixOfToken, wordToken } from "./keyword-text.js";
import { ENGLISH, keptLetters, normalizeWord, type Stemming, UNSTEMMED } from "./stemming.js";

/** The tokens of an index. */
export interface Vocabulary {
  /** Returns those of the given tokens that the index has. */
  known(tokens: readonly string[]): ReadonlySet<string>;
  /** Returns the tokens that begin with a character. */
  beginningWith(character: string): Iterable<string>;
  /** Whether the index may have a token: false only if the tokens with its first character are in memory. */
  mayHave(token: string): boolean;
  /** The same for tokens that begin with these two or three letters and have a suffix. */
  mayHaveBeginning(beginning: string, suffix: string): boolean;
}

/** How many edits a misspelled word may be from a word: two, but not in words of four to seven letters. */
const MIN_LENGTH = { 1: 4, 2: 8 } as const;
export type EditDistance = keyof typeof MIN_LENGTH;
/** Longer words are not words of a language. The time for one grows with the square of its length. */
const MAX_LENGTH = 32;
/** Shorter stems, followed by whatever was typed, resemble too many words. */
const MIN_STEM_LENGTH = 3;

/** Letters that may be missing or wrong in a word, by script, as ranges of Unicode without letters that are rarely used. */
const ALPHABETS: readonly { readonly script: RegExp; readonly first: number; readonly last: number }[] = [
  { script: /^\p{Script=Latin}/u, first: 0x61, last: 0x7a },
  { script: /^\p{Script=Greek}/u, first: 0x3b1, last: 0x3c9 },
  { script: /^\p{Script=Cyrillic}/u, first: 0x430, last: 0x45f },
  { script: /^\p{Script=Armenian}/u, first: 0x561, last: 0x586 },
  { script: /^\p{Script=Hebrew}/u, first: 0x5d0, last: 0x5ea },
  { script: /^\p{Script=Arabic}/u, first: 0x621, last: 0x64a },
  { script: /^\p{Script=Devanagari}/u, first: 0x901, last: 0x94d },
  { script: /^\p{Script=Tamil}/u, first: 0xb82, last: 0xbcd },
  { script: /^\p{Script=Georgian}/u, first: 0x10d0, last: 0x10f0 },
];

/**
 * How likely a certain edit of a word is, compared with the others (the noisy channel of Kernighan, Church and Gale, A
 * Spelling Correction Program Based on a Noisy Channel Model, COLING 1990). All four kinds are about as frequent, but a
 * letter can be added or replaced in 26 times as many ways. People's edits are fewer of these. On chunkeval and npl, 26 finds
 * what 8 does, and 1 finds less.
 */
const LIKELIHOOD = { leftOut: 8, swapped: 8, added: 1, replaced: 1 } as const;

/** A word that is similar to another one. */
export interface SimilarWord {
  readonly word: string;
  /** Its indexed form. */
  readonly token: string;
  /** How likely the word is misspelled so, compared with other words: {@link LIKELIHOOD}; 1 for all at two edits. */
  readonly likelihood: number;
}

const WORD_OF_LETTERS_PATTERN = /^[\p{L}\p{M}]+$/u;
const ASCII_LETTERS_PATTERN = /^[a-z]+$/;
/** Stems of shorter words may begin with fewer letters of them. */
const MIN_KEPT_LENGTH = 4;

/**
 * Returns words that an index has in some form, from which a word differs by one or two edits: a letter that is missing,
 * added or wrong, or two adjacent letters in the wrong order (the optimal string alignment distance: Damerau, A Technique
 * for Computer Detection and Correction of Spelling Errors, CACM 7(3), 1964). None for short words, for those of more
 * than 32 characters, and for those with digits, which rarely mean another word. One word for each token, which depends on this token alone.
 *
 * At distance 1, the edited word is stemmed, so the edit may be in any letter. At distance 2 there would be too many edited
 * words: the edits must be in what stemming keeps, and not in the first letter.
 */
export function similarWords(
  analyzer: Analyzer,
  vocabulary: Vocabulary,
  word: string,
  { distance, stemmings }: { readonly distance: EditDistance; readonly stemmings: ReadonlySet<Stemming> },
): readonly SimilarWord[] {
  if (word.length < MIN_LENGTH[distance] || word.length > MAX_LENGTH) return [];
  if (!WORD_OF_LETTERS_PATTERN.test(word) || [...word].length < MIN_LENGTH[distance]) return [];
  if (!isSingleToken(word)) return [];
  return [...stemmings].flatMap((stemming) =>
    distance === 1
      ? wordsAtDistance1(vocabulary, word, stemming)
      : wordsAtDistance2(analyzer, vocabulary, word, stemming),
  );
}

/** Whether a word is one token. So are its candidates: edits add no separator, and no script that is indexed as bigrams. */
function isSingleToken(word: string): boolean {
  return termsOf(keywordPhrase(word, UNSTEMMED)).length === 1;
}

function wordsAtDistance1(vocabulary: Vocabulary, word: string, stemming: Stemming): readonly SimilarWord[] {
  const byToken = new Map<string, SimilarWord>();
  const kept = keptBeginning(vocabulary, stemming);
  for (const [candidate, likelihood] of editedWords(normalizeWord(word, stemming))) {
    const beginning = kept(candidate);
    if (beginning === null) continue;
    const token = wordToken(candidate, stemming);
    // Whether a candidate is tried must not depend on which tokens are in memory.
    if (token === "" || !token.startsWith(beginning) || !vocabulary.mayHave(token)) continue;
    const other = byToken.get(token);
    // Of equally likely words, the shortest is the likeliest not to have an ending that no word has.
    const isLikelier =
      other === undefined ||
      likelihood > other.likelihood ||
      (likelihood === other.likelihood && candidate.length < other.word.length);
    if (isLikelier) byToken.set(token, { word: candidate, token, likelihood });
  }
  return [...vocabulary.known([...byToken.keys()])].map((token) => byToken.get(token)!);
}

/**
 * Returns a function for what the stem of a word must begin with: its first letters, if its language's stemming keeps them;
 * `null` if the vocabulary has no such token. In English, stemming a word takes no longer than asking for its beginning.
 */
function keptBeginning(vocabulary: Vocabulary, stemming: Stemming): (word: string) => string | null {
  const length = stemming === ENGLISH ? 0 : keptLetters(stemming);
  if (length === 0) return () => "";
  const suffix = suffixOf(stemming);
  const isPossible = new Map<string, boolean>();
  return (word) => {
    const beginning = word.slice(0, length);
    if (word.length < MIN_KEPT_LENGTH || !ASCII_LETTERS_PATTERN.test(beginning)) return "";
    const isKnown = getOrCreate(isPossible, beginning, () => vocabulary.mayHaveBeginning(beginning, suffix));
    return isKnown ? beginning : null;
  };
}

/** Returns the words that differ from a word by one edit, each with its likelihood. A word may occur twice, with the same one. */
function editedWords(word: string): readonly (readonly [word: string, likelihood: number])[] {
  const edited: [word: string, likelihood: number][] = [];
  const characters = [...word];
  const letters = lettersOf(word);
  for (let at = 0; at <= characters.length; at++) {
    const before = characters.slice(0, at).join("");
    const after = characters.slice(at).join("");
    const [character = "", next = ""] = characters.slice(at, at + 2);
    const rest = after.slice(character.length);
    for (const letter of letters) edited.push([before + letter + after, LIKELIHOOD.leftOut]);
    if (character === "") break;
    for (const letter of letters) if (letter !== character) edited.push([before + letter + rest, LIKELIHOOD.replaced]);
    edited.push([before + rest, LIKELIHOOD.added]);
    if (next !== "" && next !== character)
      edited.push([before + next + character + rest.slice(next.length), LIKELIHOOD.swapped]);
  }
  return edited;
}

function lettersOf(word: string): readonly string[] {
  const alphabet = ALPHABETS.find(({ script }) => script.test(word));
  if (!alphabet) return [];
  const { first, last } = alphabet;
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index));
}

function wordsAtDistance2(
  analyzer: Analyzer,
  vocabulary: Vocabulary,
  word: string,
  stemming: Stemming,
): readonly SimilarWord[] {
  const typed = prefixToken(analyzer, word, stemming);
  if (typed === undefined) return [];
  const suffix = suffixOf(stemming);
  const words: SimilarWord[] = [];
  for (const token of vocabulary.beginningWith(typed.slice(0, 1))) {
    if (suffixOfToken(token) !== suffix) continue;
    const stem = token.slice(0, token.length - suffix.length);
    if (stem.length < MIN_STEM_LENGTH || stem.length > typed.length + 2) continue;
    const candidates = similarStarts(typed, stem, 2).map((end) => stem + typed.slice(end));
    const candidate = candidates.find((text) => wordToken(text, stemming) === token);
    if (candidate !== undefined) words.push({ word: candidate, token, likelihood: 1 });
  }
  return words;
}

/** Returns the lengths of the starts of `text` that differ from `other` by at most `maxDistance` edits, longest first. */
function similarStarts(text: string, other: string, maxDistance: number): readonly number[] {
  const width = text.length + 1;
  let [beforeLast, last, current] = [new Uint8Array(width), new Uint8Array(width), new Uint8Array(width)];
  for (let column = 0; column < width; column++) last[column] = column;
  for (let row = 1; row <= other.length; row++) {
    current[0] = row;
    let lowest = row;
    for (let column = 1; column < width; column++) {
      const isEqual = other[row - 1] === text[column - 1];
      let distance = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (isEqual ? 0 : 1));
      const isSwapped = row > 1 && other[row - 1] === text[column - 2] && other[row - 2] === text[column - 1];
      if (isSwapped) distance = Math.min(distance, beforeLast[column - 2]! + 1);
      current[column] = distance;
      lowest = Math.min(lowest, distance);
    }
    // Distances never decrease from row to row.
    if (lowest > maxDistance) return [];
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return [...last.keys()].filter((column) => last[column]! <= maxDistance).reverse();
}
