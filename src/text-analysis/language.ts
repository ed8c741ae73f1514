import { FUNCTION_WORDS } from "./function-words.js";
import { WORD_PATTERN as QUERY_WORD_PATTERN } from "./keyword-text.js";
import { type Stemming, stemmingOfLanguage } from "./stemming.js";

/** The number of words to examine: more don't improve the result. */
const MAX_SAMPLE_WORDS = 300;
const MAX_SAMPLE_CHARACTERS = 4000;
/** Fewer function words of another language may be coincidence: "die", "in" and "no" belong to several languages. */
const MIN_EVIDENCE = 3;
const WORD_PATTERN = /[\p{L}\p{M}]+/gu;

/**
 * Returns how a text's words are stemmed: by the rules of the language that `languageCode` names or, if it is missing,
 * by those of the language whose function words are clearly the most frequent; by English rules if there is none.
 *
 * @param languageCode A language tag such as `en` or `pt-BR`.
 */
export function stemmingFor(text: string, languageCode?: string | undefined): Stemming {
  if (languageCode !== undefined) return stemmingOfLanguage(primaryLanguage(languageCode));
  const words =
    text.slice(0, MAX_SAMPLE_CHARACTERS).toLowerCase().match(WORD_PATTERN)?.slice(0, MAX_SAMPLE_WORDS) ?? [];
  return stemmingOfLanguage(mostLikelyLanguage(words, MIN_EVIDENCE));
}

/** Returns the language of a tag (ISO 639-1, where it has a code): `de` for `deu-CH`, `no` for both written forms. */
function primaryLanguage(languageCode: string): string {
  const [tag] = languageCode.split(/[-_]/);
  const language = /^[a-z]{2,3}$/i.test(tag!) ? new Intl.Locale(tag!).language : tag!;
  return language === "nb" || language === "nn" ? "no" : language;
}

/** Returns all function words of the language in which a query is most likely written. */
export function likelyFunctionWords(words: readonly string[]): ReadonlySet<string> {
  const distinct = new Set(words.map((word) => word.toLowerCase()));
  return FUNCTION_WORDS.get(mostLikelyLanguage([...distinct], 2))!;
}

/**
 * Returns a query without the function words of its language if that is most likely not English, and if it has other
 * words.
 */
export function withoutForeignFunctionWords(query: string): string {
  const text = query.normalize("NFC");
  const functionWords = likelyFunctionWords(text.match(QUERY_WORD_PATTERN) ?? []);
  if (functionWords === FUNCTION_WORDS.get("en")) return query;
  const others = text.replace(QUERY_WORD_PATTERN, (word) => (functionWords.has(word.toLowerCase()) ? "" : word));
  return others.search(QUERY_WORD_PATTERN) < 0 ? query : others;
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
