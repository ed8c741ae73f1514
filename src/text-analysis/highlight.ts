import type { TextRange } from "../types.js";
import type { Analyzer } from "./analyzer.js";
import { completions, unstemmed } from "./completions.js";
import type { KeywordTerm } from "./keyword-term.js";
import { keywordPhrase, splitByScript, WORD } from "./keyword-text.js";

/** A word of the index with its place in the text. */
interface PlacedWord extends TextRange {
  /** The analyzer's input. */
  readonly word: string;
  /** For a pair of characters, the end of the first. */
  readonly firstEnd?: number;
}

/** Terms, as the index has them in texts that are stemmed or in texts that aren't. */
export interface Wanted {
  readonly stemmed: boolean;
  readonly terms: readonly {
    /** Consecutive words. */
    readonly tokens: readonly string[];
    /** Whether another word will do for the last. */
    goesOn(token: string): boolean;
  }[];
}

export function toWanted(analyzer: Analyzer, terms: readonly KeywordTerm[], stemmed: boolean): Wanted {
  const sequences = analyzer.terms(terms.map(({ text }) => keywordPhrase(text, stemmed)));
  const wanted = terms.map(({ text, prefix }, index) => {
    const tokens = sequences[index]!;
    const last = prefix ? unstemmed(analyzer, text) : undefined;
    if (last === undefined) return { tokens, goesOn: () => false };
    const completed = new Set(stemmed ? completions(analyzer, text).map(({ token }) => token) : []);
    return { tokens, goesOn: (token: string) => token.startsWith(last) || completed.has(token) };
  });
  return { stemmed, terms: wanted };
}

/**
 * The ranges of terms in a text in UTF-16 units, ascending and disjoint. Matches what the keyword index finds, by the
 * same analyzer: "runs" for the query "running", and a phrase only where its words are adjacent.
 */
export function highlight(analyzer: Analyzer, text: string, { stemmed, terms }: Wanted): readonly TextRange[] {
  const words = placedWords(text);
  const tokens = analyzer.terms(words.map(({ word }) => keywordPhrase(word, stemmed)));
  // A word that the analyzer splits, which happens at characters newer than its Unicode version, keeps one position.
  const places = words.flatMap((word, index) => tokens[index]!.map((token) => ({ ...word, token })));
  const found: TextRange[] = [];
  for (const { tokens: sequence, goesOn } of terms) {
    if (sequence.length === 0) continue;
    for (let at = 0; at + sequence.length <= places.length; at++) {
      const isHere = sequence.every((token, offset) => {
        const here = places[at + offset]!.token;
        return here === token || (offset === sequence.length - 1 && goesOn(here));
      });
      if (!isHere) continue;
      const { token, end, firstEnd = end } = places[at + sequence.length - 1]!;
      found.push({ start: places[at]!.start, end: token === sequence.at(-1) ? end : firstEnd });
    }
  }
  return merged(found);
}

function placedWords(text: string): readonly PlacedWord[] {
  const words: PlacedWord[] = [];
  for (const { 0: run, index } of text.matchAll(WORD)) {
    let start = index;
    for (const part of splitByScript(run)) {
      if (part.unspaced) words.push(...placedPairs(part.text, start));
      else words.push({ word: part.text.normalize("NFC"), start, end: start + part.text.length });
      start += part.text.length;
    }
  }
  return words;
}

/**
 * A character with its marks. The index has composed characters; a decomposed Korean syllable has up to three letters.
 */
const CHARACTER = /(?:[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\p{L}\p{N}])\p{M}*/gu;

/** Pairs of neighbouring characters, as they are indexed, and the last character alone. */
function placedPairs(run: string, from: number): readonly PlacedWord[] {
  const characters = run.match(CHARACTER) ?? [];
  let start = from;
  return characters.map((character, index) => {
    const next = characters[index + 1] ?? "";
    const placed = { word: (character + next).normalize("NFC"), start, end: start + character.length + next.length };
    start += character.length;
    return { ...placed, firstEnd: start };
  });
}

function merged(ranges: readonly TextRange[]): readonly TextRange[] {
  const whole: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = whole.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else whole.push({ start, end });
  }
  return whole;
}
