import { getOrCreate } from "../util/get-or-create.js";
import { groupBy } from "../util/group-by.js";
import { languageOfStemming, type Stemming } from "./stemming.js";

/** The letters with diacritics that occur in endings, by language, as far as stemming depends on them. */
const ACCENTED_LETTERS: Readonly<Record<string, string>> = {
  es: "áéíóúüñ",
  fr: "àâçèéêëîïôûùü",
  hu: "áéíóöőúüű",
  it: "àèéìòù",
  pt: "ãõáéíóúâêôçà",
  ro: "ăâîșț",
  fi: "äö",
  sv: "åäö",
  da: "å",
  no: "å",
  tr: "çğıöşü",
};

/** The number of letters at the end of a word in which diacritics may change its stem. */
const MAX_ENDING_LENGTH = 8;

/**
 * Returns the words that become a word without diacritics if up to two diacritics are removed from their ending. Their
 * stems may differ from the word's own: Spanish "canción" loses an ending that "cancion" doesn't have. None for a word
 * that has diacritics.
 */
export function restoreDiacritics(word: string, stemming: Stemming): readonly string[] {
  const letters = lettersOf(stemming);
  if (letters.size === 0 || HAS_DIACRITICS_PATTERN.test(word.normalize("NFD"))) return [];
  const once = withOneRestored(word, letters, Math.max(0, word.length - MAX_ENDING_LENGTH));
  const twice = once.flatMap(({ word: restored, at }) => withOneRestored(restored, letters, at + 1));
  return [...once, ...twice].map((restored) => restored.word);
}

const HAS_DIACRITICS_PATTERN = /\p{M}|ı/u;

interface RestoredWord {
  readonly word: string;
  /** The place of the letter that was restored last. */
  readonly at: number;
}

function withOneRestored(
  word: string,
  letters: ReadonlyMap<string, readonly string[]>,
  from: number,
): readonly RestoredWord[] {
  const restored: RestoredWord[] = [];
  for (let at = from; at < word.length; at++) {
    for (const letter of letters.get(word[at]!) ?? [])
      restored.push({ word: word.slice(0, at) + letter + word.slice(at + 1), at });
  }
  return restored;
}

const lettersByStemming = new Map<Stemming, ReadonlyMap<string, readonly string[]>>();

/** Returns a language's letters with diacritics, by the letter without. */
function lettersOf(stemming: Stemming): ReadonlyMap<string, readonly string[]> {
  return getOrCreate(lettersByStemming, stemming, () =>
    groupBy(ACCENTED_LETTERS[languageOfStemming(stemming) ?? ""] ?? "", withoutDiacritics),
  );
}

function withoutDiacritics(letter: string): string {
  return letter === "ı" ? "i" : letter.normalize("NFD")[0]!;
}
