import { createRequire } from "node:module";
import { copyString } from "../util/copy-string.js";

/** How the words of a text are stemmed: an index of {@link STEMMED_LANGUAGES} plus 1, or 0 if they are not stemmed. */
export type Stemming = number;

export const UNSTEMMED: Stemming = 0;
/** English, whose stems the tokenizer of the keyword index computes (porter-stem.ts). */
export const ENGLISH: Stemming = 1;

/**
 * The languages whose words are stemmed (ISO 639-1). Stored chunks and blocks of words refer to places in this list, so
 * languages are only ever added at its end, and no more than 32 fit.
 */
const STEMMED_LANGUAGES = [
  "en",
  ...["ar", "hy", "bg", "da", "nl", "fi", "fr", "de", "el", "hu", "hi", "id", "ga", "it", "lt", "ne", "no", "pt", "ro"],
  ...["ru", "sr", "es", "sv", "ta", "tr", "uk"],
] as const;

type StemmedLanguage = (typeof STEMMED_LANGUAGES)[number];

/** The highest number that this version knows. */
export const MAX_STEMMING: Stemming = STEMMED_LANGUAGES.length;

interface StemmerModule {
  stemmer(word: string): string;
}

/** Loads a module when it is needed: an app's bundle, in which no file can be resolved, imports this one, too. */
function require(id: string): StemmerModule {
  return createRequire(import.meta.url)(id) as StemmerModule;
}

/**
 * Snowball's algorithms (snowballstem.org), and one for Ukrainian. Each is loaded on first use: few texts need one, and
 * all of them take longer to load than the library.
 */
const LOAD_STEMMER: Readonly<Record<Exclude<StemmedLanguage, "en">, () => StemmerModule>> = {
  ar: () => require("@orama/stemmers/arabic"),
  hy: () => require("@orama/stemmers/armenian"),
  bg: () => require("@orama/stemmers/bulgarian"),
  da: () => require("@orama/stemmers/danish"),
  nl: () => require("@orama/stemmers/dutch"),
  fi: () => require("@orama/stemmers/finnish"),
  fr: () => require("@orama/stemmers/french"),
  de: () => require("@orama/stemmers/german"),
  el: () => require("@orama/stemmers/greek"),
  hu: () => require("@orama/stemmers/hungarian"),
  hi: () => require("@orama/stemmers/indian"),
  id: () => require("@orama/stemmers/indonesian"),
  ga: () => require("@orama/stemmers/irish"),
  it: () => require("@orama/stemmers/italian"),
  lt: () => require("@orama/stemmers/lithuanian"),
  ne: () => require("@orama/stemmers/nepali"),
  no: () => require("@orama/stemmers/norwegian"),
  pt: () => require("@orama/stemmers/portuguese"),
  ro: () => require("@orama/stemmers/romanian"),
  ru: () => require("@orama/stemmers/russian"),
  sr: () => require("@orama/stemmers/serbian"),
  es: () => require("@orama/stemmers/spanish"),
  sv: () => require("@orama/stemmers/swedish"),
  ta: () => require("@orama/stemmers/tamil"),
  tr: () => require("@orama/stemmers/turkish"),
  uk: () => require("@orama/stemmers/ukrainian"),
};

/** Longer words are not stemmed: they are no words of a language. */
const MAX_WORD_LENGTH = 64;
/** The number of stems to keep for each language, each of a word of at most {@link MAX_WORD_LENGTH} characters. */
const MAX_CACHED_STEMS = 20_000;

/** Returns how texts of a language are stemmed. */
export function stemmingOfLanguage(language: string): Stemming {
  return STEMMED_LANGUAGES.indexOf(language as StemmedLanguage) + 1;
}

/** Returns the language of a kind of stemming (ISO 639-1); `undefined` if words are not stemmed. */
export function languageOfStemming(stemming: Stemming): string | undefined {
  return STEMMED_LANGUAGES[stemming - 1];
}

/**
 * Returns the stem of a word in any case. It may have diacritics, which the tokenizer removes afterwards: most languages
 * have some in their endings, and stemming needs them. Neither for English nor for unstemmed texts.
 */
