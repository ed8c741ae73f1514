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
  }[];
  /** For each part of a compound, the other parts of which a text must have one. */
  readonly parts: ReadonlyMap<string, ReadonlySet<string>>;
}

export function toHighlightTerms(
  analyzer: Analyzer,
  terms: readonly KeywordTerm[],
  stemming: Stemming,
): HighlightTerms {
  const parts = new Map<string, Set<string>>();
  const addPart = (token: string, other: string) => getOrCreate(parts, token, () => new Set()).add(other);
  const highlightTerms = terms.flatMap((term) => {
    const { text, prefix } = term;
    const begun = prefix ? prefixToken(analyzer, text, stemming) : undefined;
    const completions = begun === undefined ? [] : findCompletions(analyzer, text, stemming);
    const completedTokens = new Set(completions.map(({ token }) => token));
    const compounds = prefix ? null : compoundsOf(analyzer, term, stemming);
    const matchesLast = (token: string) =>
      (begun !== undefined && (token.startsWith(begun) || completedTokens.has(token))) ||
      compounds?.starts.some((compound) => isCompound(token, compound)) === true;
    for (const { first, rest } of compounds?.parts ?? [])
      for (const token of first) {
        addPart(token, rest);
        addPart(rest, token);
      }
    return analyzer.terms(termPhrases(text, stemming)).map((tokens) => ({ tokens, matchesLast }));
  });
  return { stemming, terms: highlightTerms, parts };
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
export function highlight(
  analyzer: Analyzer,
  text: string,
  { stemming, terms, parts }: HighlightTerms,
): readonly TextRange[] {
  const words = findWords(withoutSuffixes(text));
  const tokens = analyzer.terms(words.map(({ word }) => keywordPhrase(word, stemming)));
  // The analyzer splits a word at characters newer than its Unicode version; the parts share the word's position.
  const indexedWords = words.flatMap((word, index) => tokens[index]!.map((token) => ({ ...word, token })));
  const found: TextRange[] = [...findParts(indexedWords, parts)];
  for (const { tokens: sequence, matchesLast } of terms) {
    if (sequence.length === 0) continue;
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

/** Returns the ranges of the parts of compounds both parts of which are among the words. */
function findParts(
  words: readonly (TextRange & { readonly token: string })[],
  parts: ReadonlyMap<string, ReadonlySet<string>>,
): readonly TextRange[] {
  const possible = words.filter(({ token }) => parts.has(token));
  const tokens = new Set(possible.map(({ token }) => token));
  const complete = new Set([...tokens].filter((token) => [...parts.get(token)!].some((other) => tokens.has(other))));
  return possible.filter(({ token }) => complete.has(token)).map(({ start, end }) => ({ start, end }));
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
