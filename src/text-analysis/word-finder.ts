import { eachWord, foldWord } from "./analyze.js";
import type { Analyzer } from "./analyzer.js";
import { keywordPhrase } from "./keyword-text.js";
import { keepsFirstLetter, normalizeWord, type Stemming } from "./stemming.js";
import { termPhrases } from "./term-phrases.js";

/** Where a text has a word, in whatever form. */
export interface WordOccurrence {
  /** The place of the word in the list of those that were looked for. */
  readonly word: number;
  /** The number of words of the text before it. */
  readonly position: number;
}

/** Finds words in texts that are stemmed in one way, as the keyword index does. */
export class WordFinder {
  readonly #analyzer: Analyzer;
  readonly #stemming: Stemming;
  /** The looked-for words, by their token. */
  readonly #byToken = new Map<string, number>();
  /** What words of texts are, -1 for none of the looked-for ones. */
  readonly #known = new Map<string, number>();
  /** The first letters of the looked-for words. */
  readonly #firstLetters = new Set<string>();
  /** Whether words that begin with a UTF-16 unit may be looked for. */
  readonly #mayBegin = new Map<number, boolean>();

  constructor(analyzer: Analyzer, words: readonly string[], stemming: Stemming) {
    this.#analyzer = analyzer;
    this.#stemming = stemming;
    for (const [place, word] of words.entries())
      for (const tokens of analyzer.terms(termPhrases(word, stemming)))
        if (tokens.length === 1) {
          if (!this.#byToken.has(tokens[0]!)) this.#byToken.set(tokens[0]!, place);
          this.#firstLetters.add(tokens[0]![0]!);
        }
  }

  /** Returns the occurrences of the words in a text, in its order. */
  find(text: string): readonly WordOccurrence[] {
    const found: WordOccurrence[] = [];
    const composed = text.normalize("NFC");
    let position = 0;
    eachWord(composed, (start, end) => {
      if (this.#isPossible(composed.charCodeAt(start))) {
        const word = this.#wordOf(composed.slice(start, end));
        if (word >= 0) found.push({ word, position });
      }
      position++;
    });
    return found;
  }

  /** Most words of a text begin with another letter than all that are looked for. */
  #isPossible(unit: number): boolean {
    let isPossible = this.#mayBegin.get(unit);
    if (isPossible === undefined) {
      const letter = foldWord(normalizeWord(String.fromCharCode(unit), this.#stemming));
      const isKept = keepsFirstLetter(this.#stemming) && letter !== "" && (unit < 0xd800 || unit > 0xdfff);
      isPossible = !isKept || this.#firstLetters.has(letter[0]!);
      this.#mayBegin.set(unit, isPossible);
    }
    return isPossible;
  }

  #wordOf(text: string): number {
    let word = this.#known.get(text);
    if (word === undefined) {
      const [token, ...others] = this.#analyzer.terms([keywordPhrase(text, this.#stemming)])[0]!;
      word = (others.length === 0 && token !== undefined ? this.#byToken.get(token) : undefined) ?? -1;
      this.#known.set(text, word);
    }
    return word;
  }
}
