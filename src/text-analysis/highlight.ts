import type { TextRange } from "../types.js";
import { getOrCreate } from "../util/get-or-create.js";
import type { Analyzer } from "./analyzer.js";
import { findCompletions, prefixToken } from "./completions.js";
import { compoundsOf, isCompound } from "./compounds.js";
import type { KeywordTerm } from "./keyword-term.js";
import { keywordPhrase, splitByScript, WORD_PATTERN, withoutSuffixes } from "./keyword-text.js";
import type { Stemming } from "./stemming.js";
import { termPhrases } from "./term-phrases.js";

/** A word to look up in its indexed form, with its position in the text. */
interface PositionedWord extends TextRange {
  /** The word before analysis. */
  readonly word: string;
  /** For a bigram, the end of the first character. */
  readonly firstCharacterEnd?: number;
}

/** Search terms in their indexed form. */
export interface HighlightTerms {
  /** How the text's words and the terms are stemmed. */
  readonly stemming: Stemming;
  readonly terms: readonly {
    /** The term's words, which must be consecutive in the text. */
    readonly tokens: readonly string[];
    /** Whether an indexed word matches the term's last word, if that is a prefix, or is a compound with the word. */
    matchesLast(token: string): boolean;
    /** Words of which the text must have one. @default none */
    readonly beside?: readonly string[];
  }[];
}

export function toHighlightTerms(
  analyzer: Analyzer,
  terms: readonly KeywordTerm[],
  stemming: Stemming,
): HighlightTerms {
  const highlightTerms = terms.flatMap(({ text, prefix }) => {
    const begun = prefix ? prefixToken(analyzer, text, stemming) : undefined;
    const completions = begun === undefined ? [] : findCompletions(analyzer, text, stemming);
    const completedTokens = new Set(completions.map(({ token }) => token));
    const compounds = prefix ? null : compoundsOf(analyzer, text, stemming);
    const matchesLast = (token: string) =>
      (begun !== undefined && (token.startsWith(begun) || completedTokens.has(token))) ||
      compounds?.starts.some((compound) => isCompound(token, compound)) === true;
    const parts = compounds?.parts.flatMap(({ first, rest }) => [
      { tokens: [rest], matchesLast: () => false, beside: first },
      ...first.map((token) => ({ tokens: [token], matchesLast: () => false, beside: [rest] })),
    ]);
    return [
      ...analyzer.terms(termPhrases(text, stemming)).map((tokens) => ({ tokens, matchesLast })),
      ...(parts ?? []),
    ];
  });
  return { stemming, terms: highlightTerms };
}

/** Highlights search terms in texts that are stemmed in different ways. */
export class Highlighter {
  readonly #analyzer: Analyzer;
  readonly #terms: readonly KeywordTerm[];
  readonly #byStemming = new Map<Stemming, HighlightTerms>();

  constructor(analyzer: Analyzer, terms: readonly KeywordTerm[]) {
    this.#analyzer = analyzer;
    this.#terms = terms;
  }

  /** Returns the ranges of the terms in a text. */
  highlight(text: string, stemming: Stemming): readonly TextRange[] {
    const terms = getOrCreate(this.#byStemming, stemming, () =>
      toHighlightTerms(this.#analyzer, this.#terms, stemming),
    );
    return highlight(this.#analyzer, text, terms);
  }
}

/**
 * Returns the ranges of terms in a text in UTF-16 units, ascending and disjoint. Uses the same analyzer as the keyword
 * index to find the same matches: "runs" for the query "running", and a phrase only where its words are adjacent.
 */
export function highlight(analyzer: Analyzer, text: string, { stemming, terms }: HighlightTerms): readonly TextRange[] {
  const words = findWords(withoutSuffixes(text));
  const tokens = analyzer.terms(words.map(({ word }) => keywordPhrase(word, stemming)));
  // The analyzer splits a word at characters newer than its Unicode version; the parts share the word's position.
  const indexedWords = words.flatMap((word, index) => tokens[index]!.map((token) => ({ ...word, token })));
  const allTokens = new Set(tokens.flat());
  const found: TextRange[] = [];
  for (const { tokens: sequence, matchesLast, beside } of terms) {
    if (sequence.length === 0 || beside?.some((token) => allTokens.has(token)) === false) continue;
    for (let at = 0; at + sequence.length <= indexedWords.length; at++) {
      const isMatch = sequence.every((token, offset) => {
        const indexed = indexedWords[at + offset]!.token;
        return indexed === token || (offset === sequence.length - 1 && matchesLast(indexed));
      });
      if (!isMatch) continue;
      const { token, end, firstCharacterEnd = end } = indexedWords[at + sequence.length - 1]!;
      found.push({ start: indexedWords[at]!.start, end: token === sequence.at(-1) ? end : firstCharacterEnd });
    }
  }
  return mergeRanges(found);
}

function findWords(text: string): readonly PositionedWord[] {
  const words: PositionedWord[] = [];
  for (const { 0: run, index } of text.matchAll(WORD_PATTERN)) {
    let start = index;
    for (const part of splitByScript(run)) {
      if (part.isBigramScript) words.push(...findBigrams(part.text, start));
      else words.push({ word: part.text.normalize("NFC"), start, end: start + part.text.length });
      start += part.text.length;
    }
  }
  return words;
}

/**
 * Matches a character with its marks. The index has composed characters, but a decomposed Korean syllable in the text
 * has up to three letters.
 */
const CHARACTER_PATTERN = /(?:[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\p{L}\p{N}])\p{M}*/gu;

/** Returns the indexed words of a run: its bigrams, and the last character alone. */
function findBigrams(run: string, from: number): readonly PositionedWord[] {
  const characters = run.match(CHARACTER_PATTERN) ?? [];
  let start = from;
  return characters.map((character, index) => {
    const next = characters[index + 1] ?? "";
    const bigram = { word: (character + next).normalize("NFC"), start, end: start + character.length + next.length };
    start += character.length;
    return { ...bigram, firstCharacterEnd: start };
  });
}

function mergeRanges(ranges: readonly TextRange[]): readonly TextRange[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}
