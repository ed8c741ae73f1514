import type { Analyzer } from "../../text-analysis/analyzer.js";
import { type Completion, findCompletions, prefixToken } from "../../text-analysis/completions.js";
import { type Compounds, compoundsOf, haveCompounds } from "../../text-analysis/compounds.js";
import type { KeywordTerm } from "../../text-analysis/keyword-term.js";
import { keywordPhrase, suffixOf } from "../../text-analysis/keyword-text.js";
import type { Stemming } from "../../text-analysis/stemming.js";
import { termPhrases } from "../../text-analysis/term-phrases.js";

/** What to look up in an index for a search term. */
export type TermLookup =
  /** Every occurrence of these tokens, and of other tokens of compounds. Texts with both parts of the word count once. */
  | { readonly kind: "word"; readonly tokens: readonly string[]; readonly compounds: Compounds }
  /** The texts that contain a token that begins with one of the prefixes, or one of the tokens. */
  | { readonly kind: "prefix"; readonly prefixes: readonly TokenPrefix[]; readonly tokens: readonly string[] }
  /** The texts that contain one of the phrases. */
  | { readonly kind: "phrases"; readonly phrases: readonly TermPhrase[] };

/** What tokens begin with. */
export interface TokenPrefix {
  readonly start: string;
  /** The suffixes of languages that a token must have one of, empty for none; `null` if any token will do. */
  readonly suffixes: readonly string[] | null;
}

/** Words that are adjacent in the text. */
export interface TermPhrase {
  readonly phrase: string;
  /** Whether the last word is a prefix. */
  readonly prefix: boolean;
}

/** Returns a name for what {@link lookupOf} returns for a term. */
export function lookupKey({ text, prefix, undivided }: KeywordTerm, stemmings: ReadonlySet<Stemming>): string {
  // A term has no such characters.
  return `${text}${prefix ? "*" : ""}${undivided && haveCompounds(stemmings) ? "|" : ""}`;
}

/**
 * Returns what to look up for a term in an index whose texts are stemmed in the given ways. A word counts as often as it
 * occurs, in whatever form. A phrase or a prefix counts once in a text.
 */
export function lookupOf(analyzer: Analyzer, term: KeywordTerm, stemmings: ReadonlySet<Stemming>): TermLookup {
  const { text, prefix } = term;
  const phrases = [...stemmings].flatMap((stemming) =>
    prefix ? [keywordPhrase(text, stemming, true)] : termPhrases(text, stemming),
  );
  const tokens = analyzer.terms(phrases);
  const isWord = tokens.every(({ length }) => length === 1);
  if (!prefix && isWord) {
    const compounds = [...stemmings].flatMap((stemming) => compoundsOf(analyzer, term, stemming) ?? []);
    return {
      ...wordLookup([...new Set(tokens.map(([token]) => token!))]),
      compounds: {
        starts: compounds.flatMap(({ starts }) => starts),
        parts: compounds.flatMap(({ parts }) => parts),
      },
    };
  }
  const completions: readonly Completion[] = prefix
    ? [...stemmings].flatMap((stemming) => findCompletions(analyzer, text, stemming))
    : [];
  if (prefix && isWord) {
    const prefixes = tokenPrefixes(analyzer, text, stemmings);
    // A prefix would be stemmed as if it were a whole word: "key" into "kei", with which "keyword" doesn't begin.
    if (prefixes.length > 1 || tokens.some(([token]) => token !== prefixes[0]!.start))
      return { kind: "prefix", prefixes, tokens: completions.map(({ token }) => token) };
  }
  return {
    kind: "phrases",
    phrases: [
      ...[...new Set(phrases)].map((phrase) => ({ phrase, prefix })),
      ...completions.map(({ phrase }) => ({ phrase, prefix: false })),
    ],
  };
}

/** Returns what to look up for the words of a term alone, without compounds. */
export function withoutCompounds(lookup: TermLookup): TermLookup {
  return lookup.kind === "word" ? wordLookup(lookup.tokens) : lookup;
}

/** Returns what to look up for tokens. */
export function wordLookup(tokens: readonly string[]) {
  return { kind: "word", tokens, compounds: { starts: [], parts: [] } } as const;
}

/**
 * Returns what the tokens of each language begin with. Where languages write a word in different ways, such as with ı and i,
 * the form of one is not looked up in texts of another: what is found must not depend on the languages of other texts.
 */
function tokenPrefixes(analyzer: Analyzer, text: string, stemmings: ReadonlySet<Stemming>): readonly TokenPrefix[] {
  const suffixes = new Map<string, string[]>();
  for (const stemming of stemmings) {
    const start = prefixToken(analyzer, text, stemming);
    if (start !== undefined) suffixes.set(start, [...(suffixes.get(start) ?? []), suffixOf(stemming)]);
  }
  return [...suffixes].map(([start, own]) => ({ start, suffixes: suffixes.size === 1 ? null : own }));
}
