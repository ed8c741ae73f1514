import type { Analyzer } from "./analyzer.js";
import { keywordPhrase, UNSTEMMED_SUFFIX } from "./keyword-text.js";

/** A phrase that begins with the typed text and whose last word is indexed under a different stem. */
export interface Completion {
  readonly phrase: string;
  /** The last word in its indexed form. */
  readonly token: string;
}

/** English suffixes that stemming removes or changes. */
const SUFFIXES =
  `ability able ably ally ance ancy ate ated ating ation ational ations ator ed eed eli ely ence ency ent ently er ers es
  fulness ible ical icate ied ies ing ingly ings ion ional ions ish ism ist ities ity ive iveness ivity ization
  izations ize ized izer izing less ly ment ments ness ous ously ousness y`.split(/\s+/);
/** The tails of the suffixes, and an empty tail: what may be missing from a word that is still being typed. */
const TAILS = ["", ...new Set(SUFFIXES.flatMap((suffix) => [...suffix].map((_, from) => suffix.slice(from))))];
const ENGLISH_END_PATTERN = /[a-z]$/i;

/** Returns the last typed word as it would be indexed without stemming; `undefined` if there is none. */
export function unstemmedToken(analyzer: Analyzer, typed: string): string | undefined {
  return analyzer
    .terms([keywordPhrase(typed, false)])[0]!
    .at(-1)
    ?.slice(0, -UNSTEMMED_SUFFIX.length);
}

/**
 * Completes typed text with the tails of English suffixes and returns the completions whose stems a prefix search would
 * miss: "running" is indexed as "run", which doesn't begin with "runn".
 */
export function findCompletions(analyzer: Analyzer, typed: string): readonly Completion[] {
  if (!ENGLISH_END_PATTERN.test(typed)) return [];
  const unstemmed = unstemmedToken(analyzer, typed)!;
  const phrases = TAILS.map((tail) => keywordPhrase(typed + tail, true));
  const tokens = analyzer.terms(phrases).map((words) => words.at(-1)!);
  const completions = new Map(tokens.map((token, index) => [token, { token, phrase: phrases[index]! }]));
  // "off" + "ing" would be stemmed to "of", and "inn" + "ing" to "in". Skipping such stems means missing "inning".
  const endsInDoubleLetter = /(.)\1$/.test(unstemmed);
  return [...completions.values()].filter(
    ({ token }) => !token.startsWith(unstemmed) && !(endsInDoubleLetter && token.length < 3),
  );
}
