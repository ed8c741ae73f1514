import type { Analyzer } from "../../text-analysis/analyzer.js";
import { type Completion, findCompletions, unstemmedToken } from "../../text-analysis/completions.js";
import type { KeywordTerm } from "../../text-analysis/keyword-term.js";
import { keywordPhrase } from "../../text-analysis/keyword-text.js";

/** Whether an index has stemmed texts, and whether it has unstemmed texts. */
export interface IndexedForms {
  stemmed: boolean;
  unstemmed: boolean;
}

/** What to look up in an index for a search term. */
export type TermLookup =
  /** Every occurrence of these tokens. */
  | { readonly kind: "word"; readonly tokens: readonly string[] }
  /** The texts that contain a token that begins with the prefix, or one of the tokens. */
  | { readonly kind: "prefix"; readonly prefix: string; readonly tokens: readonly string[] }
  /** The texts that contain one of the phrases. */
  | { readonly kind: "phrases"; readonly phrases: readonly TermPhrase[] };

/** Words that are adjacent in the text. */
export interface TermPhrase {
  readonly phrase: string;
  /** Whether the last word is a prefix. */
  readonly prefix: boolean;
}

/**
 * Returns what to look up for a term. A word counts as often as it occurs, stemmed or not. A phrase or a prefix counts
 * once in a text.
 */
export function lookupOf(analyzer: Analyzer, { text, prefix }: KeywordTerm, forms: IndexedForms): TermLookup {
  const { stemmed, unstemmed } = forms;
  const isStemmed = [...(stemmed ? [true] : []), ...(unstemmed ? [false] : [])];
  const phrases = isStemmed.map((form) => keywordPhrase(text, form, prefix));
  const tokens = analyzer.terms(phrases);
  const isWord = tokens.every(({ length }) => length === 1);
  const completions = (): readonly Completion[] => (prefix && stemmed ? findCompletions(analyzer, text) : []);
  // The prefix would be stemmed as if it were a whole word: "key" into "kei", with which "keyword" doesn't begin.
  const prefixToken = prefix && isWord ? unstemmedToken(analyzer, text) : undefined;
  if (prefixToken !== undefined && tokens.some(([token]) => token !== prefixToken))
    return { kind: "prefix", prefix: prefixToken, tokens: completions().map(({ token }) => token) };
  if (!prefix && isWord) return { kind: "word", tokens: tokens.map(([token]) => token!) };
  if (phrases.length === 0) return { kind: "phrases", phrases: [] };
  return {
    kind: "phrases",
    phrases: [
      ...phrases.map((phrase) => ({ phrase, prefix })),
      ...completions().map(({ phrase }) => ({ phrase, prefix: false })),
    ],
  };
}
