import { FUNCTION_WORDS } from "./function-words.js";

/** Number of words to check; more don't improve the result. */
const SAMPLE_WORDS = 300;
const SAMPLE_CHARACTERS = 4000;
/** Fewer function words of another language may be chance: "die", "in" and "no" belong to several languages. */
const MIN_EVIDENCE = 3;
const WORD = /[\p{L}\p{M}]+/gu;

/**
 * Whether a text may be stemmed by English rules: its language is given as English or, if none is given, another
 * language's function words aren't clearly more frequent than English ones.
 *
 * @param languageCode A language tag such as `en` or `pt-BR`.
 */
export function isEnglish(text: string, languageCode?: string | undefined): boolean {
  if (languageCode !== undefined) return /^en(g)?(-|$)/i.test(languageCode);
  const words = text.slice(0, SAMPLE_CHARACTERS).toLowerCase().match(WORD)?.slice(0, SAMPLE_WORDS) ?? [];
  return mostLikelyLanguage(words, MIN_EVIDENCE) === "en";
}

/** All function words of the language that a query is most likely in. */
export function likelyFunctionWords(words: readonly string[]): ReadonlySet<string> {
  const distinct = new Set(words.map((word) => word.toLowerCase()));
  return FUNCTION_WORDS.get(mostLikelyLanguage([...distinct], 2))!;
}

/** The languages of each function word. */
const LANGUAGES_OF = new Map<string, string[]>();
for (const [language, words] of FUNCTION_WORDS) {
  for (const word of words) LANGUAGES_OF.set(word, [...(LANGUAGES_OF.get(word) ?? []), language]);
}

/** The language with the most function words; English if no other has more and at least `minEvidence`. */
function mostLikelyLanguage(words: readonly string[], minEvidence: number): string {
  const counts = new Map<string, number>();
  for (const word of words) {
    for (const language of LANGUAGES_OF.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  let best = "en";
  for (const [language, count] of counts) if (count >= minEvidence && count > (counts.get(best) ?? 0)) best = language;
  return best;
}
