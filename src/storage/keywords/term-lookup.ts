import type { Analyzer } from "../../text-analysis/analyzer.js";
import { type Completion, findCompletions, prefixToken } from "../../text-analysis/completions.js";
import type { KeywordTerm } from "../../text-analysis/keyword-term.js";
import { keywordPhrase } from "../../text-analysis/keyword-text.js";
import type { Stemming } from "../../text-analysis/stemming.js";
import { termPhrases } from "../../text-analysis/term-phrases.js";

/** What to look up in an index for a search term. */
export type TermLookup =
  /** Every occurrence of these tokens. */
  | { readonly kind: "word"; readonly tokens: readonly string[] }
  /** The texts that contain a token that begins with one of the prefixes, or one of the tokens. */
  | { readonly kind: "prefix"; readonly prefixes: readonly string[]; readonly tokens: readonly string[] }
  /** The texts that contain one of the phrases. */
  | { readonly kind: "phrases"; readonly phrases: readonly TermPhrase[] };

/** Words that are adjacent in the text. */
export interface TermPhrase {
  readonly phrase: string;
  /** Whether the last word is a prefix. */
  readonly prefix: boolean;
}

/**
 * Returns what to look up for a term in an index whose texts are stemmed in the given ways. A word counts as often as it
 * occurs, in whatever form. A phrase or a prefix counts once in a text.
 */
export function lookupOf(
  analyzer: Analyzer,
  { text, prefix }: KeywordTerm,
  stemmings: ReadonlySet<Stemming>,
): TermLookup {
  const phrases = [...stemmings].flatMap((stemming) =>
    prefix ? [keywordPhrase(text, stemming, true)] : termPhrases(text, stemming),
  );
  const tokens = analyzer.terms(phrases);
  const isWord = tokens.every(({ length }) => length === 1);
  if (!prefix && isWord) return { kind: "word", tokens: [...new Set(tokens.map(([token]) => token!))] };
  const completions: readonly Completion[] = prefix
    ? [...stemmings].flatMap((stemming) => findCompletions(analyzer, text, stemming))
    : [];
  if (prefix && isWord) {
    const prefixes = new Set([...stemmings].flatMap((stemming) => prefixToken(analyzer, text, stemming) ?? []));
    // A prefix would be stemmed as if it were a whole word: "key" into "kei", with which "keyword" doesn't begin.
    if (prefixes.size > 1 || tokens.some(([token]) => !prefixes.has(token!)))
      return { kind: "prefix", prefixes: [...prefixes], tokens: completions.map(({ token }) => token) };
  }
  return {
    kind: "phrases",
    phrases: [
      ...[...new Set(phrases)].map((phrase) => ({ phrase, prefix })),
      ...completions.map(({ phrase }) => ({ phrase, prefix: false })),
    ],
  };
}
