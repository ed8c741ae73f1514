import type { Analyzer } from "./analyzer.js";
import { keywordPhrase } from "./keyword-text.js";

/** A phrase that begins with the typed text and whose last word is indexed under a different stem. */
export interface Completion {
  readonly phrase: string;
  /** The last word, as the index has it. */
  readonly token: string;
}

/** What English words end in that stemming takes off or changes. */
const ENDINGS =
  `ability able ably ally ance ancy ate ated ating ation ational ations ator ed eed eli ely ence ency ent ently er ers es
  fulness ible ical icate ied ies ing ingly ings ion ional ions ish ism ist ities ity ive iveness ivity ization izations ize ized izer
  izing less ly ment ments ness ous ously ousness y`.split(/\s+/);
/** The same from any of their letters on: as much as can be missing of a word. */
const TAILS = ["", ...new Set(ENDINGS.flatMap((ending) => [...ending].map((_, from) => ending.slice(from))))];
const ENGLISH = /[a-z]$/i;

/** The last typed word as it would be indexed without stemming. */
export function unstemmed(analyzer: Analyzer, beginning: string): string | undefined {
  return analyzer
    .terms([keywordPhrase(beginning, false)])[0]!
    .at(-1)
    ?.slice(0, -1);
}

/**
 * A stem isn't always a prefix of what is typed: "running" is indexed as "run", which doesn't begin with "runn". So the
 * typed text is completed by English endings, and the resulting stems are searched for as well.
 */
export function completions(analyzer: Analyzer, beginning: string): readonly Completion[] {
  if (!ENGLISH.test(beginning)) return [];
  const begun = unstemmed(analyzer, beginning)!;
  const phrases = TAILS.map((tail) => keywordPhrase(beginning + tail, true));
  const tokens = analyzer.terms(phrases).map((words) => words.at(-1)!);
  const byToken = new Map(tokens.map((token, index) => [token, { token, phrase: phrases[index]! }]));
  // "off" + "ing" would be stemmed to "of", and "inn" to "in": rather than those, "inning" is not found.
  const isDouble = /(.)\1$/.test(begun);
  return [...byToken.values()].filter(({ token }) => !token.startsWith(begun) && !(isDouble && token.length < 3));
}
