import { isDivisible } from "../text-analysis/compounds.js";
import type { KeywordTerm } from "../text-analysis/keyword-term.js";
import { charactersOf, splitByScript, toBigrams, WORD_PATTERN } from "../text-analysis/keyword-text.js";
import { likelyFunctionWords } from "../text-analysis/language.js";

/** Maximum terms of a query; further terms are ignored. */
const MAX_TERMS = 255;
/** So many words, the longest ones, are divided into the parts of compounds: each takes up to hundreds of look-ups. */
const MAX_DIVIDED_TERMS = 8;

/**
 * Parses the terms of a query: words, and phrases in double quotes. A trailing star matches any ending. There is no
 * other syntax. Function words are skipped if there are other words.
 */
export function parseKeywordTerms(query: string): readonly KeywordTerm[] {
  const parts = parseParts(query);
  const functionWords = likelyFunctionWords(parts.filter(({ quoted }) => !quoted).map(({ text }) => text));
  // `off*` isn't the function word "off": it also finds "office".
  const meaningful = parts.filter(
    ({ quoted, prefix, text }) => quoted || prefix || !functionWords.has(text.toLowerCase()),
  );
  const terms = distinct((meaningful.length > 0 ? meaningful : parts).flatMap(termsOf));
  return limitDivisions(terms.slice(0, MAX_TERMS));
}

/**
 * Returns the terms that a passage must contain to have every word of a text, with quoted parts as phrases; `null` if
 * the text has no word.
 */
export function parseRequiredTerms(text: string): readonly KeywordTerm[] | null {
  const terms = limitDivisions(distinct(parseParts(text).flatMap(termsOf)));
  return terms.length > 0 ? terms : null;
}

/** Formats a term as a user would type it: `lamp`, `"old harbour"`, `off*`. */
export function formatTerm({ text, prefix }: KeywordTerm): string {
  const quoted = text.includes(" ") ? `"${text}"` : text;
  return prefix && !toTerm(text, false).prefix ? `${quoted}*` : quoted;
}

interface QueryPart {
  readonly text: string;
  readonly quoted: boolean;
  readonly prefix: boolean;
}

const QUOTED_OR_WORD = /"([^"]*)"(\*?)|([\p{L}\p{M}\p{N}\p{Co}]+)(\*?)/gu;

function parseParts(text: string): readonly QueryPart[] {
  return [...text.normalize("NFC").matchAll(QUOTED_OR_WORD)].flatMap(
    ([, phrase, phraseStar, word, wordStar]): QueryPart[] => {
      if (word !== undefined) return [{ text: word, quoted: false, prefix: wordStar === "*" }];
      const words = phrase!.match(WORD_PATTERN) ?? [];
      return words.length > 0 ? [{ text: words.join(" "), quoted: true, prefix: phraseStar === "*" }] : [];
    },
  );
}

function termsOf({ text, quoted, prefix }: QueryPart): readonly KeywordTerm[] {
  if (quoted) return [toTerm(text, prefix)];
  const runs = splitByScript(text);
  return runs.flatMap((run, index) => {
    const isLast = index === runs.length - 1;
    const words = run.isBigramScript ? wordsOf(run.text) : [run.text];
    return words.map((word, wordIndex) => toTerm(word, prefix && isLast && wordIndex === words.length - 1));
  });
}

/** Creates a term. A single character of an unspaced script is searched as the start of an indexed bigram. */
function toTerm(text: string, prefix: boolean): KeywordTerm {
  const last = splitByScript(text).at(-1)!;
  return { text, prefix: prefix || (last.isBigramScript && charactersOf(last.text).length === 1) };
}

/** Created on first use: loading its dictionaries takes a tenth as long as importing the library. */
let segmenter: Intl.Segmenter | undefined;
const HANGUL = /^\p{Script=Hangul}/u;
const SINGLE_HIRAGANA = /^\p{Script=Hiragana}$/u;

/**
 * Splits a run without spaces into words. Only queries are segmented, never indexed text, so the version of the
 * dictionary doesn't matter. A Korean word is searched by its bigrams of syllables, so it is found with other endings; a
 * Japanese particle of one character is ignored if there are other words.
 */
function wordsOf(run: string): readonly string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" });
  const words = [...segmenter.segment(run)].flatMap(({ segment }) => {
    const characters = charactersOf(segment);
    return HANGUL.test(segment) && characters.length > 2
      ? toBigrams(characters)
      : characters.length > 0
        ? [segment]
        : [];
  });
  const meaningful = words.filter((word) => !SINGLE_HIRAGANA.test(word));
  return meaningful.length > 0 ? meaningful : words;
}

function distinct(terms: readonly KeywordTerm[]): readonly KeywordTerm[] {
  return [...new Map(terms.map((term) => [`${term.text}${term.prefix ? "*" : ""}`, term])).values()];
}

/** Compounds are the longest words of most queries. */
function limitDivisions(terms: readonly KeywordTerm[]): readonly KeywordTerm[] {
  const divisible = terms.filter(({ text, prefix }) => !prefix && isDivisible(text));
  const excess = new Set(divisible.toSorted((a, b) => b.text.length - a.text.length).slice(MAX_DIVIDED_TERMS));
  return terms.map((term) => (excess.has(term) ? { ...term, undivided: true } : term));
}