export function stemOf(word: string, stemming: Stemming): string {
  if (word.length > MAX_WORD_LENGTH) return uncachedStemOf(word, stemming);
  const { cache } = stemmerOf(stemming);
  let stemmed = cache.get(word);
  if (stemmed === undefined) {
    stemmed = uncachedStemOf(word, stemming);
    if (cache.size >= MAX_CACHED_STEMS) cache.clear();
    cache.set(copyString(word), copyString(stemmed));
  }
  return stemmed;
}

/** Returns the same as {@link stemOf}, without its cache. */
export function uncachedStemOf(word: string, stemming: Stemming): string {
  if (word.length > MAX_WORD_LENGTH) return normalizeWord(word, stemming);
  return foldLetters(stemmerOf(stemming).stem(lowerCase(word, stemming)), stemming);
}

/**
 * Returns a word in lower case by the rules of a language, with letters that are written in two ways in one of them, as
 * far as the tokenizer doesn't unify them: ё and е in Russian, ı and i in Turkish, ß and ss in German.
 */
export function normalizeWord(word: string, stemming: Stemming): string {
  return foldLetters(lowerCase(word, stemming), stemming);
}

function lowerCase(word: string, stemming: Stemming): string {
  const language = languageOfStemming(stemming);
  if (language === "tr") return word.toLocaleLowerCase("tr");
  const lower = word.toLowerCase();
  if (language === "ru") return lower.replaceAll("ё", "е");
  return language === "de" ? lower.replaceAll("ß", "ss") : lower;
}

function foldLetters(word: string, stemming: Stemming): string {
  return languageOfStemming(stemming) === "tr" ? word.replaceAll("ı", "i") : word;
}

/** The Latin letters of Serbian for the Cyrillic ones, in the order of {@link SERBIAN_CYRILLIC}. */
const SERBIAN_LATIN = "a b v g d đ e ž z i j k l lj m n nj o p r s t ć u f h c č dž š".split(" ");
const SERBIAN_CYRILLIC = "абвгдђежзијклљмнњопрстћуфхцчџш";

/**
 * Returns the beginning of a word with the letters that the language's stems have: Latin ones in Serbian, and those without
 * accents in Greek.
 */
export function stemmedLetters(word: string, stemming: Stemming): string {
  const language = languageOfStemming(stemming);
  if (language === "el") return word.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("ς", "σ");
  if (language !== "sr") return word;
  return word.replace(/[а-џ]/gu, (letter) => SERBIAN_LATIN[SERBIAN_CYRILLIC.indexOf(letter)] ?? letter);
}

/** The languages whose stems may begin with another letter than the word: prefixes are removed, or letters replaced. */
const CHANGED_BEGINNINGS: ReadonlySet<string> = new Set(["ar", "el", "ga", "id", "sr", "ta", "tr"]);
/** The languages whose stems begin with three letters of the word: Snowball's algorithms change only what follows them. */
const THREE_LETTERS_KEPT: ReadonlySet<string> = new Set(["da", "de", "es", "it", "no", "sv"]);

/**
 * Returns with how many letters of a word its stem begins, if they are from a to z and the word has at least four: 0, 2
 * or 3. Found with word lists of twelve languages. Words that no language has may keep fewer: "unamente" in Spanish,
 * "llyuo" in Finnish.
 */
export function keptLetters(stemming: Stemming): 0 | 2 | 3 {
  const language = languageOfStemming(stemming);
  if (language === undefined) return 3;
  if (CHANGED_BEGINNINGS.has(language)) return 0;
  return THREE_LETTERS_KEPT.has(language) ? 3 : 2;
}

interface Stemmer {
  readonly stem: (word: string) => string;
  readonly cache: Map<string, string>;
}

const stemmers = new Map<Stemming, Stemmer>();

function stemmerOf(stemming: Stemming): Stemmer {
  let stemmer = stemmers.get(stemming);
  if (!stemmer) {
    const language = languageOfStemming(stemming) as keyof typeof LOAD_STEMMER;
    const { stemmer: stem } = LOAD_STEMMER[language]();
    stemmer = { stem: language === "bg" ? (word) => stemBulgarian(stem, word) : stem, cache: new Map() };
    stemmers.set(stemming, stemmer);
  }
  return stemmer;
}

/** The package's stemmer for Bulgarian writes to the characters of its argument, for which a string throws. */
function stemBulgarian(stem: StemmerModule["stemmer"], word: string): string {
  const characters = word.split("");
  const substring = (from: number, to?: number) => characters.slice(from, to).join("");
  return stem(Object.assign(characters, { substring }) as unknown as string);
}
