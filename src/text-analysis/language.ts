import { FUNCTION_WORDS } from "./function-words.js";

/** The number of words to examine: more don't improve the result. */
const MAX_SAMPLE_WORDS = 300;
const MAX_SAMPLE_CHARACTERS = 4000;
/** Fewer function words of another language may be coincidence: "die", "in" and "no" belong to several languages. */
const MIN_EVIDENCE = 3;
const WORD_PATTERN = /[\p{L}\p{M}]+/gu;

/**
 * Whether a text may be stemmed by English rules: `languageCode` is English or, if it is missing, no other language's
 * function words are clearly more frequent than English ones.
 *
 * @param languageCode A language tag such as `en` or `pt-BR`.
 */
export function isEnglish(text: string, languageCode?: string | undefined): boolean {
  if (languageCode !== undefined) return /^en(g)?(-|$)/i.test(languageCode);
  const words =
    text.slice(0, MAX_SAMPLE_CHARACTERS).toLowerCase().match(WORD_PATTERN)?.slice(0, MAX_SAMPLE_WORDS) ?? [];
  return mostLikelyLanguage(words, MIN_EVIDENCE) === "en";
}

/** Returns all function words of the language in which a query is most likely written. */
export function likelyFunctionWords(words: readonly string[]): ReadonlySet<string> {
  const distinct = new Set(words.map((word) => word.toLowerCase()));
  return FUNCTION_WORDS.get(mostLikelyLanguage([...distinct], 2))!;
}

/** The languages in which each word is a function word. */
const LANGUAGES_BY_WORD = new Map<string, string[]>();
for (const [language, words] of FUNCTION_WORDS) {
  for (const word of words) LANGUAGES_BY_WORD.set(word, [...(LANGUAGES_BY_WORD.get(word) ?? []), language]);
}

/** Returns the language with the most function words; English unless another has more, and at least `minEvidence`. */
function mostLikelyLanguage(words: readonly string[], minEvidence: number): string {
  const counts = new Map<string, number>();
  for (const word of words) {
    for (const language of LANGUAGES_BY_WORD.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  let best = "en";
  for (const [language, count] of counts) if (count >= minEvidence && count > (counts.get(best) ?? 0)) best = language;
  return best;
}
