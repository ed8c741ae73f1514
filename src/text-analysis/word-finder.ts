import { copyString } from "../util/copy-string.js";
import { getOrCreate } from "../util/get-or-create.js";
import { foldWord, termsOf, wordSeparators } from "./analyze.js";
import type { Analyzer } from "./analyzer.js";
import { keywordPhrase } from "./keyword-text.js";
import { keptLetters, normalizeWord, type Stemming } from "./stemming.js";
import { termPhrases } from "./term-phrases.js";

/** Where a text has a word. */
export interface WordOccurrence {
  /** The place of the word in the list of those that were looked for. */
  readonly word: number;
  /** The number of words of the text before it; in a table, of those before the table and in its row. */
  readonly position: number;
  /** The number of the row, from 1, among those of all tables of the text; 0 outside of tables. */
  readonly row: number;
  /** Whether the text has the word as it was typed, in any case. Diacritics matter, and so do endings. */
  readonly isExact: boolean;
}

const NEW_LINE = 0x0a;
const PIPE = 0x7c;
const LETTER_COUNT = 26;
/** Words are looked for in so many characters of a text, so that long passages don't hold up other searches. */
const MAX_CHARACTERS = 2_000;
/** Longer words are no words of a language. */
const MAX_WORD_LENGTH = 64;

/** A word to find. */
export interface SoughtWord {
  /** The word, or those in place of it. */
  readonly texts: readonly string[];
  /** Whether the texts are similar words: where a text has one that is also sought for itself, it is that one. */
  readonly isSimilar: boolean;
}

/** Finds words in the beginnings of texts that are stemmed in one way: in any form, but not as parts of compounds. */
export class WordFinder {
  readonly #stemming: Stemming;
  /** The texts of the words in lower case. */
  readonly #typed: readonly (readonly string[])[];
  /** The places of the words, by their token. More than one if a query has a word in two forms. */
  readonly #byToken = new Map<string, number[]>();
  /** For each letter from a to z that words begin with, the second letters as bits; `null` if stems may begin otherwise. */
  readonly #beginnings: Int32Array | null;

  constructor(analyzer: Analyzer, words: readonly SoughtWord[], stemming: Stemming) {
    this.#stemming = stemming;
    this.#typed = words.map(({ texts }) => texts.map((text) => normalizeWord(text, stemming)));
    this.#beginnings = keptLetters(stemming) > 0 ? new Int32Array(LETTER_COUNT) : null;
    const isSimilar = (place: number) => words[place]!.isSimilar;
    const places = [...words.keys()].sort((a, b) => Number(isSimilar(a)) - Number(isSimilar(b)));
    for (const place of places) {
      for (const typed of this.#typed[place]!) this.#addBeginning(foldWord(typed));
      const phrases = words[place]!.texts.flatMap((text) => termPhrases(text, stemming));
      for (const [token, ...others] of analyzer.terms(phrases)) {
        if (token === undefined || others.length > 0) continue;
        const same = getOrCreate(this.#byToken, token, () => []);
        if (!isSimilar(place) || same.every(isSimilar)) same.push(place);
        this.#addBeginning(token);
      }
    }
  }

  /** Returns the occurrences of the words in the beginning of a text, in its order. */
  find(text: string): readonly WordOccurrence[] {
    const found: WordOccurrence[] = [];
    // The last word may go on.
    const composed = text.slice(0, MAX_CHARACTERS + MAX_WORD_LENGTH).normalize("NFC");
    const separators = wordSeparators();
    let position = 0;
    let row = 0;
    let rowCount = 0;
    let tableStart = 0;
    for (let at = 0; at < composed.length && at < MAX_CHARACTERS; at++) {
      if (separators[composed.charCodeAt(at)] === 1) {
        if (at > 0 && composed.charCodeAt(at - 1) !== NEW_LINE) continue;
        const isRow = composed.charCodeAt(at) === PIPE;
        if (isRow && row === 0) tableStart = position;
        row = isRow ? ++rowCount : 0;
        if (isRow) position = tableStart;
        continue;
      }
      if (row > 0 && composed.charCodeAt(at - 1) === NEW_LINE) row = 0;
      const start = at;
      do at++;
      while (at < composed.length && separators[composed.charCodeAt(at)] === 0);
      const isPossible = this.#isPossible(composed.charCodeAt(start), composed.charCodeAt(start + 1));
      const occurrence = isPossible ? this.#occurrence(composed.slice(start, at), position, row) : null;
      if (occurrence) found.push(occurrence);
      position++;
    }
    return found;
  }

  #occurrence(form: string, position: number, row: number): WordOccurrence | null {
    if (form.length > MAX_WORD_LENGTH) return null;
    const places = this.#byToken.get(tokenOf(form, this.#stemming));
    if (!places) return null;
    const typed = normalizeWord(form, this.#stemming);
    const exact = places.find((place) => this.#typed[place]!.includes(typed));
    return { word: exact ?? places[0]!, position, row, isExact: exact !== undefined };
  }

  #addBeginning(word: string): void {
    const first = letterOf(word.charCodeAt(0));
    const second = letterOf(word.charCodeAt(1));
    if (!this.#beginnings || first < 0) return;
    this.#beginnings[first]! |= second < 0 ? -1 : 1 << second;
  }

  /** Whether a word with these UTF-16 units first may be one of the words. Most aren't, and looking them up takes longer. */
  #isPossible(firstUnit: number, secondUnit: number): boolean {
    const first = letterOf(firstUnit);
    const second = letterOf(secondUnit);
    if (!this.#beginnings || first < 0 || second < 0) return true;
    return (this.#beginnings[first]! & (1 << second)) !== 0;
  }
}

/** The number of tokens to keep for each way of stemming. */
const MAX_CACHED_TOKENS = 20_000;

const tokenCaches = new Map<Stemming, Map<string, string>>();

/** Returns the token of a word; empty if the word isn't one token. */
function tokenOf(word: string, stemming: Stemming): string {
  const cache = getOrCreate(tokenCaches, stemming, () => new Map<string, string>());
  let token = cache.get(word);
  if (token === undefined) {
    const tokens = termsOf(keywordPhrase(word, stemming));
    token = tokens.length === 1 ? tokens[0]! : "";
    if (cache.size >= MAX_CACHED_TOKENS) cache.clear();
    cache.set(copyString(word), copyString(token));
  }
  return token;
}

/** Returns the place of an ASCII letter in the alphabet, from 0; -1 for any other UTF-16 unit. */
function letterOf(unit: number): number {
  const letter = (unit | 0x20) - 0x61;
  return letter >= 0 && letter < LETTER_COUNT && unit < 0x80 ? letter : -1;
}
