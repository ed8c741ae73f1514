import { porterStem } from "./porter-stem.js";
import { DROPPED, FOLDED, SEPARATORS } from "./unicode61-tables.js";

/** Maximum length of a term in bytes of UTF-8; longer terms are truncated. */
const MAX_TERM_BYTES = 32_768;

/**
 * Returns the terms of a text, in order: runs of letters, marks, digits and private-use characters, in lower case,
 * without diacritics, stemmed by Porter's rules. SQLite's FTS5 produces the same tokens with
 * `porter unicode61 remove_diacritics 2 categories 'L* M* N* Co'`.
 */
export function termsOf(text: string): string[] {
  const { separators, separatorsAboveBmp } = characterTables();
  const terms: string[] = [];
  let start = -1;
  for (let at = 0, width = 1; at < text.length; at += width) {
    const code = text.codePointAt(at)!;
    width = code > 0xffff ? 2 : 1;
    const isSeparator = code <= 0xffff ? separators[code] === 1 : separatorsAboveBmp.has(code);
    if (!isSeparator) {
      if (start < 0) start = at;
    } else if (start >= 0) {
      terms.push(termOf(text.slice(start, at)));
      start = -1;
    }
  }
  if (start >= 0) terms.push(termOf(text.slice(start)));
  return terms;
}

/** Returns 1 for each UTF-16 unit that separates words. Characters of two units do here, too. */
export function wordSeparators(): Uint8Array {
  return characterTables().separators;
}

/** Returns the term of a word, which must have no separators. */
export function termOf(word: string): string {
  const stem = porterStem(foldWord(word));
  // UTF-8 takes at most three bytes per UTF-16 unit.
  if (stem.length * 3 <= MAX_TERM_BYTES) return stem;
  return Buffer.from(stem, "utf8").subarray(0, MAX_TERM_BYTES).toString("utf8");
}

/** Returns a word in lower case, without diacritics. */
export function foldWord(word: string): string {
  if (ASCII_PATTERN.test(word)) return word.toLowerCase();
  const { folds } = characterTables();
  let folded = "";
  for (const character of word) folded += folds.get(character.codePointAt(0)!) ?? character;
  return folded;
}

const ASCII_PATTERN = /^[\0-\x7f]*$/;

interface CharacterTables {
  readonly folds: ReadonlyMap<number, string>;
  /** 1 for each code point up to U+FFFF that is a separator. */
  readonly separators: Uint8Array;
  readonly separatorsAboveBmp: ReadonlySet<number>;
}

let tables: CharacterTables | undefined;

/** Returns the tables. Creates them on first use, since it takes milliseconds and every database thread loads this. */
function characterTables(): CharacterTables {
  tables ??= createTables();
  return tables;
}

function createTables(): CharacterTables {
  const folds = new Map([
    ...codesOf(DROPPED).map(({ code }) => [code, ""] as const),
    ...codesOf(FOLDED).map(({ code, delta }) => [code, String.fromCodePoint(code + delta)] as const),
  ]);
  const separators = new Uint8Array(0x10000);
  const separatorsAboveBmp = new Set<number>();
  for (const { code } of codesOf(SEPARATORS)) {
    if (code <= 0xffff) separators[code] = 1;
    else separatorsAboveBmp.add(code);
  }
  // An unpaired surrogate reaches an index as U+FFFD, which separates words.
  separators.fill(1, 0xd800, 0xe000);
  return { folds, separators, separatorsAboveBmp };
}

/** Decodes a table's runs of "distance,count,step,delta"; `delta` is the distance of a code point's folded form. */
function codesOf(table: string): { readonly code: number; readonly delta: number }[] {
  let start = 0;
  return table.split(" ").flatMap((run) => {
    const [distance, count, step, delta] = run.split(",").map((number) => Number.parseInt(number, 36));
    start += distance!;
    return Array.from({ length: count! }, (_, index) => ({ code: start + index * step!, delta: delta! }));
  });
}
