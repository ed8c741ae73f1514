/** A query of words, quoted phrases and prefixes, as FTS5 expressions in which nothing of the caller's is syntax. */
export interface KeywordQuery {
  /** Strictest first: all terms, then any of them. Empty where the query has no word. */
  readonly expressions: readonly string[];
}

/** Most terms of one query that are searched for. */
const MAX_TERMS = 64;

/** Words that almost every English passage has: they cost time and tell nothing (measured: half the time, no loss of quality). */
const STOPWORDS = new Set(
  (
    "a about after again all also am an and any are as at be because been before being between both but by can could did do does doing " +
    "during each few for from further had has have having he her here hers him his how i if in into is it its itself just me more most " +
    "my no nor not of off on once only or other our out over own same she should so some such than that the their them then there these " +
    "they this those through to too under until up very was we were what when where which while who whom why will with would you your"
  ).split(" "),
);

/** Turns what a user typed into expressions for the keyword index: all words first, then any word. */
export function keywordQuery(text: string): KeywordQuery {
  const terms = termsOf(text);
  const meaningful = terms.filter(({ quoted, words }) => quoted || !STOPWORDS.has(words[0]!.toLowerCase()));
  const kept = (meaningful.length > 0 ? meaningful : terms).slice(0, MAX_TERMS).map(toFts);
  const unique = [...new Set(kept)];
  if (unique.length === 0) return { expressions: [] };
  return { expressions: unique.length === 1 ? unique : [unique.join(" AND "), unique.join(" OR ")] };
}

/** The expression that a chunk meets when it contains every word of a text (quoted parts as phrases); null where there is none. */
export function requiredWords(text: string): string | null {
  const terms = [...new Set(termsOf(text).map(toFts))];
  return terms.length === 0 ? null : terms.join(" AND ");
}

interface Term {
  readonly words: readonly string[];
  readonly quoted: boolean;
  readonly prefix: boolean;
}

const QUOTED_OR_WORD = /"([^"]*)"(\*?)|([\p{L}\p{M}\p{N}\p{Co}]+)(\*?)/gu;
const WORD = /[\p{L}\p{M}\p{N}\p{Co}]+/gu;

function termsOf(text: string): readonly Term[] {
  return [...text.normalize("NFC").matchAll(QUOTED_OR_WORD)].flatMap(
    ([, phrase, phraseStar, word, wordStar]): Term[] => {
      if (word !== undefined) return [{ words: [word], quoted: false, prefix: wordStar === "*" }];
      const words = phrase!.match(WORD) ?? [];
      return words.length > 0 ? [{ words, quoted: true, prefix: phraseStar === "*" }] : [];
    },
  );
}

/** Only letters, marks and digits are left in a term: in double quotes they are a string to FTS5 (sqlite.org/fts5.html#fts5_strings). */
function toFts({ words, prefix }: Term): string {
  return `"${words.join(" ")}"${prefix ? " *" : ""}`;
}
