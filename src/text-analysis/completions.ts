import type { Analyzer } from "./analyzer.js";
import { keywordPhrase } from "./keyword-text.js";

/** A phrase that begins with the typed text and whose last word is indexed under a different stem. */
export interface Completion {
  readonly phrase: string;
  /** The last word, as the index has it. */
  readonly token: string;
}

/** English suffixes that stemming removes or changes. */
const ENDINGS =
  `ability able ably ally ance ancy ate ated ating ation ational ations ator ed eed eli ely ence ency ent ently er ers es
  fulness ible ical icate ied ies ing ingly ings ion ional ions ish ism ist ities ity ive iveness ivity ization
  izations ize ized izer izing less ly ment ments ness ous ously ousness y`.split(/\s+/);
/** Those suffixes from any of their letters on: what may be missing from a word that is being typed. */
const TAILS = ["", ...new Set(ENDINGS.flatMap((ending) => [...ending].map((_, from) => ending.slice(from))))];
const ENGLISH = /[a-z]$/i;

/** The last typed word as it would be indexed without stemming; `undefined` if there is none. */
export function unstemmedToken(analyzer: Analyzer, beginning: string): string | undefined {
  return analyzer
    .terms([keywordPhrase(beginning, false)])[0]!
    .at(-1)
    ?.slice(0, -1);
}

/**
 * A stem isn't always a prefix of what is typed: "running" is indexed as "run", which doesn't begin with "runn". So the
 * typed text is completed by English endings, and the resulting stems are searched for as well.
 */
export function findCompletions(analyzer: Analyzer, beginning: string): readonly Completion[] {
  if (!ENGLISH.test(beginning)) return [];
  const unstemmed = unstemmedToken(analyzer, beginning)!;
  const phrases = TAILS.map((tail) => keywordPhrase(beginning + tail, true));
  const tokens = analyzer.terms(phrases).map((words) => words.at(-1)!);
  const byToken = new Map(tokens.map((token, index) => [token, { token, phrase: phrases[index]! }]));
  // "off" + "ing" would be stemmed to "of", and "inn" + "ing" to "in". To avoid these, "inning" is not found.
  const isDouble = /(.)\1$/.test(unstemmed);
  return [...byToken.values()].filter(({ token }) => !token.startsWith(unstemmed) && !(isDouble && token.length < 3));
}
